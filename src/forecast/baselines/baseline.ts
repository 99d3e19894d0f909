// The common part of all baselines: turns a method for one series into a forecaster with quantiles.

import { UserError } from "../../issues.ts";
import { quantileOfSteps } from "../step-distribution.ts";
import type { Forecast, Forecaster, ForecastRequest, Panel, StepDistribution } from "../types.ts";

/** A point forecast of one series with its error statistics on the past. */
export interface PointForecast {
  readonly point: Float64Array; // [H]
  /** Standard deviation of the error at each step ahead. */
  readonly standardDeviations: Float64Array; // [H]
  /** One-step-ahead errors on the past. Without them the predictive distribution is not `empirical` but `gaussian`. */
  readonly residuals?: readonly number[];
  /** Number of errors that the standard deviations are computed from, minus the number of fitted parameters. */
  readonly degreesOfFreedom: number;
  /** Whether this is the naive forecast in place of the method, which cannot be fitted to this past. */
  readonly isSubstitute?: boolean;
}

/** A forecast of a method that knows its past errors. */
export type FittedPointForecast = PointForecast & Required<Pick<PointForecast, "residuals">>;

/**
 * Forecasts one target from its past. Missing values are NaN; at least one value is observed. `furtherSeasons` are longer
 * than the season.
 */
export type BaselineMethod = (
  past: Float64Array,
  horizon: number,
  season: number,
  furtherSeasons: readonly number[],
) => PointForecast;

/**
 * The predictive distribution around the point forecast. `gaussian`: a normal distribution with the standard deviation of
 * each step, or Student's t if it is estimated from fewer than 30 errors. `empirical`: the past residuals, scaled with the
 * growth of the standard deviation. `point`: the point forecast at every quantile, as in published results of the
 * seasonal naive forecast.
 */
export type PredictiveDistribution = "gaussian" | "empirical" | "point";

/** Options of all baselines. */
export interface BaselineOptions {
  /** Default: `gaussian`. */
  readonly predictiveDistribution?: PredictiveDistribution;
  /** Steps of a season. Default: the season of the panel. */
  readonly season?: number;
}

/** A forecaster that treats each target of each series separately. All work happens in `predict`, so `fit` needs no repeat. */
export function baseline(
  name: string,
  load: () => BaselineMethod | Promise<BaselineMethod>,
  { predictiveDistribution = "gaussian", season }: BaselineOptions = {},
): Forecaster {
  if (season !== undefined) checkPositiveInteger(name, "season", season);
  return {
    name,
    kind: "baseline",
    async fit() {
      const method = await load();
      return { predict: (panel, request) => predict(method, panel, request) };
    },
  };

  async function predict(
    method: BaselineMethod,
    panel: Panel,
    { horizon, quantiles, signal }: ForecastRequest,
  ): Promise<Forecast[]> {
    checkPositiveInteger(name, "horizon", horizon);
    const forecasts: Forecast[] = [];
    let lastPause = performance.now();
    for (const { id, targets } of panel.series) {
      // Yields to the event loop every 50 ms, so that an abort of the signal is noticed.
      if (performance.now() - lastPause > 50) {
        await new Promise((resolve) => setTimeout(resolve));
        lastPause = performance.now();
      }
      signal?.throwIfAborted();
      targets.forEach((past, i) => {
        if (!past.some(Number.isFinite)) {
          throw new UserError(
            `${name}: target ${panel.targets[i]} of series ${JSON.stringify(id)} must have an observed value, got none in ${past.length}`,
          );
        }
        const further = season === undefined ? (panel.furtherSeasons ?? []) : [];
        const forecast = method(past, horizon, season ?? panel.season, further);
        const distribution = stepDistribution(forecast, predictiveDistribution);
        forecasts.push({
          id,
          target: panel.targets[i],
          ...(forecast.isSubstitute && { isSubstitute: true }),
          ...{ mean: forecast.point, median: quantileOfSteps(distribution, 0.5) },
          quantiles: quantiles.map((q) => quantileOfSteps(distribution, q)),
          distribution,
        });
      });
    }
    return forecasts;
  }
}

/** The predictive distribution of each step. */
function stepDistribution(
  { point, standardDeviations, residuals, degreesOfFreedom }: PointForecast,
  distribution: PredictiveDistribution,
): StepDistribution {
  if (distribution === "gaussian" || (distribution === "empirical" && !residuals)) {
    return {
      ...{ kind: "student-t", location: point, scale: standardDeviations },
      // Without any past error all standard deviations are 0, so the degrees of freedom do not matter.
      degreesOfFreedom: Math.max(1, degreesOfFreedom),
    };
  }
  const errors =
    distribution === "empirical" && residuals ? Float64Array.from(residuals).sort() : new Float64Array();
  return {
    ...{ kind: "interpolated", location: point },
    // If the first standard deviation is 0, the residuals are not scaled.
    scale: standardDeviations.map((deviation) =>
      standardDeviations[0] > 0 ? deviation / standardDeviations[0] : 1,
    ),
    sorted: errors.length === 0 ? Float64Array.of(0) : errors,
  };
}

/** Standard deviation of residuals around zero: √( Σ e² / (n − fitted) ); 0 if n ≤ fitted. */
export function residualDeviation(residuals: readonly number[], fitted = 0): number {
  if (residuals.length <= fitted) return 0;
  return Math.sqrt(residuals.reduce((sum, e) => sum + e * e, 0) / (residuals.length - fitted));
}

function checkPositiveInteger(name: string, option: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    const message = `must be a whole number above 0 for ${name}, got ${value}`;
    throw new UserError([{ path: option, code: "range", message }]);
  }
}
