// Calibrated intervals of a proxy's predictions. A proxy is too sure of itself where it has seen nothing, and proposals are
// chosen where it is most favourable. So intervals follow the errors of earlier proposals, which were predicted before
// they were scored: the interval of a prediction with mean μ and deviation s is μ ± a s, where a is a quantile of the
// standardised errors |y − μ| / s of the latest proposals, times a factor. Before the first proposals the errors are those on strings that the
// members did not see, of those with the highest predictions, because proposals will be like these. Sixteen quantiles of the
// normal distribution, as which s is meant, are always among the errors.
//
// All proposals of a round come from the same fit, so they err together, and the rounds before tell little about the sign or the
// size of the next common error. So the factor adapts: it grows after a round whose intervals held too few scores, and shrinks
// after one whose intervals held too many, so that over the rounds they hold the share that they should (online conformal
// inference; Gibbs and Candès 2021, and Angelopoulos, Candès and Tibshirani 2023).

import { normalQuantile } from "../math/normal-distribution.ts";
import { mean, median, quantileOfSorted, variance } from "../math/statistics.ts";
import { type Moments, momentsOf, type ProxyData, type ScoreProxy } from "./proxy.ts";

/** A prediction that was made before the score was known. */
export interface ScoredPrediction {
  readonly mean: number;
  readonly deviation: number;
  readonly score: number;
}

/** A prediction whose interval has met its score. */
export interface JudgedPrediction extends ScoredPrediction {
  readonly isInside: boolean;
}

/** How wide intervals are. */
export interface Calibration {
  /** Half the width of an interval, in deviations. */
  readonly halfWidth: number;
  /** Factor from a deviation to that of a normal distribution with an interval as wide as this one. */
  readonly factor: number;
}

/** Share of scores that an interval holds. */
export const COVERAGE = 0.8;
/** Fewest proposals that decide without unseen strings, and the most that are used, the latest. */
const [FEWEST, MOST] = [16, 200];
/** Share of the unseen strings that decide, those with the highest predictions. */
const HIGHEST = 0.25;
/** Errors that are as likely as each other if deviations are right. */
const PRIOR = Array.from({ length: 16 }, (_, i) => Math.abs(normalQuantile((i + 0.5) / 16)));
/** By how much the logarithm of the factor changes for the share of the scores that intervals held too few. */
const GAIN = 2;
/** A round of this many proposals changes the factor half as much as a large one. */
const HALF_TRUST = 16;
/** The largest factor, and the inverse of the smallest. */
const MOST_FACTOR = 4;
/** Widens intervals by a share of the deviation, so that a score on an end is inside whatever its rounding. */
const ROUNDING = 1e-9;
/** Half the width of the interval of a standard normal number that holds `COVERAGE`. */
const NORMAL_HALF_WIDTH = 1.2816;

/** The moments of predictions: the deviation has the disagreement of the members, and the error that all of them make. */
export function predictiveMoments(members: readonly Float64Array[], error: number): Moments {
  const { mean: means, deviation } = momentsOf(members);
  return { mean: means, deviation: deviation.map((own) => Math.sqrt(own * own + error)) };
}

/** Squared errors count up to this many times the median of those that are not 0. */
const MOST_ERROR = 100;

/** Errors below this share of the deviation of the scores are rounding. */
const LEAST_ERROR = 1e-6;

/** The mean squared error of a proxy on strings that its members did not see, but never 0. A few extreme errors count only
 * as large ones. */
export function unseenError(
  { outOfFold }: Pick<ScoreProxy, "outOfFold">,
  { scores }: Pick<ProxyData, "scores">,
): number {
  const squares = outOfFold.map((value, i) => (value - scores[i]) ** 2);
  const most = MOST_ERROR * median(squares.filter((square) => square > 0));
  const counted = squares.map((square) => (square > most ? most : square));
  return Math.max(mean(counted), LEAST_ERROR ** 2 * variance(scores), Number.MIN_VALUE);
}

/** The calibration from the proposals of earlier rounds, the first round first, or from unseen strings. */
export function calibrate(
  rounds: readonly (readonly JudgedPrediction[])[],
  unseen: readonly ScoredPrediction[],
): Calibration {
  const proposals = rounds.flat();
  const highest = unseen.toSorted((a, b) => b.mean - a.mean).slice(0, Math.ceil(HIGHEST * unseen.length));
  const used = proposals.length >= FEWEST ? proposals.slice(-MOST) : [...highest, ...proposals];
  const errors = used.map(({ mean, deviation, score }) => Math.abs(score - mean) / deviation);
  const sorted = [...errors, ...PRIOR].sort((a, b) => a - b);
  const halfWidth = adaptedFactor(rounds) * quantileOfSorted(sorted, COVERAGE) + ROUNDING;
  return { halfWidth, factor: halfWidth / NORMAL_HALF_WIDTH };
}

/** The factor with which intervals hold their share of the scores on average over the rounds. */
function adaptedFactor(rounds: readonly (readonly JudgedPrediction[])[]): number {
  const most = Math.log(MOST_FACTOR);
  let logarithm = 0;
  for (const round of rounds) {
    const held = round.filter(({ isInside }) => isInside).length;
    logarithm += (GAIN * (COVERAGE * round.length - held)) / (round.length + HALF_TRUST);
    logarithm = Math.min(Math.max(logarithm, -most), most);
  }
  return Math.exp(logarithm);
}
