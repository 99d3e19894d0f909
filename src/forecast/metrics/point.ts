// Errors of point forecasts: absolute and in percent of the actual values, of the median; squared, of the mean. Each of the
// two is the best forecast for its errors.

import type { ForecastCase } from "./forecast-case.ts";
import {
  addSteps,
  meanOfSteps,
  meanOverSteps,
  NO_OBSERVATIONS,
  type SummedMetric,
  summedMetric,
} from "./summed-metric.ts";

/** Mean absolute error of the median: mean |y − f| over all observed steps. */
export const mae: SummedMetric = meanOverSteps(absoluteErrorAt);

/** Root mean squared error of the mean: √ mean (y − f)² over all observed steps. */
export const rmse: SummedMetric = summedMetric({
  names: ["steps", "total"],
  collect: (cases, sums, only) => addSteps(cases, sums, only, (one, step) => errorAt(one, step) ** 2),
  value(sums) {
    const mean = meanOfSteps(sums);
    return mean.value === null ? mean : { ...mean, value: Math.sqrt(mean.value) };
  },
});

/** Mean absolute percentage error of the median: 100 · mean |y − f| / |y|. Steps with y = 0 are skipped; the warning has their number. */
export const mape: SummedMetric = summedMetric({
  names: ["steps", "zeros", "total"],
  collect(cases, sums, only) {
    addSteps(cases, sums, only, (one, step) => {
      if (one.actual[step] !== 0) return absoluteErrorAt(one, step) / Math.abs(one.actual[step]);
      sums.zeros.add(1);
      return 0;
    });
  },
  value({ steps, zeros, total }) {
    if (steps === 0) return NO_OBSERVATIONS;
    if (zeros === steps) return { value: null, reason: "all actual values are zero" };
    const mean = meanOfSteps({ steps, total });
    if (mean.value === null) return mean;
    const value = (100 * mean.value * steps) / (steps - zeros);
    return zeros === 0
      ? { value }
      : { value, warning: `${zeros} of ${steps} actual values are zero and skipped` };
  },
});

/**
 * Symmetric percentage error of the median: 100 · mean 2 |y − f| / (|y| + |f|), from 0 to 200. The error is 0 if both are zero, and 200
 * if only one is zero; the warning has the number of steps with y = 0.
 */
export const smape: SummedMetric = summedMetric({
  names: ["steps", "zeros", "total"],
  collect(cases, sums, only) {
    addSteps(cases, sums, only, (one, step) => {
      if (one.actual[step] === 0) sums.zeros.add(1);
      const size = Math.abs(one.actual[step]) + Math.abs(medianAt(one, step));
      return size === 0 ? 0 : (200 * absoluteErrorAt(one, step)) / size;
    });
  },
  value({ steps, zeros, total }) {
    const mean = meanOfSteps({ steps, total });
    if (mean.value === null || zeros === 0) return mean;
    return { ...mean, warning: `${zeros} actual values are zero, where sMAPE is either 0 or 200` };
  },
});

/** Distance of the actual value from the median. */
export function absoluteErrorAt(one: ForecastCase, step: number): number {
  return Math.abs(one.actual[step] - medianAt(one, step));
}

function medianAt({ forecast: { mean, median = mean } }: ForecastCase, step: number): number {
  return median[step];
}

/** Actual value minus forecast mean. */
export function errorAt({ actual, forecast }: ForecastCase, step: number): number {
  return actual[step] - forecast.mean[step];
}
