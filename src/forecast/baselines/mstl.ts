// MSTL with exponential smoothing: seasons taken out by local regression, the rest smoothed by the best of the ETS family.

import { normalQuantile } from "../normal.ts";
import type { Forecaster } from "../types.ts";
import { loadSmoother, type Smoother } from "./augurs.ts";
import { type BaselineOptions, baseline, type Method, type Outlook } from "./baseline.ts";
import { naiveOutlook } from "./naive.ts";

const LEVEL = 0.8;

export interface MstlOptions extends BaselineOptions {
  /** Several seasons, shortest first, in place of one. */
  readonly seasons?: readonly number[];
}

/**
 * MSTL with automatic exponential smoothing. Deviations are those of the smoothing's own intervals, widened by
 * √(T / (T − season)), as they take the season for known.
 * A series that is constant, shorter than two seasons, or that no model can be fitted to gets the naive forecast; of several
 * seasons those count that the series has twice.
 */
export function mstlEts({ seasons, ...options }: MstlOptions = {}): Forecaster {
  for (const season of seasons ?? []) {
    if (!Number.isInteger(season) || season < 2) {
      throw new RangeError(`MSTL-ETS: a season must be a whole number above 1, got ${season}`);
    }
  }
  const load = async (): Promise<Method> => {
    const smooth = await loadSmoother();
    return (past, horizon, season) => mstlOutlook(smooth, past, horizon, seasons ?? [season]);
  };
  return baseline("MSTL-ETS", load, options);
}

function mstlOutlook(
  smooth: Smoother,
  past: Float64Array,
  horizon: number,
  seasons: readonly number[],
): Outlook {
  // What is missing at the ends could only be made up.
  const first = past.findIndex(Number.isFinite);
  const gap = past.length - 1 - past.findLastIndex(Number.isFinite);
  const known = past.subarray(first, past.length - gap);
  const observed = known.filter(Number.isFinite);
  const usable = seasons.filter((season) => season >= 2 && known.length >= 2 * season);
  if (usable.length === 0 || observed.every((value) => value === observed[0])) {
    return naiveOutlook(past, horizon);
  }
  const smoothed = smooth(known, usable, horizon + gap, LEVEL);
  if (!smoothed) return naiveOutlook(past, horizon);
  const { point, lower, upper, fitted } = smoothed;
  const residuals = Array.from(known, (value, t) => value - fitted[t]).filter(Number.isFinite);
  const width = 2 * normalQuantile((1 + LEVEL) / 2);
  // Each phase of a season was fitted to the values that the errors are of.
  const freedom = Math.max(1, residuals.length - usable.reduce((sum, season) => sum + season, 0));
  const widening = Math.sqrt(Math.max(1, residuals.length) / freedom);
  return {
    point: Float64Array.from(point.slice(gap)),
    deviations: Float64Array.from(
      upper.slice(gap),
      (bound, i) => (widening * (bound - lower[gap + i])) / width,
    ),
    residuals,
    freedom,
  };
}
