// Predictive distributions in closed form: quantiles, and the continuous ranked probability score (CRPS) of an
// observation.

import { quantileOfSorted } from "../math/statistics.ts";
import { studentTCrps, studentTQuantile, studentTSquareBelow } from "../math/student-t.ts";
import type { StepDistribution } from "./types.ts";

/** The quantile of every step, [H]. */
export function quantileOfSteps(distribution: StepDistribution, probability: number): Float64Array {
  const { location, scale, floor = Number.NEGATIVE_INFINITY } = distribution;
  const units =
    distribution.kind === "student-t"
      ? studentTQuantile(probability, distribution.degreesOfFreedom)
      : quantileOfSorted(distribution.sorted, probability);
  return location.map((value, step) => Math.max(floor, value + units * scale[step]));
}

/** ∫ (F(x) − [x ≥ actual])² dx at one step. Infinite for Student's t with one degree of freedom and a scale above 0. */
export function crpsOfStep(distribution: StepDistribution, step: number, actual: number): number {
  const { floor } = distribution;
  if (floor === undefined) return unlimitedCrps(distribution, step, actual);
  const [location, scale] = [distribution.location[step], distribution.scale[step]];
  // Below the floor F is 0 instead of its square under the integral, and below both it counts the distance.
  const units = (floor - location) / scale;
  const distance = Math.max(0, floor - actual);
  if (!Number.isFinite(units))
    return Math.abs(Math.max(actual, floor) - Math.max(location, floor)) + distance;
  const below =
    distribution.kind === "student-t"
      ? studentTSquareBelow(units, distribution.degreesOfFreedom)
      : interpolatedSquareBelow(distribution.sorted, units);
  return unlimitedCrps(distribution, step, Math.max(actual, floor)) - scale * below + distance;
}

function unlimitedCrps(distribution: StepDistribution, step: number, actual: number): number {
  const [error, scale] = [actual - distribution.location[step], distribution.scale[step]];
  const units = error / scale;
  // Without a spread, all probability is at the location.
  if (!Number.isFinite(units)) return Math.abs(error);
  const score =
    distribution.kind === "student-t"
      ? studentTCrps(units, distribution.degreesOfFreedom)
      : interpolatedCrps(distribution.sorted, units);
  return scale * score;
}

/** ∫ F(x)² dx up to a value, for the quantile function that is linear between sorted values. */
function interpolatedSquareBelow(sorted: Float64Array, value: number): number {
  const last = sorted.length - 1;
  let total = Math.max(0, value - sorted[last]);
  for (let i = 0; i < last; i++) {
    const [low, high] = [sorted[i], sorted[i + 1]];
    const width = Math.min(value, high) - low;
    if (low === high || width <= 0) continue;
    total += width * meanSquare(i / last, (i + width / (high - low)) / last);
  }
  return total;
}

/** CRPS of the distribution whose quantile function is linear between sorted values. */
function interpolatedCrps(sorted: Float64Array, actual: number): number {
  const last = sorted.length - 1;
  // Outside the values, F is 0 or 1.
  let score = Math.max(0, sorted[0] - actual) + Math.max(0, actual - sorted[last]);
  for (let i = 0; i < last; i++) {
    const [low, high] = [sorted[i], sorted[i + 1]];
    if (low === high) continue;
    const below = Math.min(Math.max(actual, low), high);
    const share = (i + (below - low) / (high - low)) / last; // F(below)
    score +=
      (below - low) * meanSquare(i / last, share) +
      (high - below) * meanSquare(1 - share, 1 - (i + 1) / last);
  }
  return score;
}

/** The mean of x² between two numbers. */
function meanSquare(from: number, to: number): number {
  return (from * from + from * to + to * to) / 3;
}
