// The entropy ratio: how much a high entropy of the policy stands out against a mixture of it and a low one.
//
// With h in [0, 1] the ratio is r = h_hi / (γ h_hi + (1 − γ) h_lo), in [1, 1/γ]. It is computed as a share,
// r̃ = γ r = sigmoid(logit γ + log h_hi − log h_lo) in [γ, 1), of which both logarithms are finite.

import { lax, numpy as np } from "@jax-js/jax";
import { logSigmoid, maskedLogSoftmax } from "../../nn/index.ts";
import type { EntropyRatioOptions } from "./options.ts";

export interface EntropyRatio {
  /** log r, [N], or [1] where the batch has one ratio; in [0, −log γ]. */
  readonly logRatio: np.Array;
  /** log r̃ and log(1 − r̃), of the same shape. */
  readonly logShare: np.Array;
  readonly logRest: np.Array;
}

/** Added to both entropies: where both vanish the ratio is 1. */
export const SMALLEST_ENTROPY = 1e-6;
/** Low entropies end here by the estimator `clamp`. */
export const CLAMPED_TO = 0.1;
/** γ is at most this, so that its logit is finite and the ratio is 1 to float32 where γ ends at 1. */
const LARGEST_GAMMA = 1 - 1e-6;
/** Stands behind all entropies in order. */
const AFTER_ALL = 2;

/** Entropy of the policy over the logarithm of the number of legal intentions, [N]; 0 where only one is legal. */
export function normalisedEntropy(logits: np.Array, allowed: np.Array): np.Array {
  const logPolicy = maskedLogSoftmax(logits, allowed); // [N, A]
  const entropy = np.negative(np.sum(np.multiply(np.exp(logPolicy), logPolicy), 1)); // [N]
  const legal = np.sum(allowed.astype(np.float32), 1); // [N] or [1]
  // A certain choice has entropy 0, whatever it is divided by.
  return np.divide(entropy, np.log(np.maximum(legal, 2))); // [N]
}

/** Ratio of the entropies [N] of states; those of weight 0 take no part in quantiles. `gamma` is []. */
export function entropyRatio(
  { estimator, quantile }: Pick<EntropyRatioOptions, "estimator" | "quantile">,
  entropy: np.Array,
  weight: np.Array,
  gamma: np.Array,
): EntropyRatio {
  switch (estimator) {
    case "quantile": {
      const [low, high] = quantilesOf(entropy, weight, [quantile, 1 - quantile]); // [1], [1]
      return ratioBetween(high, low, gamma);
    }
    case "clamp":
      return ratioBetween(entropy, np.minimum(entropy, CLAMPED_TO), gamma);
    case "state": {
      const [low] = quantilesOf(entropy, weight, [quantile]); // [1]
      return ratioBetween(np.maximum(entropy, low), low, gamma);
    }
    default:
      return estimator satisfies never;
  }
}

/** The ratio of two entropies, elementwise. */
export function ratioBetween(high: np.Array, low: np.Array, gamma: np.Array): EntropyRatio {
  const level = np.minimum(gamma, LARGEST_GAMMA); // []
  const logit = np.subtract(np.log(level), np.log(np.subtract(1, level))); // []
  const logOf = (entropy: np.Array) => np.log(np.add(entropy, SMALLEST_ENTROPY)); // [...]
  const x = np.add(np.subtract(logOf(high), logOf(low)), logit); // [...]
  const logShare = logSigmoid(x); // [...]
  return {
    logRatio: np.subtract(logShare, np.log(level)), // [...]
    logShare,
    logRest: logSigmoid(np.negative(x)), // [...]
  };
}

/** Mean of r over the rows that count, []. */
export function meanRatio({ logRatio }: EntropyRatio, weight: np.Array): np.Array {
  const ratio = np.multiply(np.exp(lax.stopGradient(logRatio)), weight); // [N]
  return np.divide(np.sum(ratio), np.maximum(np.sum(weight), 1)); // []
}

/**
 * Quantiles at these levels among the rows of weight 1, interpolated between neighbours, each [1]. No gradient flows
 * through them. Without any such row they are some finite number.
 */
export function quantilesOf(values: np.Array, weight: np.Array, levels: readonly number[]): np.Array[] {
  const [N] = values.shape;
  const counted = np.where(np.less(0.5, weight), lax.stopGradient(values), AFTER_ALL); // [N]
  const ordered = np.sort(counted); // [N], those that count first
  const last = np.maximum(np.subtract(np.sum(weight), 1), 0); // []
  return levels.map((level) => {
    const away = np.subtract(np.arange(N).astype(np.float32), np.multiply(last, level)); // [N]
    const near = np.maximum(np.subtract(1, np.maximum(away, np.negative(away))), 0); // [N], of two neighbours at most
    return np.sum(np.multiply(ordered, near)).reshape([1]); // [1]
  });
}
