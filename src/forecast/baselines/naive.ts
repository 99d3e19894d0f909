// Baselines without a season: the last value, the last value plus the mean slope, and the mean of the last values.

import { UserError } from "../../issues.ts";
import { mean } from "../../math/statistics.ts";
import type { Forecaster } from "../types.ts";
import {
  type BaselineOptions,
  baseline,
  type FittedPointForecast,
  type PointForecast,
  residualDeviation,
} from "./baseline.ts";

/** Repeats the last observed value. Standard deviation σ √h, with h counted from that value. */
export function naive(options?: BaselineOptions): Forecaster {
  return baseline("Naive", () => naiveForecast, options);
}

/** Extends the line from the first to the last observed value. Standard deviation σ √(h (1 + h / (T − 1))). */
export function drift(options?: BaselineOptions): Forecaster {
  return baseline("Drift", () => driftForecast, options);
}

/**
 * The mean of the last `window` values. Default: a season, at least 2. Standard deviation σ at all steps. If the series has
 * no more than `window` values: σ √(1 + 1 / T), with σ the standard deviation of the values around their mean.
 */
export function windowAverage({
  window,
  ...options
}: BaselineOptions & { readonly window?: number } = {}): Forecaster {
  if (window !== undefined && !(Number.isInteger(window) && window >= 1)) {
    const message = `must be a whole number above 0 for WindowAverage, got ${window}`;
    throw new UserError([{ path: "window", code: "range", message }]);
  }
  return baseline(
    "WindowAverage",
    () => (past, horizon, season) => averageForecast(past, horizon, window ?? Math.max(2, season)),
    options,
  );
}

/** The naive forecast, which other baselines use as a fallback. */
export function naiveForecast(past: Float64Array, horizon: number): FittedPointForecast {
  const last = past.findLastIndex(Number.isFinite);
  const residuals = laggedDifferences(past, 1);
  const deviation = residualDeviation(residuals);
  return {
    point: new Float64Array(horizon).fill(past[last]),
    standardDeviations: mapSteps(horizon, (h) => deviation * Math.sqrt(h + past.length - 1 - last)),
    residuals,
    degreesOfFreedom: residuals.length,
  };
}

/** The naive forecast in place of a method that cannot be fitted to this past. */
export function substitute(past: Float64Array, horizon: number): PointForecast {
  return { ...naiveForecast(past, horizon), isSubstitute: true };
}

/** Mean slope from the first to the last observed value; 0 if there is only one. */
export function meanSlope(past: Float64Array): number {
  const first = past.findIndex(Number.isFinite);
  const last = past.findLastIndex(Number.isFinite);
  return last > first ? (past[last] - past[first]) / (last - first) : 0;
}

/** Differences of observed values that are `lag` steps apart. */
export function laggedDifferences(past: Float64Array, lag: number): number[] {
  const all = Array.from(past.subarray(lag), (value, t) => value - past[t]);
  return all.filter(Number.isFinite);
}

/** Array of a function of the step ahead, h = 1 … horizon. */
export function mapSteps(horizon: number, valueAt: (h: number) => number): Float64Array {
  return Float64Array.from({ length: horizon }, (_, i) => valueAt(i + 1));
}

function driftForecast(past: Float64Array, horizon: number): PointForecast {
  const first = past.findIndex(Number.isFinite);
  const last = past.findLastIndex(Number.isFinite);
  const slope = meanSlope(past);
  const residuals = laggedDifferences(past, 1).map((difference) => difference - slope);
  // Two values determine a slope but no residual, so the slope itself is used as the standard deviation.
  const deviation = residuals.length > 1 ? residualDeviation(residuals, 1) : Math.abs(slope);
  const ahead = (h: number) => h + past.length - 1 - last;
  return {
    point: mapSteps(horizon, (h) => past[last] + slope * ahead(h)),
    standardDeviations: mapSteps(
      horizon,
      (h) => deviation * Math.sqrt(ahead(h) * (1 + ahead(h) / (last - first || 1))),
    ),
    residuals,
    degreesOfFreedom: residuals.length - 1,
  };
}

function averageForecast(past: Float64Array, horizon: number, window: number): PointForecast {
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
  // Summed again, because the running sum accumulates rounding errors.
  const average = mean(observed.subarray(-size));
  const point = new Float64Array(horizon).fill(average);
  const constant = (deviation: number) => new Float64Array(horizon).fill(deviation);
  if (residuals.length > 0) {
    return {
      point,
      standardDeviations: constant(residualDeviation(residuals)),
      residuals,
      degreesOfFreedom: residuals.length,
    };
  }
  // All values lie in one window, so the residuals are the deviations from their mean.
  const fromMean = Array.from(observed, (value) => value - average);
  const deviation = residualDeviation(fromMean, 1) * Math.sqrt(1 + 1 / size);
  return { point, standardDeviations: constant(deviation), residuals: fromMean, degreesOfFreedom: size - 1 };
}
