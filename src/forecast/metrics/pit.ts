// The probability integral transform: the histogram of F(y), which is flat for calibrated forecasts.

import { ExactSum } from "../../math/exact-sum.ts";
import { type ForecastCase, observedSteps } from "./forecast-case.ts";
import { hasPaths } from "./sample-scores.ts";
import type { Sums } from "./summed-metric.ts";

const BINS = 10;

/**
 * Histogram of F(y) over all observed steps, as shares that sum to 1; null if nothing was observed.
 *
 * Paths and quantiles determine F only as a step function: F(y) lies between a and b. The mass of one step is distributed
 * uniformly over [a, b]. This non-randomised form is flat in expectation for calibrated forecasts. A ∪ shape means that
 * forecasts are too narrow, a ∩ shape too wide, and a slope means bias.
 */
export function pitHistogram(
  cases: readonly ForecastCase[],
  quantiles: readonly number[],
  bins = BINS,
): Float64Array | null {
  return histogramOfSums(pitSums(cases, quantiles, bins));
}

/** Sums of the histogram: the mass of each bin, and the number of steps. */
export function pitSums(cases: readonly ForecastCase[], quantiles: readonly number[], bins = BINS): Sums {
  const masses = Array.from({ length: bins }, () => new ExactSum());
  const steps = new ExactSum();
  for (const one of cases) {
    for (const step of observedSteps(one)) {
      const [from, to] = hasPaths(one) ? withinPaths(one, step) : withinQuantiles(one, step, quantiles);
      if (Number.isNaN(from)) continue;
      for (let bin = 0; bin < bins; bin++) {
        // One unit of mass, uniformly distributed between the two probabilities.
        const overlap = Math.min(to, (bin + 1) / bins) - Math.max(from, bin / bins);
        if (overlap > 0) masses[bin].add(overlap / (to - from));
      }
      steps.add(1);
    }
  }
  return { steps, ...Object.fromEntries(masses.map((mass, bin) => [`bin${bin}`, mass])) };
}

/** The histogram of these sums; null if nothing was observed. */
export function histogramOfSums({ steps, ...bins }: Sums): Float64Array | null {
  const count = steps.value;
  return count === 0 ? null : Float64Array.from(Object.values(bins), (mass) => mass.value / count);
}

/** Bounds of F(y) by the number of paths below y, and below or equal to y. */
function withinPaths({ forecast, actual }: ForecastCase, step: number): [number, number] {
  const values = forecast.paths!.map((path) => path[step]);
  if (values.some(Number.isNaN)) return [Number.NaN, Number.NaN];
  const below = values.filter((value) => value < actual[step]).length;
  const upTo = values.filter((value) => value <= actual[step]).length;
  // n samples divide the line into n + 1 parts of equal probability, and y lies in one of them.
  return [below / (values.length + 1), (upTo + 1) / (values.length + 1)];
}

/** Bounds of F(y) by the nearest quantiles below and above y. Equal quantiles are one jump of F. */
function withinQuantiles(
  { forecast, actual }: ForecastCase,
  step: number,
  q: readonly number[],
): [number, number] {
  const values = forecast.quantiles.map((row) => row[step]);
  if (values.length === 0 || values.some(Number.isNaN)) return [Number.NaN, Number.NaN];
  const below = values.findLastIndex((value) => value < actual[step]);
  const above = values.findIndex((value) => value > actual[step]);
  return [below < 0 ? 0 : q[below], above < 0 ? 1 : q[above]];
}
