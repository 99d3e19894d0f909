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

/**
 * log Σ_i w_i ∏_t k_it(x_t). Contexts bring `logWeight`, [B, n], and `logKernel`, [B, n, H, K]. Partial rewards are its
 * exact prefix flows.
 */
export function mixtureReward(): PathReward {
  /** log w_i ∏ k up to each step, [B, n, H]. */
  const logParts = (tokens: np.Array, { logWeight, logKernel }: Arrays) => {
    const [B, H, K] = tokens.shape;
    const n = logWeight.shape[1];
    const each = np.sum(np.multiply(logKernel, tokens.reshape([B, 1, H, K])), 3); // [B, n, H]
    const upTo = Float32Array.from({ length: H * H }, (_, i) => (Math.floor(i / H) <= i % H ? 1 : 0));
    const sums = np.matmul(each.reshape([B * n, H]), np.array(upTo, { shape: [H, H] })); // [B·n, H]
    return np.add(sums.reshape([B, n, H]), logWeight.reshape([B, n, 1])); // [B, n, H]
  };
  return {
    log(tokens, inputs) {
      const H = tokens.shape[1];
      return logSumExp(logParts(tokens, inputs).slice([], [], H - 1)); // [B]
    },
    partial(tokens, inputs) {
      const [B, H] = tokens.shape;
      const flows = logSumExp(np.transpose(logParts(tokens, inputs), [0, 2, 1])); // [B, H]
      const start = logSumExp(inputs.logWeight).reshape([B, 1]); // [B, 1]
      const before = H === 1 ? start : np.concatenate([start, flows.slice([], [0, H - 1])], 1); // [B, H]
      return np.subtract(flows, before); // [B, H]
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
