// From scores to rewards: which end of the scale is good, how scores are scaled to 0 … 1, and an exponent that gives the
// target a stated number of strings.
//
// All functions are pure: they depend on the scores alone, not on their order.

import { UserError } from "../issues.ts";
import { bisect, firstIndexWhere } from "../math/bisection.ts";

/** Names of the directions. */
export const GOALS = ["maximise", "minimise"] as const;
/** Whether high or low scores are good. */
export type Goal = (typeof GOALS)[number];

/** Names of the ways to scale scores. */
export const SCALES = ["none", "min-max", "quantile"] as const;
/**
 * How scores become scaled scores, where higher is better: `none` takes them as they are, which must not be negative;
 * `min-max` maps the worst score to 0 and the best to 1; `quantile` is the share of scores that are worse.
 */
export type Scale = (typeof SCALES)[number];

/** How scores are scaled. */
export interface ScalingOptions {
  /** Default: maximise. */
  readonly goal?: Goal;
  /** Default: min-max. */
  readonly scale?: Scale;
}

/** Scales a score with respect to the scores that it was made from. */
export type ScoreScaling = (score: number) => number;

/**
 * The scaling that belongs to a set of scores. A score beyond the worst of them becomes 0. A score beyond the best is
 * extrapolated by `min-max`, and becomes 1 by `quantile`; between two scores `quantile` interpolates. If all scores are
 * equal, they become 1.
 */
export function scoreScaling(
  scores: readonly number[],
  { goal = "maximise", scale = "min-max" }: ScalingOptions = {},
): ScoreScaling {
  if (scores.length === 0) throw new UserError("there must be at least one score to scale by, got none");
  const sign = goal === "minimise" ? -1 : 1;
  switch (scale) {
    case "none":
      return unscaled(scores, goal);
    case "min-max": {
      const [worst, best] = range(scores.map((score) => sign * score));
      return (score) =>
        best === worst ? Number(sign * score >= best) : Math.max(0, (sign * score - worst) / (best - worst));
    }
    case "quantile": {
      const quantile = quantileScaling(scores.map((score) => sign * score));
      return (score) => quantile(sign * score);
    }
    default:
      return scale satisfies never;
  }
}

function unscaled(scores: readonly number[], goal: Goal): ScoreScaling {
  if (goal === "minimise") {
    throw new UserError("scores to minimise must be scaled by min-max or quantile, got the scale none");
  }
  const check = (score: number) => {
    if (score >= 0) return score;
    throw new UserError(`scores without a scale must not be negative, got ${score}; scale them by min-max`);
  };
  scores.forEach(check);
  return check;
}

function range(values: readonly number[]): [least: number, greatest: number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

/** The share of values below a value, relative to that of the greatest, so that it reaches from 0 to 1. */
function quantileScaling(values: readonly number[]): ScoreScaling {
  const sorted = Float64Array.from(values).sort();
  const levels: number[] = [];
  const below: number[] = [];
  for (const [i, value] of sorted.entries()) {
    if (i > 0 && value === sorted[i - 1]) continue;
    levels.push(value);
    below.push(i);
  }
  const most = below[below.length - 1];
  if (most === 0) return (value) => Number(value >= levels[0]);
  return (value) => {
    const at = firstIndexWhere(levels.length, (i) => levels[i] >= value);
    if (at === levels.length) return 1;
    if (at === 0 || levels[at] === value) return below[at] / most;
    const share = (value - levels[at - 1]) / (levels[at] - levels[at - 1]);
    return (below[at - 1] + share * (below[at] - below[at - 1])) / most;
  };
}

/** How scaled scores become rewards. */
export interface RewardShape {
  readonly exponent: number;
  /** Smallest reward, as a fraction of that of the largest scaled score. */
  readonly floor: number;
}

/** Rewards of scaled scores: max(u^β, floor · max u^β). */
export function shapedRewards(scaled: readonly number[], { exponent, floor }: RewardShape): number[] {
  const [, largest] = range(scaled);
  return scaled.map((score) => largest ** exponent * relativeReward(score, largest, exponent, floor));
}

/** The reward as a fraction of the largest, which does not overflow for any exponent. */
function relativeReward(score: number, largest: number, exponent: number, floor: number): number {
  return Math.max(largest > 0 ? (score / largest) ** exponent : 1, floor);
}

/** The effective number of strings of the target p ∝ reward: 1 / Σ p². */
export function effectiveNumber(scaled: readonly number[], { exponent, floor }: RewardShape): number {
  const [, largest] = range(scaled);
  let sum = 0;
  let squares = 0;
  for (const score of scaled) {
    const reward = relativeReward(score, largest, exponent, floor);
    sum += reward;
    squares += reward * reward;
  }
  return (sum * sum) / squares;
}

/** The exponents that `chooseExponent` may choose. */
export const EXPONENT_RANGE = { least: 0.1, most: 100 } as const;

/** An exponent that was chosen by the effective number of strings. */
export interface ChosenExponent {
  readonly exponent: number;
  /** The effective number of strings with this exponent. */
  readonly effective: number;
  /** False if no exponent in the range gives the number that was asked for; then the nearest one is chosen. */
  readonly isReached: boolean;
}

/**
 * The exponent β for which the target over the scored strings has a stated effective number of strings, 1 / Σ p² = N. A
 * higher exponent gives a smaller number.
 * @param scaled Scaled scores of all scored strings.
 */
export function chooseExponent(scaled: readonly number[], effective: number, floor: number): ChosenExponent {
  if (!(effective >= 1))
    throw new UserError(`the effective number of strings must be at least 1, got ${effective}`);
  const numberAt = (exponent: number) => effectiveNumber(scaled, { exponent, floor });
  const { least, most } = EXPONENT_RANGE;
  if (numberAt(least) <= effective) {
    return { exponent: least, effective: numberAt(least), isReached: numberAt(least) === effective };
  }
  if (numberAt(most) > effective) return { exponent: most, effective: numberAt(most), isReached: false };
  const [, exponent] = bisect(least, most, (middle) => numberAt(middle) > effective);
  return { exponent, effective: numberAt(exponent), isReached: true };
}
