// The probability integral transform: the histogram of F(y), which is flat for calibrated forecasts.

import { type ForecastCase, observedSteps } from "./forecast-case.ts";
import { hasPaths } from "./sample-scores.ts";

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
  bins = 10,
): Float64Array | null {
  const histogram = new Float64Array(bins);
  let count = 0;
  for (const one of cases) {
    for (const step of observedSteps(one)) {
      const [from, to] = hasPaths(one) ? withinPaths(one, step) : withinQuantiles(one, step, quantiles);
      if (Number.isNaN(from)) continue;
      addUniformMass(histogram, from, to);
      count++;
    }
  }
  return count === 0 ? null : histogram.map((mass) => mass / count);
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

/** Adds one unit of mass, uniformly distributed between two probabilities. */
function addUniformMass(histogram: Float64Array, from: number, to: number): void {
  const bins = histogram.length;
  for (let bin = 0; bin < bins; bin++) {
    const overlap = Math.min(to, (bin + 1) / bins) - Math.max(from, bin / bins);
    if (overlap > 0) histogram[bin] += overlap / (to - from);
  }
}
