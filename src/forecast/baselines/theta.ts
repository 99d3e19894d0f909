// The Theta method (Assimakopoulos and Nikolopoulos, 2000), the best classical method of the M3 competition, in the form of
// Hyndman and Billah (2003): exponential smoothing with half the slope of the regression line as drift.

import { mean } from "../../math/statistics.ts";
import type { Forecaster } from "../types.ts";
import { type BaselineMethod, type BaselineOptions, baseline, residualDeviation } from "./baseline.ts";
import { mapSteps, substitute } from "./naive.ts";
import { observedPart, withoutGaps } from "./observed-part.ts";
import { hasSeason, type SeasonalIndices, seasonalIndices } from "./seasonal-indices.ts";
import { fitSmoothing } from "./simple-smoothing.ts";

/** Fewer values than this determine neither slope nor smoothing, so that the forecast is the naive one. */
const FEWEST_VALUES = 4;

/**
 * The Theta method. A season that the autocorrelation shows (|r_m| above 1.645 standard errors) is removed by classical
 * decomposition, multiplicative if all values are above 0, and added again. Standard deviation σ √(1 + (h − 1) α²), with σ
 * that of the one-step-ahead errors.
 */
export function theta(options?: BaselineOptions): Forecaster {
  return baseline("Theta", () => thetaForecast, options);
}

const thetaForecast: BaselineMethod = (past, horizon, season) => {
  const { values, gap, isConstant } = observedPart(past);
  if (isConstant || values.length < FEWEST_VALUES) return substitute(past, horizon);
  const filled = withoutGaps(values);
  const indices = hasSeason(filled, season) ? seasonalIndices(filled, season) : null;
  const adjusted = indices ? filled.map((value, t) => indices.remove(value, t)) : filled;
  const { alpha, levels } = fitSmoothing(adjusted);
  const slope = regressionSlope(adjusted) / 2;
  // Steps that the level lags behind a line: Σ (1 − α)^i for i < t.
  const lag = (t: number) => (alpha > 1e-10 ? (1 - (1 - alpha) ** t) / alpha : t);
  const errors = Array.from(adjusted, (value, t) => value - levels[t] - slope * lag(t));
  const residuals = errors.flatMap((error, t) =>
    Number.isNaN(values[t]) ? [] : [scaled(error, indices, t)],
  );
  // Fitted are the slope and α, and the phases of the season.
  const fitted = 2 + (indices ? season - 1 : 0);
  const degreesOfFreedom = Math.max(1, residuals.length - fitted);
  const deviation =
    residualDeviation(errors.filter((_, t) => !Number.isNaN(values[t]))) *
    Math.sqrt(residuals.length / degreesOfFreedom);
  const end = adjusted.length;
  const line = mapSteps(horizon, (h) => levels[end] + slope * (h + gap - 1 + lag(end)));
  const spread = mapSteps(horizon, (h) => deviation * Math.sqrt(1 + (h + gap - 1) * alpha * alpha));
  const at = (i: number) => end + gap + i;
  return {
    point: indices ? line.map((value, i) => indices.restore(value, at(i))) : line,
    standardDeviations: spread.map((value, i) => scaled(value, indices, at(i))),
    residuals,
    degreesOfFreedom,
  };
};

/** A deviation of the seasonally adjusted series as a deviation of the series. */
function scaled(deviation: number, indices: SeasonalIndices | null, t: number): number {
  return indices ? indices.restore(deviation, t) - indices.restore(0, t) : deviation;
}

/** Slope of the least-squares line. */
function regressionSlope(values: Float64Array): number {
  const centre = (values.length - 1) / 2;
  const average = mean(values);
  let [products, squares] = [0, 0];
  values.forEach((value, t) => {
    products += (t - centre) * (value - average);
    squares += (t - centre) ** 2;
  });
  return products / squares;
}
