// Forecasts that repeat the last season, as it is or moved on by the mean slope.

import type { Forecaster } from "../types.ts";
import { type BaselineOptions, baseline, deviationOf, type Outlook } from "./baseline.ts";
import { differences, naiveOutlook, slopeOf, steps } from "./naive.ts";

/** What skill is measured against. */
export const SEASONAL_NAIVE = "SeasonalNaive";

/**
 * The value one season before, and again: y_{T+h−km} with the smallest k that reaches an observed value.
 * Deviation σ √k, with σ² the mean square of y_t − y_{t−m}: each season ahead adds as much.
 */
export function seasonalNaive(options?: BaselineOptions): Forecaster {
  return baseline(SEASONAL_NAIVE, () => seasonalOutlook, options);
}

/**
 * The seasonal naive forecast plus h times the mean slope from the first observed value to the last (the sum of seasonal naive
 * and drift, less the last value). Deviation σ √k, with σ of the errors that this makes one step ahead.
 */
export function seasonalNaiveDrift(options?: BaselineOptions): Forecaster {
  return baseline("SeasonalNaiveDrift", () => seasonalDriftOutlook, options);
}

function seasonalOutlook(past: Float64Array, horizon: number, season: number): Outlook {
  const residuals = differences(past, season);
  // Where no two values are a season apart, nothing is known of the season.
  if (residuals.length === 0) return naiveOutlook(past, horizon);
  const deviation = deviationOf(residuals);
  const back = steps(horizon, (h) => seasonsBack(past, h, season));
  const last = naiveOutlook(past, horizon);
  return {
    point: back.map((k, i) => (k > 0 ? past[past.length + i - k * season] : last.point[i])),
    deviations: back.map((k, i) =>
      k > 0 ? deviation * Math.sqrt(k) : Math.max(deviation, last.deviations[i]),
    ),
    residuals,
    freedom: residuals.length,
  };
}

function seasonalDriftOutlook(past: Float64Array, horizon: number, season: number): Outlook {
  const slope = slopeOf(past);
  const { point, deviations, residuals } = seasonalOutlook(past, horizon, season);
  const errors = residuals.map((residual) => residual - slope);
  const before = deviationOf(residuals);
  // Of a single error nothing is left beside the slope: it is taken as it is.
  const after = errors.length > 1 ? deviationOf(errors, 1) : before;
  const ratio = before > 0 ? after / before : 0;
  return {
    point: point.map((value, i) => value + slope * (i + 1)),
    deviations: deviations.map((deviation) => deviation * ratio),
    residuals: errors,
    freedom: errors.length - 1,
  };
}

/** Seasons from step h ahead back to an observed value; 0 where none of this phase was observed. */
function seasonsBack(past: Float64Array, h: number, season: number): number {
  let k = Math.ceil(h / season);
  let t = past.length + h - 1 - k * season;
  while (t >= 0 && !Number.isFinite(past[t])) {
    k++;
    t -= season;
  }
  return t < 0 ? 0 : k;
}
