// Metrics of quantile forecasts: pinball loss, weighted quantile loss as in GluonTS and Chronos, and CRPS from quantiles.

import { observedSteps } from "./forecast-case.ts";
import {
  finiteValue,
  meanOverSteps,
  NO_OBSERVATIONS,
  type SummedMetric,
  summedMetric,
} from "./summed-metric.ts";

/**
 * The pinball loss of a forecast f of the quantile q: (y − f) q if y is above f, otherwise (f − y) (1 − q).
 *
 * @example
 * ```ts
 * import { metrics } from "gflownet/forecast";
 *
 * console.log(metrics.pinballLoss(0.9, 10, 12), metrics.pinballLoss(0.5, 10, 8)); // 1.8 1
 * ```
 */
export function pinballLoss(q: number, forecast: number, actual: number): number {
  return actual >= forecast ? (actual - forecast) * q : (forecast - actual) * (1 - q);
}

/**
 * Weighted quantile loss as in GluonTS: mean over q of [ Σ 2 · pinball_q ] / Σ |y|, with sums over all forecasts and steps.
 * @param quantiles Quantiles of the forecasts, in order.
 * @param chosen Quantiles to average over. Default: all.
 */
export function wql(quantiles: readonly number[], chosen: readonly number[] = quantiles): SummedMetric {
  const indices = chosen.map((q) => quantileIndex(quantiles, q));
  if (indices.includes(-1)) return missingQuantiles(chosen);
  if (indices.length === 0) return NO_QUANTILES;
  return summedMetric({
    names: ["steps", "loss", "size"],
    collect(cases, sums, only) {
      for (const one of cases) {
        const steps = observedSteps(one, only);
        for (const step of steps) {
          let loss = 0;
          for (const index of indices) {
            loss += 2 * pinballLoss(quantiles[index], one.forecast.quantiles[index][step], one.actual[step]);
          }
          sums.loss.add(loss);
          sums.size.add(Math.abs(one.actual[step]));
        }
        sums.steps.add(steps.length);
      }
    },
    value({ steps, loss, size }) {
      if (steps === 0) return NO_OBSERVATIONS;
      if (size === 0) return { value: null, reason: "all actual values are zero" };
      return finiteValue(loss / indices.length / size);
    },
  });
}

/**
 * CRPS from quantiles: 2 ∫ pinball_q dq, where each quantile represents the probabilities nearest to it. Exact in the
 * limit of many quantiles; with few, the outermost quantiles represent the tails.
 */
export function crpsOfQuantiles(
  quantiles: readonly number[],
  values: readonly number[],
  actual: number,
): number {
  return quantiles.reduce((sum, q, i) => {
    const from = i === 0 ? 0 : (quantiles[i - 1] + q) / 2;
    const to = i === quantiles.length - 1 ? 1 : (q + quantiles[i + 1]) / 2;
    return sum + 2 * (to - from) * pinballLoss(q, values[i], actual);
  }, 0);
}

/**
 * Mean CRPS from quantiles over all observed steps.
 * @param quantiles Quantiles of the forecasts, in order.
 * @param chosen Quantiles to compute it from, in order. Default: all.
 */
export function quantileCrps(
  quantiles: readonly number[],
  chosen: readonly number[] = quantiles,
): SummedMetric {
  const indices = chosen.map((q) => quantileIndex(quantiles, q));
  if (indices.length === 0) return NO_QUANTILES;
  if (indices.includes(-1)) return missingQuantiles(chosen);
  return meanOverSteps(({ forecast, actual }, step) =>
    crpsOfQuantiles(
      chosen,
      indices.map((index) => forecast.quantiles[index][step]),
      actual[step],
    ),
  );
}

/** Index of a quantile, up to rounding; −1 if it is missing. */
export function quantileIndex(quantiles: readonly number[], wanted: number): number {
  return quantiles.findIndex((q) => Math.abs(q - wanted) < 1e-9);
}

/** A metric that needs other quantiles, and so is always null. */
export function missingQuantiles(wanted: readonly number[]): SummedMetric {
  const names = wanted.map((q) => Number(q.toFixed(9))).join(", ");
  return noMetric(`the metric needs the quantiles ${names}, and the forecasts do not have all of them`);
}

const NO_QUANTILES = noMetric("the forecasts have no quantiles");

function noMetric(reason: string): SummedMetric {
  return summedMetric({ names: [], collect: () => {}, value: () => ({ value: null, reason }) });
}
