// Forecasts that know no season: the last value, the last value and the mean slope, the mean of the last values.

import type { Forecaster } from "../types.ts";
import { type BaselineOptions, baseline, deviationOf, type Outlook } from "./baseline.ts";

/** The last observed value; deviation σ √h, h counted from it. */
export function naive(options?: BaselineOptions): Forecaster {
  return baseline("Naive", () => naiveOutlook, options);
}

/** On from the last observed value on the line from the first to it; deviation σ √(h (1 + h / (T − 1))). */
export function drift(options?: BaselineOptions): Forecaster {
  return baseline("Drift", () => driftOutlook, options);
}

/**
 * The mean of the last values, of a season (at least two) or of so many as given; deviation σ at all steps. Where there are no
 * more values than that, σ √(1 + 1 / T) with σ of the values about their mean.
 */
export function windowAverage({
  window,
  ...options
}: BaselineOptions & { readonly window?: number } = {}): Forecaster {
  if (window !== undefined && !(Number.isInteger(window) && window >= 1)) {
    throw new RangeError(`WindowAverage: the window must be a whole number above 0, got ${window}`);
  }
  return baseline(
    "WindowAverage",
    () => (past, horizon, season) => averageOutlook(past, horizon, window ?? Math.max(2, season)),
    options,
  );
}

/** The outlook of the last value, which others fall back to. */
export function naiveOutlook(past: Float64Array, horizon: number): Outlook {
  const last = past.findLastIndex(Number.isFinite);
  const residuals = differences(past, 1);
  const deviation = deviationOf(residuals);
  return {
    point: new Float64Array(horizon).fill(past[last]),
    deviations: steps(horizon, (h) => deviation * Math.sqrt(h + past.length - 1 - last)),
    residuals,
    freedom: residuals.length,
  };
}

/** The mean slope from the first observed value to the last; 0 of a single one. */
export function slopeOf(past: Float64Array): number {
  const first = past.findIndex(Number.isFinite);
  const last = past.findLastIndex(Number.isFinite);
  return last > first ? (past[last] - past[first]) / (last - first) : 0;
}

/** Differences of values so many steps apart, where both are observed. */
export function differences(past: Float64Array, lag: number): number[] {
  const all = Array.from(past.subarray(lag), (value, t) => value - past[t]);
  return all.filter(Number.isFinite);
}

/** An array of something at each step ahead, 1 first. */
export function steps(horizon: number, each: (h: number) => number): Float64Array {
  return Float64Array.from({ length: horizon }, (_, i) => each(i + 1));
}

function driftOutlook(past: Float64Array, horizon: number): Outlook {
  const first = past.findIndex(Number.isFinite);
  const last = past.findLastIndex(Number.isFinite);
  const slope = slopeOf(past);
  const residuals = differences(past, 1).map((difference) => difference - slope);
  // Two values tell a slope and no error of it: the change itself is taken for one.
  const deviation = residuals.length > 1 ? deviationOf(residuals, 1) : Math.abs(slope);
  const ahead = (h: number) => h + past.length - 1 - last;
  return {
    point: steps(horizon, (h) => past[last] + slope * ahead(h)),
    deviations: steps(horizon, (h) => deviation * Math.sqrt(ahead(h) * (1 + ahead(h) / (last - first || 1)))),
    residuals,
    freedom: residuals.length - 1,
  };
}

function averageOutlook(past: Float64Array, horizon: number, window: number): Outlook {
  const observed = past.filter(Number.isFinite);
  const size = Math.min(window, observed.length);
  const residuals: number[] = [];
  let sum = 0;
  for (let t = 0; t < observed.length; t++) {
    if (t >= size) {
      residuals.push(observed[t] - sum / size);
      sum -= observed[t - size];
    }
    sum += observed[t];
  }
  // Summed anew: the running sum has gathered rounding.
  const average = observed.subarray(-size).reduce((a, b) => a + b, 0) / size;
  const point = new Float64Array(horizon).fill(average);
  const all = (deviation: number) => new Float64Array(horizon).fill(deviation);
  if (residuals.length > 0) {
    return { point, deviations: all(deviationOf(residuals)), residuals, freedom: residuals.length };
  }
  // All values are in the one window: how they lie about their mean is what there is.
  const about = Array.from(observed, (value) => value - average);
  const deviation = deviationOf(about, 1) * Math.sqrt(1 + 1 / size);
  return { point, deviations: all(deviation), residuals: about, freedom: size - 1 };
}
