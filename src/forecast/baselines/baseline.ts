// What every baseline does alike: from what a method expects of one series to a forecaster with quantiles.

import { studentQuantile } from "../student.ts";
import type { Forecast, Forecaster, ForecastRequest, Panel } from "../types.ts";

/** What a method expects of one series, and how far it was off in the past. */
export interface Outlook {
  readonly point: Float64Array; // [H]
  /** Standard deviation of the error at each step ahead. */
  readonly deviations: Float64Array; // [H]
  /** Errors one step ahead in the past. */
  readonly residuals: readonly number[];
  /** Errors that the deviations rest on, less what was fitted to them. */
  readonly freedom: number;
}

/** Of the past of one target, missing values NaN, at least one observed. */
export type Method = (past: Float64Array, horizon: number, season: number) => Outlook;

/**
 * Where quantiles come from. `gaussian`: a normal distribution of the method's deviation at each step, or Student's t where
 * fewer than 30 errors tell it. `empirical`: the past
 * residuals themselves, widened as the deviation grows. `point`: the point forecast at every quantile, as published numbers
 * of the seasonal naive forecast have it.
 */
export type Spread = "gaussian" | "empirical" | "point";

export interface BaselineOptions {
  /** `gaussian` by default. */
  readonly spread?: Spread;
  /** Steps of a season, the panel's by default. */
  readonly season?: number;
}

/** A forecaster that looks at each target of each series alone; all is done when it predicts, so it is never out of date. */
export function baseline(
  name: string,
  load: () => Method | Promise<Method>,
  { spread = "gaussian", season }: BaselineOptions = {},
): Forecaster {
  if (season !== undefined) checkCount(name, "season", season);
  return {
    name,
    async fit() {
      const method = await load();
      return { predict: (panel, request) => predict(method, panel, request) };
    },
  };

  async function predict(
    method: Method,
    panel: Panel,
    { horizon, quantiles, signal }: ForecastRequest,
  ): Promise<Forecast[]> {
    checkCount(name, "horizon", horizon);
    const forecasts: Forecast[] = [];
    let rested = performance.now();
    for (const { id, targets } of panel.series) {
      // Others get their turn now and then, so that a signal can come in.
      if (performance.now() - rested > 50) {
        await new Promise((resolve) => setTimeout(resolve));
        rested = performance.now();
      }
      signal?.throwIfAborted();
      targets.forEach((past, i) => {
        if (!past.some(Number.isFinite)) {
          throw new RangeError(
            `${name}: target ${panel.targets[i]} of series ${JSON.stringify(id)} must have an observed value, got none in ${past.length}`,
          );
        }
        const outlook = method(past, horizon, season ?? panel.season);
        forecasts.push({
          id,
          target: panel.targets[i],
          mean: outlook.point,
          quantiles: quantilesOf(outlook, quantiles, spread),
        });
      });
    }
    return forecasts;
  }
}

/** One array per quantile. */
export function quantilesOf(
  { point, deviations, residuals, freedom }: Outlook,
  quantiles: readonly number[],
  spread: Spread,
): Float64Array[] {
  if (spread === "point") return quantiles.map(() => point.slice());
  if (spread === "gaussian") {
    return quantiles.map((q) => {
      // Without any error all deviations are 0.
      const units = studentQuantile(q, Math.max(1, freedom));
      return point.map((value, step) => value + units * deviations[step]);
    });
  }
  const sorted = Float64Array.from(residuals).sort();
  // Without a first deviation there is nothing that grows.
  const growth = deviations.map((deviation) => (deviations[0] > 0 ? deviation / deviations[0] : 1));
  return quantiles.map((q) => {
    const error = sorted.length === 0 ? 0 : sampleQuantile(sorted, q);
    return point.map((value, step) => value + growth[step] * error);
  });
}

/** √( Σ e² / (n − fitted) ), the deviation of residuals about zero; 0 where there are not enough. */
export function deviationOf(residuals: readonly number[], fitted = 0): number {
  if (residuals.length <= fitted) return 0;
  return Math.sqrt(residuals.reduce((sum, e) => sum + e * e, 0) / (residuals.length - fitted));
}

/** A quantile of sorted values, between neighbours by straight lines. */
function sampleQuantile(sorted: Float64Array, q: number): number {
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

function checkCount(name: string, what: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`${name}: the ${what} must be a whole number above 0, got ${value}`);
  }
}
