// The entropy ratio: a high entropy of the policy relative to a mixture of the high and a low entropy.
//
// For normalised entropies h in [0, 1] it is r = h_hi / (γ h_hi + (1 − γ) h_lo), in [1, 1/γ]. It is computed from
// r̃ = γ r = sigmoid(logit γ + log h_hi − log h_lo) in [γ, 1), for which log r̃ and log(1 − r̃) are finite.

import { lax, numpy as np } from "@jax-js/jax";
import { logSigmoid, maskedLogSoftmax } from "../../../nn/index.ts";
import type { EntropyRatioOptions } from "./options.ts";

export interface EntropyRatio {
  /** log r in [0, −log γ], [N], or [1] for an estimator with one ratio per batch. */
  readonly logRatio: np.Array;
  /** log r̃, of the same shape. */
  readonly logShare: np.Array;
  /** log(1 − r̃), of the same shape. */
  readonly logRest: np.Array;
}

/** Added to both entropies, so that the ratio is 1 if both are 0. */
export const SMALLEST_ENTROPY = 1e-6;
/** Upper bound of the low entropy of the estimator `clamp`. */
export const CLAMP_LEVEL = 0.1;
/** Upper bound of γ: its logit is finite, and at γ = 1 the ratio is 1 in float32. */
const LARGEST_GAMMA = 1 - 1e-6;
/** Sort key of rows without weight: larger than every normalised entropy. */
const ABOVE_ALL = 2;

/** Entropy of the policy divided by the logarithm of the number of legal actions, [N]; 0 if only one action is legal. */
export function normalisedEntropy(logits: np.Array, allowed: np.Array): np.Array {
  const logPolicy = maskedLogSoftmax(logits, allowed); // [N, A]
  const entropy = np.negative(np.sum(np.multiply(np.exp(logPolicy), logPolicy), 1)); // [N]
  const legal = np.sum(allowed.astype(np.float32), 1); // [N] or [1]
  // With a single legal action the entropy is 0, so the divisor does not matter.
  return np.divide(entropy, np.log(np.maximum(legal, 2))); // [N]
}

/** The ratio of the entropies of states, [N]. Quantiles include only states of weight 1. `gamma` is []. */
export function entropyRatio(
  { estimator, quantile }: Pick<EntropyRatioOptions, "estimator" | "quantile">,
  entropy: np.Array,
  weight: np.Array,
  gamma: np.Array,
): EntropyRatio {
  switch (estimator) {
    case "quantile": {
      const [low, high] = quantiles(entropy, weight, [quantile, 1 - quantile]); // [1], [1]
      return ratioBetween(high, low, gamma);
    }
    case "clamp":
      return ratioBetween(entropy, np.minimum(entropy, CLAMP_LEVEL), gamma);
    case "state": {
      const [low] = quantiles(entropy, weight, [quantile]); // [1]
      return ratioBetween(np.maximum(entropy, low), low, gamma);
    }
    default:
      return estimator satisfies never;
  }
}

/** The ratio of a high and a low entropy, elementwise. */
export function ratioBetween(high: np.Array, low: np.Array, gamma: np.Array): EntropyRatio {
  const bounded = np.minimum(gamma, LARGEST_GAMMA); // []
  const logit = np.subtract(np.log(bounded), np.log(np.subtract(1, bounded))); // []
  const logOf = (entropy: np.Array) => np.log(np.add(entropy, SMALLEST_ENTROPY)); // [...]
  const x = np.add(np.subtract(logOf(high), logOf(low)), logit); // [...]
  const logShare = logSigmoid(x); // [...]
  return {
    logRatio: np.subtract(logShare, np.log(bounded)), // [...]
    logShare,
    logRest: logSigmoid(np.negative(x)), // [...]
  };
}

/** Mean of r over the rows of weight 1, []. */
export function meanRatio({ logRatio }: EntropyRatio, weight: np.Array): np.Array {
  const ratio = np.multiply(np.exp(lax.stopGradient(logRatio)), weight); // [N]
  return np.divide(np.sum(ratio), np.maximum(np.sum(weight), 1)); // []
}

/**
 * Quantiles at these levels among the rows of weight 1, linearly interpolated, [1] each. No gradient flows through them.
 * Without any row of weight 1 they are finite and have no meaning.
 */
export function quantiles(values: np.Array, weight: np.Array, levels: readonly number[]): np.Array[] {
  const [N] = values.shape;
  const sortable = np.where(np.less(0.5, weight), lax.stopGradient(values), ABOVE_ALL); // [N]
  const ordered = np.sort(sortable); // [N], rows of weight 1 first
  const last = np.maximum(np.subtract(np.sum(weight), 1), 0); // []
  return levels.map((level) => {
    const offset = np.subtract(np.arange(N).astype(np.float32), np.multiply(last, level)); // [N]
    const share = np.maximum(np.subtract(1, np.maximum(offset, np.negative(offset))), 0); // [N], nonzero for at most two neighbours
    return np.sum(np.multiply(ordered, share)).reshape([1]); // [1]
  });
}
