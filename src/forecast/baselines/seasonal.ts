// Baselines that repeat the last season, unchanged or with the mean slope added.

import type { Forecaster } from "../types.ts";
import {
  type BaselineOptions,
  baseline,
  type FittedPointForecast,
  type PointForecast,
  residualDeviation,
} from "./baseline.ts";
import { laggedDifferences, mapSteps, meanSlope, naiveForecast } from "./naive.ts";

/** Name of the seasonal naive forecast, the reference of skill scores. */
export const SEASONAL_NAIVE = "SeasonalNaive";

/**
 * Repeats the value one season earlier: y_{T+h−km} with the smallest k for which it is observed. Standard deviation σ √k,
 * with σ² the mean of (y_t − y_{t−m})²: each season ahead adds the same variance.
 */
export function seasonalNaive(options?: BaselineOptions): Forecaster {
  return baseline(SEASONAL_NAIVE, () => seasonalForecast, options);
}

/**
 * The seasonal naive forecast plus h times the mean slope from the first to the last observed value. Standard deviation
 * σ √k, with σ the standard deviation of its one-step-ahead errors.
 */
export function seasonalNaiveDrift(options?: BaselineOptions): Forecaster {
  return baseline("SeasonalNaiveDrift", () => seasonalDriftForecast, options);
}

function seasonalForecast(past: Float64Array, horizon: number, season: number): FittedPointForecast {
  const residuals = laggedDifferences(past, season);
  // No two observed values are a season apart, so there is no information about the season.
  if (residuals.length === 0) return naiveForecast(past, horizon);
  const deviation = residualDeviation(residuals);
  const back = mapSteps(horizon, (h) => seasonsBack(past, h, season));
  const last = naiveForecast(past, horizon);
  return {
    point: back.map((k, i) => (k > 0 ? past[past.length + i - k * season] : last.point[i])),
    standardDeviations: back.map((k, i) =>
      k > 0 ? deviation * Math.sqrt(k) : Math.max(deviation, last.standardDeviations[i]),
    ),
    residuals,
    degreesOfFreedom: residuals.length,
  };
}

function seasonalDriftForecast(past: Float64Array, horizon: number, season: number): PointForecast {
  const slope = meanSlope(past);
  const { point, standardDeviations, residuals } = seasonalForecast(past, horizon, season);
  const errors = residuals.map((residual) => residual - slope);
  const before = residualDeviation(residuals);
  // A single error leaves no degree of freedom beside the slope, so the standard deviation is not adjusted.
  const after = errors.length > 1 ? residualDeviation(errors, 1) : before;
  const ratio = before > 0 ? after / before : 0;
  return {
    point: point.map((value, i) => value + slope * (i + 1)),
    standardDeviations: standardDeviations.map((deviation) => deviation * ratio),
    residuals: errors,
    degreesOfFreedom: errors.length - 1,
  };
}

/** Number of seasons from step h back to an observed value; 0 if this phase was never observed. */
function seasonsBack(past: Float64Array, h: number, season: number): number {
  let k = Math.ceil(h / season);
  let t = past.length + h - 1 - k * season;
  while (t >= 0 && !Number.isFinite(past[t])) {
    k++;
    t -= season;
  }
  return t < 0 ? 0 : k;
}
