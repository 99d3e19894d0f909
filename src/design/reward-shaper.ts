// From the scores of a design run to its rewards. The scale and a chosen exponent follow the scored strings until two
// thirds of the budget are spent; then they are frozen, so that the last third of the run has a fixed target.

import { logReward } from "../gfn/reward/reward.ts";
import {
  type ChosenExponent,
  chooseExponent,
  type Goal,
  type Scale,
  type ScoreScaling,
  scoreScaling,
} from "../oracle/reward-shaping.ts";

/** How scores become rewards. */
export interface ShapingOptions {
  readonly goal: Goal;
  /** Default: none if scores are maximised and none of them is negative, else min-max. */
  readonly scale?: Scale;
  readonly exponent: number | "auto";
  /** With `auto`: the exponent is chosen so that 1/Σp² over the scored strings is this number. */
  readonly effectiveStrings: number;
  /** Smallest reward, as a fraction of the largest. */
  readonly floor: number;
}

/** The reward that belongs to a set of scores. */
export interface ShapedReward {
  /** log R of a score. A score of −Infinity stands for a string that failed and counts as the floor. The exponent is
   * multiplied by `factor`, 1 by default. */
  logReward(score: number, factor?: number): number;
  readonly exponent: number;
  readonly scale: Scale;
  /** How the exponent was chosen; null if it was given. */
  readonly chosen: ChosenExponent | null;
}

/** The share of the budget after which scale and exponent are frozen. */
const FREEZE_AT = 2 / 3;

/**
 * The reward after these scores, in the order in which they arrived. `known` of them cost no calls. It depends on the
 * scores before the freeze alone, so a run that resumes has the same reward.
 */
export function shapeReward(
  scores: readonly number[],
  { known, budget }: { readonly known: number; readonly budget: number },
  options: ShapingOptions,
): ShapedReward {
  const frozenAfter = known + Math.max(1, Math.ceil(FREEZE_AT * budget));
  const used = scores.slice(0, frozenAfter).filter(Number.isFinite);
  const { goal, floor } = options;
  const scale =
    options.scale ?? (goal === "minimise" || used.some((score) => score < 0) ? "min-max" : "none");
  const scaling = used.length > 0 ? scoreScaling(used, { goal, scale }) : () => 1;
  // A negative score after the freeze is worse than all before it.
  const scaled: ScoreScaling = (score) =>
    score === Number.NEGATIVE_INFINITY || (scale === "none" && score < 0) ? 0 : scaling(score);
  const all = used.map(scaled);
  const largest = all.reduce((a, b) => Math.max(a, b), 0) || 1;
  const chosen =
    options.exponent === "auto" && all.length > 0
      ? chooseExponent(all, Math.min(options.effectiveStrings, all.length), floor)
      : null;
  const exponent = chosen?.exponent ?? (options.exponent === "auto" ? 1 : options.exponent);
  return {
    logReward: (score, factor = 1) => logReward(scaled(score), factor * exponent, floor, largest),
    exponent,
    scale,
    chosen,
  };
}
