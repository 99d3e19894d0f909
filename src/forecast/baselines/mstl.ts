// MSTL with exponential smoothing: seasons are removed by local regression, and the best ETS model smooths the remainder.
// Without a season it is ETS.

import { UserError } from "../../issues.ts";
import { normalQuantile } from "../../math/normal-distribution.ts";
import type { Forecaster } from "../types.ts";
import { loadSmoother, type Smoother } from "./augurs.ts";
import { type BaselineMethod, type BaselineOptions, baseline, type PointForecast } from "./baseline.ts";
import { substitute } from "./naive.ts";
import { observedPart, withoutGaps } from "./observed-part.ts";

const LEVEL = 0.8;

/** Options of `mstlEts`. */
export interface MstlOptions extends BaselineOptions {
  /** Several seasons, shortest first. Default: the seasons of the panel. */
  readonly seasons?: readonly number[];
}

/**
 * MSTL with automatic exponential smoothing. The standard deviations come from the intervals of the smoothing, widened by
 * √(T / (T − season)), because these intervals ignore the estimation error of the season. Seasons that are longer than
 * half the series are ignored; where none is left, as on weekly and yearly data, ETS alone forecasts, and its distribution
 * is always gaussian. A series that is constant, or too short for any ETS model, gets the naive forecast.
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
    return (past, horizon, season, further) =>
      mstlForecast(smooth, past, horizon, seasons ?? [season, ...further]);
  };
  return baseline("MSTL-ETS", load, options);
}

function mstlForecast(
  smooth: Smoother,
  past: Float64Array,
  horizon: number,
  seasons: readonly number[],
): PointForecast {
  const { values, gap, isConstant } = observedPart(past);
  if (isConstant) return substitute(past, horizon);
  const usable = seasons.filter((season) => season >= 2 && values.length >= 2 * season);
  const smoothed = smooth(usable.length > 0 ? values : withoutGaps(values), usable, horizon + gap, LEVEL);
  if (!smoothed) return substitute(past, horizon);
  const { point, lower, upper, fitted } = smoothed;
  const observed = values.filter(Number.isFinite).length;
  // Each phase of a season is one fitted parameter; the trend of ETS has at most two besides the level.
  const parameters = usable.length > 0 ? usable.reduce((sum, season) => sum + season, 0) : 3;
  const degreesOfFreedom = Math.max(1, observed - parameters);
  const widening = usable.length > 0 ? Math.sqrt(observed / degreesOfFreedom) : 1;
  const width = 2 * normalQuantile((1 + LEVEL) / 2);
  return {
    point: Float64Array.from(point.slice(gap)),
    standardDeviations: Float64Array.from(
      upper.slice(gap),
      (bound, i) => (widening * (bound - lower[gap + i])) / width,
    ),
    residuals: fitted && Array.from(values, (value, t) => value - fitted[t]).filter(Number.isFinite),
    degreesOfFreedom,
  };
}
