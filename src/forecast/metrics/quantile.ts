// How good quantiles are: the pinball loss, its weighted sum as GluonTS and Chronos report it, and CRPS from quantiles.

import {
  type Measure,
  type Metric,
  meanOverSteps,
  measure,
  NOTHING_OBSERVED,
  observedSteps,
} from "./case.ts";

/** The pinball loss of a quantile q forecast as f: (y − f) q where y is above, (f − y) (1 − q) where it is below. */
export function pinballLoss(q: number, forecast: number, actual: number): number {
  return actual >= forecast ? (actual - forecast) * q : (forecast - actual) * (1 - q);
}

/**
 * Weighted quantile loss, as GluonTS has it: mean over q of [ Σ 2 · pinball_q ] / Σ |y|, sums over all forecasts and steps.
 * @param quantiles of the forecasts, in their order.
 * @param chosen those of them that count, all by default.
 */
export function wql(quantiles: readonly number[], chosen: readonly number[] = quantiles): Metric {
  const places = chosen.map((q) => quantilePlace(quantiles, q));
  return (cases) => {
    if (places.includes(-1)) return missingQuantiles(chosen);
    if (places.length === 0) return { value: null, reason: "no quantiles were asked for" };
    let loss = 0;
    let size = 0;
    let count = 0;
    for (const one of cases) {
      for (const step of observedSteps(one)) {
        for (const place of places) {
          loss += 2 * pinballLoss(quantiles[place], one.forecast.quantiles[place][step], one.actual[step]);
        }
        size += Math.abs(one.actual[step]);
        count++;
      }
    }
    if (count === 0) return NOTHING_OBSERVED;
    if (size === 0) return { value: null, reason: "every target is zero" };
    return measure(loss / places.length / size);
  };
}

/**
 * CRPS from quantiles: 2 ∫ pinball_q dq, each quantile standing for the probabilities that it is nearest to.
 * Exact in the limit of many quantiles; with few, what lies in the tails is guessed from the outermost ones.
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

/** The mean CRPS from quantiles over all observed steps. */
export function quantileCrps(quantiles: readonly number[]): Metric {
  return (cases): Measure => {
    if (quantiles.length === 0) return { value: null, reason: "no quantiles were asked for" };
    return meanOverSteps(cases, ({ forecast, actual }, step) =>
      crpsOfQuantiles(
        quantiles,
        forecast.quantiles.map((values) => values[step]),
        actual[step],
      ),
    );
  };
}

/** Where a quantile is among others, up to rounding; −1 if it is not. */
export function quantilePlace(quantiles: readonly number[], wanted: number): number {
  return quantiles.findIndex((q) => Math.abs(q - wanted) < 1e-9);
}

/** That a metric cannot be had without certain quantiles. */
export function missingQuantiles(wanted: readonly number[]): Measure {
  const names = wanted.map((q) => Number(q.toFixed(9))).join(", ");
  return { value: null, reason: `the forecasts do not have all of the quantiles ${names}` };
}
