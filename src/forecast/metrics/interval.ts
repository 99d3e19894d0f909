// How good central intervals are: how often they hold what comes, how wide they are, and both in one score.

import { type Case, type Measure, type Metric, meanOverCases, meanOverSteps } from "./case.ts";
import { missingQuantiles, quantilePlace } from "./quantile.ts";
import { meanOf } from "./scaled.ts";

/** The two quantiles that bound the central interval of a level in percent: 80 gives 0.1 and 0.9. */
export function boundsOf(level: number): [number, number] {
  if (!(level > 0 && level < 100)) {
    throw new RangeError(`boundsOf: a level must be between 0 and 100 percent, got ${level}`);
  }
  // Rounded, so that 80 is 0.1 and not 0.09999999999999998.
  const lower = Number(((100 - level) / 200).toFixed(12));
  return [lower, Number((1 - lower).toFixed(12))];
}

/** The Winkler score of an interval: its width, and 2/α times the distance by which y falls outside; α = 1 − level. */
export function winklerScore(level: number, lower: number, upper: number, actual: number): number {
  const penalty = 2 / (1 - level / 100);
  return upper - lower + penalty * (Math.max(0, lower - actual) + Math.max(0, actual - upper));
}

/** Coverage: share of the observed steps at which y is within the interval, bounds included. */
export function coverage(quantiles: readonly number[], level: number): Metric {
  return overIntervals(quantiles, level, (lower, upper, actual) => {
    // Told apart, as a comparison with NaN would say "outside".
    if (Number.isNaN(lower + upper)) return Number.NaN;
    return lower <= actual && actual <= upper ? 1 : 0;
  });
}

/** Width: mean of upper − lower over the observed steps. */
export function width(quantiles: readonly number[], level: number): Metric {
  return overIntervals(quantiles, level, (lower, upper) => upper - lower);
}

/** The mean Winkler score over the observed steps. */
export function winkler(quantiles: readonly number[], level: number): Metric {
  return overIntervals(quantiles, level, (lower, upper, actual) => winklerScore(level, lower, upper, actual));
}

/** Mean scaled interval score: of each forecast its mean Winkler score / mean |y_t − y_{t−m}| of its past; mean over forecasts. */
export function msis(quantiles: readonly number[], level: number): Metric {
  const [low, high] = boundsOf(level).map((q) => quantilePlace(quantiles, q));
  if (low < 0 || high < 0) return () => missingQuantiles(boundsOf(level));
  return (cases) =>
    meanOverCases(
      cases,
      "the past of the series is constant or too short to scale by",
      ({ actual, forecast, scale }, steps) => {
        const [lower, upper] = [forecast.quantiles[low], forecast.quantiles[high]];
        const score = meanOf(steps, (step) => winklerScore(level, lower[step], upper[step], actual[step]));
        return scale.absolute === null ? null : score / scale.absolute;
      },
    );
}

function overIntervals(
  quantiles: readonly number[],
  level: number,
  each: (lower: number, upper: number, actual: number) => number,
): Metric {
  const [low, high] = boundsOf(level).map((q) => quantilePlace(quantiles, q));
  return (cases: readonly Case[]): Measure => {
    if (low < 0 || high < 0) return missingQuantiles(boundsOf(level));
    return meanOverSteps(cases, ({ forecast, actual }, step) =>
      each(forecast.quantiles[low][step], forecast.quantiles[high][step], actual[step]),
    );
  };
}
