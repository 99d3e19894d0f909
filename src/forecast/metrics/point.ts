// Errors of point forecasts (the mean of a forecast): absolute, squared, and in percent of the actual values.

import type { ForecastCase, MetricValue } from "./forecast-case.ts";
import { meanOverSteps, NO_OBSERVATIONS, observedSteps } from "./forecast-case.ts";

/** Mean absolute error: mean |y − f| over all observed steps. */
export function mae(cases: readonly ForecastCase[]): MetricValue {
  return meanOverSteps(cases, (one, step) => Math.abs(errorAt(one, step)));
}

/** Root mean squared error: √ mean (y − f)² over all observed steps. */
export function rmse(cases: readonly ForecastCase[]): MetricValue {
  const mean = meanOverSteps(cases, (one, step) => errorAt(one, step) ** 2);
  return mean.value === null ? mean : { ...mean, value: Math.sqrt(mean.value) };
}

/** Mean absolute percentage error: 100 · mean |y − f| / |y|. Steps with y = 0 are skipped; the warning has their number. */
export function mape(cases: readonly ForecastCase[]): MetricValue {
  const zeros = countSteps(cases, (one, step) => one.actual[step] === 0);
  const all = countSteps(cases, () => true);
  if (all === 0) return NO_OBSERVATIONS;
  if (zeros === all) return { value: null, reason: "all actual values are zero" };
  const sum = meanOverSteps(cases, (one, step) =>
    one.actual[step] === 0 ? 0 : Math.abs(errorAt(one, step) / one.actual[step]),
  );
  if (sum.value === null) return sum;
  const value = (100 * sum.value * all) / (all - zeros);
  return zeros === 0
    ? { value }
    : { value, warning: `${zeros} of ${all} actual values are zero and skipped` };
}

/**
 * Symmetric percentage error: 100 · mean 2 |y − f| / (|y| + |f|), from 0 to 200. The error is 0 if both are zero, and 200
 * if only one is zero; the warning has the number of steps with y = 0.
 */
export function smape(cases: readonly ForecastCase[]): MetricValue {
  const zeros = countSteps(cases, (one, step) => one.actual[step] === 0);
  const mean = meanOverSteps(cases, (one, step) => {
    const size = Math.abs(one.actual[step]) + Math.abs(one.forecast.mean[step]);
    return size === 0 ? 0 : (200 * Math.abs(errorAt(one, step))) / size;
  });
  if (mean.value === null || zeros === 0) return mean;
  return { ...mean, warning: `${zeros} actual values are zero, where sMAPE is either 0 or 200` };
}

/** Actual value minus forecast mean. */
export function errorAt({ actual, forecast }: ForecastCase, step: number): number {
  return actual[step] - forecast.mean[step];
}

function countSteps(
  cases: readonly ForecastCase[],
  matches: (one: ForecastCase, step: number) => boolean,
): number {
  return cases.reduce((sum, one) => sum + observedSteps(one).filter((step) => matches(one, step)).length, 0);
}
