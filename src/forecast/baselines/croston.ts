// Croston's method (1972) for intermittent demand: counts with many zeros.

import type { Forecaster } from "../types.ts";
import { type BaselineMethod, type BaselineOptions, baseline, residualDeviation } from "./baseline.ts";
import { substitute } from "./naive.ts";
import { smooth } from "./simple-smoothing.ts";

/** The smoothing share that Croston recommends and other libraries use. */
const ALPHA = 0.1;

/**
 * Croston's method: the smoothed size of the values above 0, divided by the smoothed number of steps from one to the next.
 * Both are smoothed with α = 0.1, from their first values. Standard deviation of the one-step-ahead errors at all steps. A
 * series with values below 0 is no demand and gets the naive forecast.
 */
export function croston(options?: BaselineOptions): Forecaster {
  return baseline("Croston", () => crostonForecast, options);
}

const crostonForecast: BaselineMethod = (past, horizon) => {
  const observed = past.filter(Number.isFinite);
  if (observed.some((value) => value < 0)) return substitute(past, horizon);
  const demands = Array.from(observed.keys()).filter((t) => observed[t] > 0);
  const point = new Float64Array(horizon);
  const rates = demandRates(observed, demands);
  if (demands.length > 0) point.fill(rates[demands.length - 1]);
  // The error of a step, by the rate after the last demand before it.
  const residuals: number[] = [];
  let seen = 0;
  observed.forEach((value, t) => {
    if (demands.length === 0) residuals.push(0);
    else if (seen > 0) residuals.push(value - rates[seen - 1]);
    if (demands[seen] === t) seen++;
  });
  if (residuals.length === 0) return substitute(past, horizon);
  return {
    point,
    standardDeviations: new Float64Array(horizon).fill(residualDeviation(residuals)),
    residuals,
    degreesOfFreedom: residuals.length,
  };
};

/** Smoothed size over smoothed interval, after each demand. */
function demandRates(observed: Float64Array, demands: readonly number[]): number[] {
  const sizes = demands.map((t) => observed[t]);
  const intervals = demands.map((t, i) => t - (demands[i - 1] ?? -1));
  const size = smooth(sizes, ALPHA, sizes[0]);
  const interval = smooth(intervals, ALPHA, intervals[0]);
  return demands.map((_, i) => size[i + 1] / interval[i + 1]);
}
