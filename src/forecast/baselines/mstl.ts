// MSTL with exponential smoothing: seasons are removed by local regression, and the best ETS model smooths the remainder.

import { UserError } from "../../issues.ts";
import { normalQuantile } from "../../math/normal-distribution.ts";
import type { Forecaster } from "../types.ts";
import { loadSmoother, type Smoother } from "./augurs.ts";
import { type BaselineMethod, type BaselineOptions, baseline, type PointForecast } from "./baseline.ts";
import { naiveForecast } from "./naive.ts";

const LEVEL = 0.8;

/** Options of `mstlEts`. */
export interface MstlOptions extends BaselineOptions {
  /** Several seasons, shortest first. Default: the season of the panel. */
  readonly seasons?: readonly number[];
}

/**
 * MSTL with automatic exponential smoothing. The standard deviations come from the intervals of the smoothing, widened by
 * √(T / (T − season)), because these intervals ignore the estimation error of the season. A series that is constant,
 * shorter than two seasons, or without a fitting ETS model gets the naive forecast. Seasons that are longer than half the
 * series are ignored.
 */
export function mstlEts({ seasons, ...options }: MstlOptions = {}): Forecaster {
  for (const season of seasons ?? []) {
    if (!Number.isInteger(season) || season < 2) {
      const message = `must be whole numbers above 1 for MSTL-ETS, got ${season}`;
      throw new UserError([{ path: "seasons", code: "range", message }]);
    }
  }
  const load = async (): Promise<BaselineMethod> => {
    const smooth = await loadSmoother();
    return (past, horizon, season) => mstlForecast(smooth, past, horizon, seasons ?? [season]);
  };
  return baseline("MSTL-ETS", load, options);
}

function mstlForecast(
  smooth: Smoother,
  past: Float64Array,
  horizon: number,
  seasons: readonly number[],
): PointForecast {
  // Missing values at both ends are cut off; the trailing ones are forecast and dropped.
  const first = past.findIndex(Number.isFinite);
  const gap = past.length - 1 - past.findLastIndex(Number.isFinite);
  const trimmed = past.subarray(first, past.length - gap);
  const observed = trimmed.filter(Number.isFinite);
  const usable = seasons.filter((season) => season >= 2 && trimmed.length >= 2 * season);
  if (usable.length === 0 || observed.every((value) => value === observed[0])) {
    return naiveForecast(past, horizon);
  }
  const smoothed = smooth(trimmed, usable, horizon + gap, LEVEL);
  if (!smoothed) return naiveForecast(past, horizon);
  const { point, lower, upper, fitted } = smoothed;
  const residuals = Array.from(trimmed, (value, t) => value - fitted[t]).filter(Number.isFinite);
  const width = 2 * normalQuantile((1 + LEVEL) / 2);
  // Each phase of a season is one fitted parameter.
  const degreesOfFreedom = Math.max(1, residuals.length - usable.reduce((sum, season) => sum + season, 0));
  const widening = Math.sqrt(Math.max(1, residuals.length) / degreesOfFreedom);
  return {
    point: Float64Array.from(point.slice(gap)),
    standardDeviations: Float64Array.from(
      upper.slice(gap),
      (bound, i) => (widening * (bound - lower[gap + i])) / width,
    ),
    residuals,
    degreesOfFreedom,
  };
}
