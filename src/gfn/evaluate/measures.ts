// What is said of a distribution over terminal objects: how far it is from the target, and how it follows the reward.

import { divergence, expectation, pearson, spearman, totalVariation } from "./distances.ts";

export interface Measures {
  /** ½ Σ |p − target| */
  readonly tv: number;
  /** KL(target ‖ p), in nats; infinite where p misses something of the target. */
  readonly kl: number;
  /** Correlation of log p with log R, over the objects that p reaches; null where either is constant. */
  readonly pearson: number | null;
  /** The same of ranks. */
  readonly spearman: number | null;
  /** E[R] under p. */
  readonly expectedReward: number;
}

/** Logarithms this close are the same but for rounding: a constant must not correlate by its last digits. */
const ROUNDING = 1e-12;

/** Measures of `terminals`, the probability of each object; `target` are the rewards scaled to sum to one. */
export function measuresOf(target: Float64Array, reward: Float64Array, terminals: Float64Array): Measures {
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
  const varied = varies(x) && varies(y);
  return {
    tv: totalVariation(target, terminals),
    kl: Math.max(0, divergence(target, terminals)), // rounding can leave it just below
    pearson: varied ? pearson(x, y) : null,
    spearman: varied ? spearman(x, y, ROUNDING) : null,
    expectedReward: expectation(terminals, reward),
  };
}

function varies(values: Float64Array): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    least = Math.min(least, values[i]);
    most = Math.max(most, values[i]);
  }
  return most - least > ROUNDING;
}
