// Scaled errors: divided by the error of the seasonal naive forecast on the past of the series, so that series are
// comparable.

import type { SeriesScale } from "./forecast-case.ts";
import { absoluteErrorAt, errorAt } from "./point.ts";
import { meanOverCases, type SummedMetric } from "./summed-metric.ts";

/** Why a scaled metric is null. */
export const NO_SCALE = "the past of the series is constant or too short for a scale";

/**
 * Scale of a series before the forecast: mean |y_t − y_{t−m}| and mean (y_t − y_{t−m})² over the pairs with two observed
 * values. As in GluonTS, a series that is not longer than one season uses m = 1.
 */
export function seriesScale(past: Float64Array, season: number): SeriesScale {
  const lag = season < past.length ? season : 1;
  let absolute = 0;
  let squared = 0;
  let count = 0;
  for (let t = lag; t < past.length; t++) {
    const difference = past[t] - past[t - lag];
    if (!Number.isFinite(difference)) continue;
    absolute += Math.abs(difference);
    squared += difference * difference;
    count++;
  }
  if (count === 0) {
    return {
      absolute: null,
      squared: null,
      reason: `no two observed values are one season (lag ${lag}) apart`,
    };
  }
  if (absolute === 0) return { absolute: null, squared: null, reason: "the past is constant" };
  return { absolute: absolute / count, squared: squared / count };
}

/** Mean absolute scaled error of the median: mean over forecasts of mean |y − f| / mean |y_t − y_{t−m}| of their past. */
export const mase: SummedMetric = meanOverCases(NO_SCALE, (one, steps) => {
  const { absolute } = one.scale;
  return absolute === null ? null : meanOf(steps, (step) => absoluteErrorAt(one, step)) / absolute;
});

/** Root mean squared scaled error of the mean: mean over forecasts of √( mean (y − f)² / mean (y_t − y_{t−m})² ). */
export const rmsse: SummedMetric = meanOverCases(NO_SCALE, (one, steps) => {
  const { squared } = one.scale;
  return squared === null ? null : Math.sqrt(meanOf(steps, (step) => errorAt(one, step) ** 2) / squared);
});

/** Mean of a function of the step; there must be at least one step. */
export function meanOf(steps: readonly number[], valueAt: (step: number) => number): number {
  return steps.reduce((sum, step) => sum + valueAt(step), 0) / steps.length;
}
