// Sampling from categorical distributions inside a program, in two ways.
//
// `sampleCategorical` samples from logits by the Gumbel-max trick: the argmax of logits plus Gumbel noise is a sample from
// their softmax. It needs one random number per entry, and supports masks, temperatures and exploration.
// `sampleByInversion` samples from probabilities by their cumulative sums. It needs one random number per row, which is
// cheaper if a row has many entries, and two rows with the same random number have similar samples.

import { numpy as np } from "@jax-js/jax";
import { oneHotArgmax } from "../engine/one-hot-argmax.ts";

export { oneHotArgmax };

/** Score of entries that are not allowed: below every other score, however small the logits are. */
const MASKED_SCORE = -3.4028e38;
/** Smallest logit after division by a temperature: finite, and above the masked score. */
const MIN_LOGIT = -3e38;

/** Standard Gumbel noise from uniform numbers in (0, 1) of any shape. */
export function gumbelNoise(uniform: np.Array): np.Array {
  return np.negative(np.log(np.negative(np.log(uniform)))); // [...]
}

/** Options that make samples differ from the softmax of the logits. All are optional and independent. */
export interface CategoricalOptions {
  /** Divides the logits: [] or [B, 1]. */
  readonly temperature?: np.Array;
  /** A second divisor of the logits, applied after the temperature: [B, 1] or [1, 1]. */
  readonly flattening?: np.Array;
  /** Rows whose uniform number [B, 1] is below epsilon, [] or [B, 1], are sampled uniformly. */
  readonly exploration?: { readonly epsilon: np.Array; readonly uniform: np.Array };
  /** Mask of the entries that may be sampled, bool [B, A] or [1, A]. Each row must allow at least one entry. */
  readonly allowed?: np.Array;
  /** Rows of the bool mask [B, 1] are not sampled, but taken from the one-hot rows [B, A]. */
  readonly forced?: { readonly mask: np.Array; readonly rows: np.Array };
}

/**
 * Samples from logits [B, A] or [1, A]: one-hot rows [B, A]. `uniform` [B, A] are random numbers in (0, 1). Pass the batch
 * size instead to take the most probable entry of each row.
 */
export function sampleCategorical(
  logits: np.Array,
  uniform: np.Array | number,
  { temperature, flattening, exploration, allowed, forced }: CategoricalOptions = {},
): np.Array {
  const divided = temperature ? np.divide(logits, temperature) : logits; // [B, A] or [1, A]
  const tempered = temperature && allowed ? np.maximum(divided, MIN_LOGIT) : divided; // [B, A] or [1, A]
  const flattened = flattening ? np.divide(tempered, flattening) : tempered; // [B, A] or [1, A]
  const explored = exploration
    ? np.where(np.less(exploration.uniform, exploration.epsilon), 0, flattened)
    : flattened; // [B, A] or [1, A]
  const scores =
    typeof uniform === "number"
      ? np.broadcastTo(explored, [uniform, logits.shape[1]]) // [B, A]
      : np.add(explored, gumbelNoise(uniform)); // [B, A]
  const sampled = oneHotArgmax(allowed ? np.where(allowed, scores, MASKED_SCORE) : scores); // [B, A]
  return forced ? np.where(forced.mask, forced.rows, sampled) : sampled; // [B, A]
}

/**
 * Samples one-hot rows [R, K] from probabilities [R, K] by inversion of the distribution function: the last entry whose
 * preceding entries have a total probability of at most `uniform` [R, 1].
 */
export function sampleByInversion(probabilities: np.Array, uniform: np.Array): np.Array {
  const [R, K] = probabilities.shape;
  const precedes = Float32Array.from({ length: K * K }, (_, i) => +(Math.floor(i / K) < i % K));
  const preceding = np.matmul(probabilities, np.array(precedes, { shape: [K, K] })); // [R, K]
  const reached = np.lessEqual(preceding, uniform).astype(np.float32); // [R, K]
  const next = np.concatenate([np.split(reached, [1], 1)[1], np.zeros([R, 1])], 1); // [R, K]
  return np.subtract(reached, next); // [R, K]
}
