// The probability integral transform: the histogram of F(y), flat where forecasts are calibrated.

import { type Case, observedSteps } from "./case.ts";
import { hasPaths } from "./ensemble.ts";

/**
 * Histogram of F(y) over all observed steps, as shares that sum to 1; null where nothing was observed.
 *
 * Of paths or quantiles F is known in steps only: that F(y) is between a and b. Its mass is spread evenly over [a, b], which
 * needs no random numbers and is flat in expectation for calibrated forecasts (the non-randomised form for counts).
 * A ∪ shape says too narrow, a ∩ shape too wide, a slope biased.
 */
export function pitHistogram(
  cases: readonly Case[],
  quantiles: readonly number[],
  bins = 10,
): Float64Array | null {
  const histogram = new Float64Array(bins);
  let count = 0;
  for (const one of cases) {
    for (const step of observedSteps(one)) {
      const [from, to] = hasPaths(one) ? withinPaths(one, step) : withinQuantiles(one, step, quantiles);
      if (Number.isNaN(from)) continue;
      spread(histogram, from, to);
      count++;
    }
  }
  return count === 0 ? null : histogram.map((mass) => mass / count);
}

/** The shares of paths below y, and below or at y; one path more is thought to stand evenly in between. */
function withinPaths({ forecast, actual }: Case, step: number): [number, number] {
  const values = forecast.paths!.map((path) => path[step]);
  if (values.some(Number.isNaN)) return [Number.NaN, Number.NaN];
  const below = values.filter((value) => value < actual[step]).length;
  const upTo = values.filter((value) => value <= actual[step]).length;
  // n draws cut the line into n + 1 parts of equal probability, and y is in one of them.
  return [below / (values.length + 1), (upTo + 1) / (values.length + 1)];
}

/** The nearest quantiles at or below and above y; several of one value are one jump of F. */
function withinQuantiles({ forecast, actual }: Case, step: number, q: readonly number[]): [number, number] {
  const values = forecast.quantiles.map((row) => row[step]);
  if (values.length === 0 || values.some(Number.isNaN)) return [Number.NaN, Number.NaN];
  const below = values.findLastIndex((value) => value < actual[step]);
  const above = values.findIndex((value) => value > actual[step]);
  return [below < 0 ? 0 : q[below], above < 0 ? 1 : q[above]];
}

/** One unit of mass spread evenly from one probability to a higher one. */
function spread(histogram: Float64Array, from: number, to: number): void {
  const bins = histogram.length;
  for (let bin = 0; bin < bins; bin++) {
    const overlap = Math.min(to, (bin + 1) / bins) - Math.max(from, bin / bins);
    if (overlap > 0) histogram[bin] += overlap / (to - from);
  }
}
