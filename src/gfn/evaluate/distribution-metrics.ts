// Metrics of a distribution over terminal objects: its distance from the target and its correlation with the reward.

import { expectation, klDivergence, pearson, spearman, totalVariation } from "../../math/distances.ts";

/** Metrics of a distribution p over objects, compared with the target. */
export interface DistributionMetrics {
  /** ½ Σ |p − target| */
  readonly tv: number;
  /** KL(target ‖ p) in nats; infinite if p is 0 at an object of the target. */
  readonly kl: number;
  /** Pearson correlation of log p with log R over the objects with p > 0; null if either is constant. */
  readonly pearson: number | null;
  /** Spearman rank correlation of log p with log R over the same objects; null if either is constant. */
  readonly spearman: number | null;
  /** E[R] under p. */
  readonly expectedReward: number;
}

/** Logarithms that differ by at most this count as equal: rounding errors of a constant must not correlate. */
export const ROUNDING = 1e-12;

/** Metrics of the distribution `terminals`. `target` is the normalised reward. */
export function distributionMetrics(
  target: Float64Array,
  reward: Float64Array,
  terminals: Float64Array,
): DistributionMetrics {
  let reached = 0;
  const logP = new Float64Array(terminals.length);
  const logR = new Float64Array(terminals.length);
  for (let i = 0; i < terminals.length; i++) {
    if (!(terminals[i] > 0)) continue;
    logP[reached] = Math.log(terminals[i]);
    logR[reached] = Math.log(reward[i]);
    reached++;
  }
  const [x, y] = [logP.subarray(0, reached), logR.subarray(0, reached)];
  const correlated = varies(x) && varies(y);
  return {
    tv: totalVariation(target, terminals),
    kl: Math.max(0, klDivergence(target, terminals)), // rounding may give a small negative number
    pearson: correlated ? pearson(x, y) : null,
    spearman: correlated ? spearman(x, y, ROUNDING) : null,
    expectedReward: expectation(terminals, reward),
  };
}

/** Whether the values differ by more than rounding errors. */
export function varies(values: Float64Array): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    least = Math.min(least, values[i]);
    most = Math.max(most, values[i]);
  }
  return most - least > ROUNDING;
}
