// The CRPS of forecasts, by the best description of their predictive distributions: sampled paths, a closed form, or
// quantiles.

import { crpsOfStep } from "../step-distribution.ts";
import type { ForecastCase, MetricValue } from "./forecast-case.ts";
import { quantileCrps } from "./quantile.ts";
import { hasPaths, sampleCrps } from "./sample-scores.ts";
import { addSteps, meanOfSteps, type SummedMetric, type Sums, summedMetric } from "./summed-metric.ts";

/**
 * Mean CRPS over all observed steps.
 * @param quantiles Quantiles of the forecasts, in order.
 * @param chosen Quantiles to use if a forecast has neither paths nor a distribution. They do not include the bounds of
 * intervals, because the CRPS must not depend on the levels that a user asks for.
 */
export function crps(quantiles: readonly number[], chosen: readonly number[]): SummedMetric {
  const fromQuantiles = quantileCrps(quantiles, chosen);
  return summedMetric({
    names: ["steps", "total", "cauchy", "quantiles"],
    collect(cases, sums, step) {
      const metric = metricFor(cases);
      if (metric === fromQuantiles) sums.quantiles.add(cases.length);
      const { steps, total, cauchy }: Partial<Sums> = metric.sums(cases, step);
      if (steps) sums.steps.addSum(steps);
      if (total) sums.total.addSum(total);
      if (cauchy) sums.cauchy.addSum(cauchy);
    },
    value(sums) {
      // Forecasts without the chosen quantiles have no CRPS, for a reason of its own.
      if (sums.quantiles > 0 && sums.steps === 0) return fromQuantiles([]);
      return meanOfDistributions(sums);
    },
  });

  function metricFor(cases: readonly ForecastCase[]): SummedMetric {
    if (cases.every(hasPaths)) return sampleCrps;
    return cases.every(({ forecast }) => forecast.distribution) ? distributionCrps : fromQuantiles;
  }
}

/** Mean CRPS of distributions in closed form. */
export const distributionCrps: SummedMetric = summedMetric({
  names: ["steps", "total", "cauchy"],
  collect(cases, sums, only) {
    addSteps(cases, sums, only, ({ forecast, actual }, step) =>
      crpsOfStep(forecast.distribution!, step, actual[step]),
    );
    sums.cauchy.add(cases.filter(isCauchy).length);
  },
  value: meanOfDistributions,
});

/** The mean, or the reason why there is none. `cauchy` is the number of distributions without a mean. */
function meanOfDistributions(sums: {
  readonly steps: number;
  readonly total: number;
  readonly cauchy: number;
}): MetricValue {
  const score = meanOfSteps(sums);
  return score.value === null && sums.cauchy > 0
    ? { value: null, reason: "a spread estimated from a single error gives a distribution without a mean" }
    : score;
}

function isCauchy({ forecast: { distribution } }: ForecastCase): boolean {
  return distribution?.kind === "student-t" && distribution.degreesOfFreedom === 1;
}
