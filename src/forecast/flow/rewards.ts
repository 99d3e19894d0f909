// Rewards of paths: the likelihood of a Markov chain (which may change with the step and the context), the likelihood of a
// mixture with independent steps (hidden regimes, kernel densities), and tilted or constrained versions of any reward.

import { numpy as np } from "@jax-js/jax";
import { logSumExp, markedEntries, oneHotIndices } from "../../nn/index.ts";
import type { NamedArrays, PathReward } from "./problem.ts";

/**
 * Σ_t log P_t(x_t | the `order` tokens before it). The inputs are `past`, one-hot [B, P, K], of which the last `order`
 * tokens matter, and `logTable`, [B, H, K^order, K].
 */
export function markovReward(order: number): PathReward {
  const partial = (tokens: np.Array, { past, logTable }: NamedArrays) => {
    const [B, H, K] = tokens.shape;
    const P = past.shape[1];
    const sequence = np.concatenate([past, tokens], 1); // [B, P + H, K]
    let before = np.ones([B, H, 1]); // [B, H, K^j]
    for (let lag = order; lag >= 1; lag--) {
      const token = sequence.slice([], [P - lag, P - lag + H]); // [B, H, K]
      before = np
        .multiply(before.reshape([B, H, -1, 1]), token.reshape([B, H, 1, K])) // [B, H, K^j, K]
        .reshape([B, H, -1]);
    }
    const rows = np.sum(np.multiply(logTable, before.reshape([B, H, -1, 1])), 2); // [B, H, K]
    return markedEntries(rows, tokens); // [B, H]
  };
  return { partialLogRewards: partial, logReward: (tokens, inputs) => np.sum(partial(tokens, inputs), 1) };
}

/** The components of a mixture. The steps of a component are independent of each other. */
export interface MixtureComponents {
  /** log k_it(x), [n, H, K]. */
  readonly logKernels: Float64Array;
  /** n */
  readonly components: number;
}

/**
 * log Σ_i w_i(c) ∏_t k_it(x_t). The input `logWeight` holds log w_i(c), [B, n]. The partial rewards are the exact prefix
 * flows.
 */
export function mixtureReward({ logKernels, components: n }: MixtureComponents): PathReward {
  /** log w_i ∏ k over the steps so far, including none: (H + 1) × [B, n]. */
  const logComponents = (tokens: np.Array, { logWeight }: NamedArrays) => {
    const [, H, K] = tokens.shape;
    const sums = [logWeight]; // [B, n]
    for (let t = 0; t < H; t++) {
      const kernel = Float32Array.from({ length: K * n }, (_, i) => {
        const [x, component] = [Math.floor(i / n), i % n];
        return logKernels[(component * H + t) * K + x];
      });
      const added = np.matmul(tokens.slice([], t), np.array(kernel, { shape: [K, n] })); // [B, n]
      sums.push(np.add(sums[t], added)); // [B, n]
    }
    return sums;
  };
  return {
    logReward: (tokens, inputs) => logSumExp(logComponents(tokens, inputs)[tokens.shape[1]]), // [B]
    partialLogRewards(tokens, inputs) {
      const flows = logComponents(tokens, inputs).map(logSumExp); // (H + 1) × [B]
      const steps = flows.slice(1).map((flow, t) => np.subtract(flow, flows[t])); // H × [B]
      return np.stack(steps, 1); // [B, H]
    },
  };
}

/** The reward times exp(`tilt`), where `tilt` is a function of complete paths, [B]. The partial rewards do not change. */
export function tiltedReward(reward: PathReward, tilt: PathReward["logReward"]): PathReward {
  return {
    ...reward,
    logReward: (tokens, inputs) => np.add(reward.logReward(tokens, inputs), tilt(tokens, inputs)), // [B]
  };
}

/**
 * The reward of the paths for which `holds`, bool [B], is true, and exp(logFloor) times the reward of all others. If the
 * reward is a probability, Z approximates the probability of the event.
 */
export function constrainedReward(
  reward: PathReward,
  holds: (tokens: np.Array, inputs: NamedArrays) => np.Array,
  logFloor: number,
): PathReward {
  if (!(logFloor < 0 && Number.isFinite(logFloor))) {
    throw new RangeError(`constrainedReward: logFloor must be finite and below 0, got ${logFloor}`);
  }
  return tiltedReward(reward, (tokens, inputs) => np.where(holds(tokens, inputs), 0, logFloor)); // [B]
}

/** The sum of the token indices of each path, [B]. */
export function tokenSum(tokens: np.Array): np.Array {
  return np.sum(oneHotIndices(tokens), 1); // [B]
}
