// The CRPS of forecasts, by the best description of their predictive distributions: sampled paths, a closed form, or
// quantiles.

import { crpsOfStep } from "../step-distribution.ts";
import { type ForecastCase, type Metric, type MetricValue, meanOverSteps } from "./forecast-case.ts";
import { quantileCrps } from "./quantile.ts";
import { hasPaths, sampleCrps } from "./sample-scores.ts";

/**
 * Mean CRPS over all observed steps.
 * @param quantiles Quantiles of the forecasts, in order.
 * @param chosen Quantiles to use if a forecast has neither paths nor a distribution. They do not include the bounds of
 * intervals, because the CRPS must not depend on the levels that a user asks for.
 */
export function crps(quantiles: readonly number[], chosen: readonly number[]): Metric {
  const fromQuantiles = quantileCrps(quantiles, chosen);
  return (cases) => {
    if (cases.every(hasPaths)) return sampleCrps(cases);
    return cases.every(({ forecast }) => forecast.distribution)
      ? distributionCrps(cases)
      : fromQuantiles(cases);
  };
}

/** Mean CRPS of distributions in closed form. */
export function distributionCrps(cases: readonly ForecastCase[]): MetricValue {
  const score = meanOverSteps(cases, ({ forecast, actual }, step) =>
    crpsOfStep(forecast.distribution!, step, actual[step]),
  );
  const isCauchy = ({ forecast: { distribution } }: ForecastCase) =>
    distribution?.kind === "student-t" && distribution.degreesOfFreedom === 1;
  return score.value === null && cases.some(isCauchy)
    ? { value: null, reason: "a spread estimated from a single error gives a distribution without a mean" }
    : score;
}
