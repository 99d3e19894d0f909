// Metrics of central prediction intervals: coverage, width, and the Winkler score that combines both.

import { missingQuantiles, quantileIndex } from "./quantile.ts";
import { meanOf, NO_SCALE } from "./scaled.ts";
import { meanOverCases, meanOverSteps, type SummedMetric } from "./summed-metric.ts";

/** The two quantiles at the ends of the central interval of a level in percent: 0.1 and 0.9 for 80. */
export function intervalQuantiles(level: number): [number, number] {
  if (!(level > 0 && level < 100)) {
    throw new RangeError(`intervalQuantiles: a level must be between 0 and 100 percent, got ${level}`);
  }
  // Rounded, so that 80 gives 0.1 and not 0.09999999999999998.
  const lower = Number(((100 - level) / 200).toFixed(12));
  return [lower, Number((1 - lower).toFixed(12))];
}

/** The Winkler score of an interval: its width plus 2/α times the distance of y outside it; α = 1 − level / 100. */
export function winklerScore(level: number, lower: number, upper: number, actual: number): number {
  const penalty = 2 / (1 - level / 100);
  return upper - lower + penalty * (Math.max(0, lower - actual) + Math.max(0, actual - upper));
}

/** Coverage: share of the observed steps with y inside the interval or on its bounds. */
export function coverage(quantiles: readonly number[], level: number): SummedMetric {
  return overIntervals(quantiles, level, (lower, upper, actual) => {
    // A comparison with NaN would count the step as outside.
    if (Number.isNaN(lower + upper)) return Number.NaN;
    return lower <= actual && actual <= upper ? 1 : 0;
  });
}

/** Mean of upper − lower over the observed steps. */
export function intervalWidth(quantiles: readonly number[], level: number): SummedMetric {
  return overIntervals(quantiles, level, (lower, upper) => upper - lower);
}

/** Mean Winkler score over the observed steps. */
export function winkler(quantiles: readonly number[], level: number): SummedMetric {
  return overIntervals(quantiles, level, (lower, upper, actual) => winklerScore(level, lower, upper, actual));
}

/** Mean scaled interval score: mean over forecasts of their mean Winkler score / mean |y_t − y_{t−m}| of their past. */
export function msis(quantiles: readonly number[], level: number): SummedMetric {
  return withBounds(quantiles, level, (low, high) =>
    meanOverCases(NO_SCALE, ({ actual, forecast, scale }, steps) => {
      const [lower, upper] = [forecast.quantiles[low], forecast.quantiles[high]];
      const score = meanOf(steps, (step) => winklerScore(level, lower[step], upper[step], actual[step]));
      return scale.absolute === null ? null : score / scale.absolute;
    }),
  );
}

function overIntervals(
  quantiles: readonly number[],
  level: number,
  value: (lower: number, upper: number, actual: number) => number,
): SummedMetric {
  return withBounds(quantiles, level, (low, high) =>
    meanOverSteps(({ forecast, actual }, step) =>
      value(forecast.quantiles[low][step], forecast.quantiles[high][step], actual[step]),
    ),
  );
}

/** A metric of the two quantiles at the ends of an interval; null if the forecasts do not have them. */
function withBounds(
  quantiles: readonly number[],
  level: number,
  metric: (low: number, high: number) => SummedMetric,
): SummedMetric {
  const [low, high] = intervalQuantiles(level).map((q) => quantileIndex(quantiles, q));
  return low < 0 || high < 0 ? missingQuantiles(intervalQuantiles(level)) : metric(low, high);
}
