// What a path may be worth: the likelihood of a Markov chain that may change with step and context, of a mixture of
// independent steps (hidden regimes, kernel densities), and either of them tilted or constrained.

import { numpy as np } from "@jax-js/jax";
import { logSumExp } from "../../nn/index.ts";
import type { Arrays, PathReward } from "./problem.ts";

/**
 * Σ_t log P_t(x_t | the `order` tokens before it). Contexts bring `earlier`, one-hot [B, P, K], of which the last
 * `order` count, and `logTable`, [B, H, K^order, K].
 */
export function markovReward(order: number): PathReward {
  const partial = (tokens: np.Array, { earlier, logTable }: Arrays) => {
    const [B, H, K] = tokens.shape;
    const P = earlier.shape[1];
    const whole = np.concatenate([earlier, tokens], 1); // [B, P + H, K]
    let before = np.ones([B, H, 1]); // [B, H, K^j]
    for (let lag = order; lag >= 1; lag--) {
      const token = whole.slice([], [P - lag, P - lag + H]); // [B, H, K]
      before = np
        .multiply(before.reshape([B, H, -1, 1]), token.reshape([B, H, 1, K])) // [B, H, K^j, K]
        .reshape([B, H, -1]);
    }
    const rows = np.sum(np.multiply(logTable, before.reshape([B, H, -1, 1])), 2); // [B, H, K]
    return np.sum(np.multiply(rows, tokens), 2); // [B, H]
  };
  return { partial, log: (tokens, inputs) => np.sum(partial(tokens, inputs), 1) };
}

/** Parts of a mixture whose steps are independent of each other. */
export interface MixtureParts {
  /** log k_it(x), [n, H, K]. */
  readonly logKernels: Float64Array;
  /** n */
  readonly parts: number;
}

/**
 * log Σ_i w_i(c) ∏_t k_it(x_t): hidden regimes, and kernel densities. Contexts bring `logWeight`, [B, n]. Partial
 * rewards are its exact prefix flows.
 */
export function mixtureReward({ logKernels, parts: n }: MixtureParts): PathReward {
  /** log w_i ∏ k up to each step, the start included: (H + 1) × [B, n]. */
  const logParts = (tokens: np.Array, { logWeight }: Arrays) => {
    const [, H, K] = tokens.shape;
    const sums = [logWeight]; // [B, n]
    for (let t = 0; t < H; t++) {
      const kernel = Float32Array.from({ length: K * n }, (_, i) => {
        const [x, part] = [Math.floor(i / n), i % n];
        return logKernels[(part * H + t) * K + x];
      });
      const added = np.matmul(tokens.slice([], t), np.array(kernel, { shape: [K, n] })); // [B, n]
      sums.push(np.add(sums[t], added)); // [B, n]
    }
    return sums;
  };
  return {
    log: (tokens, inputs) => logSumExp(logParts(tokens, inputs)[tokens.shape[1]]), // [B]
    partial(tokens, inputs) {
      const flows = logParts(tokens, inputs).map(logSumExp); // (H + 1) × [B]
      const steps = flows.slice(1).map((flow, t) => np.subtract(flow, flows[t])); // H × [B]
      return np.stack(steps, 1); // [B, H]
    },
  };
}

/** The reward times the exponential of what `tilt` says of whole paths, [B]. Its partial rewards stay a guess. */
export function tilted(reward: PathReward, tilt: PathReward["log"]): PathReward {
  return {
    ...reward,
    log: (tokens, inputs) => np.add(reward.log(tokens, inputs), tilt(tokens, inputs)), // [B]
  };
}

/** The reward where `holds`, bool [B], and a share exp(logFloor) of it elsewhere: Z is then the chance of the event. */
export function constrained(
  reward: PathReward,
  holds: (tokens: np.Array, inputs: Arrays) => np.Array,
  logFloor: number,
): PathReward {
  if (!(logFloor < 0 && Number.isFinite(logFloor))) {
    throw new RangeError(`constrained: logFloor must be finite and below 0, got ${logFloor}`);
  }
  return tilted(reward, (tokens, inputs) => np.where(holds(tokens, inputs), 0, logFloor)); // [B]
}

/** Sum of a path's tokens as numbers, [B]. */
export function tokenSum(tokens: np.Array): np.Array {
  const K = tokens.shape[2];
  const each = np.sum(np.multiply(tokens, np.arange(K).astype(np.float32)), 2); // [B, H]
  return np.sum(each, 1); // [B]
}
