// Held-out objects: objects with known rewards that training did not use. Where the objects cannot be enumerated, the
// log-probabilities that a policy gives them tell a good policy from a bad one.

import { RandomStream } from "../../engine/index.ts";
import { pearson, regressionSlope, spearman } from "../../math/distances.ts";
import { effectiveSampleSize } from "../../math/effective-sample-size.ts";
import { mean } from "../../math/statistics.ts";
import { ROUNDING, varies } from "./distribution-metrics.ts";

/** How well the log-probabilities of held-out objects follow their log rewards. `docs/metrics.md` has the definitions. */
export interface HeldOutMetrics {
  /** Number of distinct held-out objects. */
  readonly objects: number;
  /** How many of them the policy cannot reach. The other metrics leave them out. */
  readonly unreachable: number;
  /** Spearman rank correlation of log p with log R, 1 for a perfect policy; null if either is constant. */
  readonly spearman: number | null;
  /** Pearson correlation of log p with log R; null if either is constant. */
  readonly pearson: number | null;
  /** Slope of the least-squares line of log p over log R, 1 for a perfect policy; null if log R is constant. */
  readonly slope: number | null;
  /** Mean log-probability; null if no object can be reached. */
  readonly meanLogProbability: number | null;
  /** (Σ w)² / Σ w² of the weights w = R / p, which are equal for a perfect policy: at most `objects`. */
  readonly effectiveSampleSize: number;
}

/** An object with the logarithms of its probability and its reward. */
export interface LogPair {
  /** −Infinity if the policy cannot reach the object. */
  readonly logProbability: number;
  readonly logReward: number;
}

/** The metrics of distinct objects. */
export function heldOutMetrics(pairs: readonly LogPair[]): HeldOutMetrics {
  const reached = pairs.filter(({ logProbability }) => logProbability > Number.NEGATIVE_INFINITY);
  const logP = Float64Array.from(reached, ({ logProbability }) => logProbability);
  const logR = Float64Array.from(reached, ({ logReward }) => logReward);
  const [policyVaries, rewardVaries] = [varies(logP), varies(logR)];
  const isCorrelated = policyVaries && rewardVaries;
  return {
    objects: pairs.length,
    unreachable: pairs.length - reached.length,
    spearman: isCorrelated ? spearman(logP, logR, ROUNDING) : null,
    pearson: isCorrelated ? pearson(logP, logR) : null,
    slope: rewardVaries ? regressionSlope(logR, logP) : null,
    meanLogProbability: reached.length > 0 ? mean(logP) : null,
    effectiveSampleSize: importanceSampleSize(reached),
  };
}

/** (Σ w)² / Σ w² of the weights w = R / p. For samples of the policy it is their number if the policy is perfect. */
export function importanceSampleSize(pairs: readonly LogPair[]): number {
  return effectiveSampleSize(
    Float64Array.from(pairs, ({ logProbability, logReward }) => logReward - logProbability),
  );
}

/** Known objects, in two parts. */
export interface HeldOutSplit {
  /** Objects that training may use. */
  readonly known: string[];
  /** Objects to evaluate with. */
  readonly heldOut: string[];
}

/**
 * Splits known objects into those for training and those that are held out. The text of an object decides on its part, so
 * that neither the order nor objects that are added later change it.
 *
 * @example
 * ```ts
 * import { splitHeldOut } from "gflownet/gfn";
 *
 * const { known, heldOut } = splitHeldOut(["ACGT", "CCCC", "GATC", "TTAA"], 0.5);
 * console.log(known.length + heldOut.length); // 4
 * ```
 */
export function splitHeldOut(objects: readonly string[], share: number, seed = 0): HeldOutSplit {
  if (!(share >= 0 && share <= 1)) {
    throw new RangeError(`splitHeldOut: the share must be in [0, 1], got ${share}`);
  }
  const stream = RandomStream.fromSeed(seed).split("held out");
  const isHeldOut = (object: string) => stream.split(object).uniform() < share;
  const distinct = [...new Set(objects)];
  return {
    known: distinct.filter((object) => !isHeldOut(object)),
    heldOut: distinct.filter(isHeldOut),
  };
}
