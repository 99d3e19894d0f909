// Errors in units of what the seasonal naive forecast does in the past of the series: comparable between series.

import { type Case, type Measure, meanOverCases, type SeriesScale } from "./case.ts";
import { errorAt } from "./point.ts";

const NO_SCALE = "the past of the series is constant or too short to scale by";

/**
 * How much a series moves from one season to the next, of what is known before the forecast:
 * mean |y_t − y_{t−m}| and mean (y_t − y_{t−m})² over the pairs of which both are observed.
 * As in GluonTS, a series that is not longer than one season is measured from step to step.
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
    return { absolute: null, squared: null, reason: `no two values a season of ${lag} apart are known` };
  }
  if (absolute === 0) return { absolute: null, squared: null, reason: "the past is constant" };
  return { absolute: absolute / count, squared: squared / count };
}

/** Mean absolute scaled error: of each forecast mean |y − f| / mean |y_t − y_{t−m}| of its past; mean over forecasts. */
export function mase(cases: readonly Case[]): Measure {
  return meanOverCases(cases, NO_SCALE, (one, steps) => {
    const { absolute } = one.scale;
    return absolute === null ? null : meanOf(steps, (step) => Math.abs(errorAt(one, step))) / absolute;
  });
}

/** Root mean squared scaled error: of each forecast √( mean (y − f)² / mean (y_t − y_{t−m})² ); mean over forecasts. */
export function rmsse(cases: readonly Case[]): Measure {
  return meanOverCases(cases, NO_SCALE, (one, steps) => {
    const { squared } = one.scale;
    return squared === null ? null : Math.sqrt(meanOf(steps, (step) => errorAt(one, step) ** 2) / squared);
  });
}

/** The mean of something over steps, of which there is at least one. */
export function meanOf(steps: readonly number[], each: (step: number) => number): number {
  return steps.reduce((sum, step) => sum + each(step), 0) / steps.length;
}
