// Causal attention with cached keys and values: the last positions of sequences attend to all positions up to their own.
// Rows are ordered by position, then by sequence.
//
// A hook may replace the attention weights by recorded weights (see activation-reuse.ts). The derivative of the weights
// is hand-written in terms of the weights alone, so that with recorded weights the softmax is not computed again.

import { lax, numpy as np } from "@jax-js/jax";
import { MASKED_LOGIT, maskedSoftmax } from "./activations.ts";
import { causalMask } from "./attention.ts";

/** Keys and values of rows, [R, D] each. */
export interface KeyValue {
  readonly key: np.Array;
  readonly value: np.Array;
}

/** Receives the attention weights [L, S, B, H] and returns them, or a replacement of the same value. */
export type AttentionHook = (weights: np.Array) => np.Array;

/** Number of positions up to which elementwise products and sums are faster than many small matrix products. */
const MAX_SUM_LENGTH = 16;

/**
 * Attention of the last L of S positions of B sequences with H heads: queries [L·B, D] and keys and values [S·B, D]
 * give [L·B, D].
 */
export function attend(
  query: np.Array,
  { key, value }: KeyValue,
  B: number,
  H: number,
  hook: AttentionHook = (weights) => weights,
): np.Array {
  const [rows, D] = query.shape;
  const [L, S] = [rows / B, key.shape[0] / B];
  const scaled = np.multiply(query, 1 / Math.sqrt(D / H)); // [L·B, D]
  const sizes = { L, S, B, H, d: D / H };
  return L === 1 || S <= MAX_SUM_LENGTH
    ? attendBySums(scaled, key, value, sizes, hook)
    : attendByProducts(scaled, key, value, sizes, hook);
}

interface Sizes {
  readonly L: number;
  readonly S: number;
  readonly B: number;
  readonly H: number;
  /** Width of a head. */
  readonly d: number;
}

function attendBySums(
  query: np.Array,
  key: np.Array,
  value: np.Array,
  { L, S, B, H, d }: Sizes,
  hook: AttentionHook,
): np.Array {
  const scores = np.sum(np.multiply(query.reshape([L, 1, B, H, d]), key.reshape([1, S, B, H, d])), 4); // [L, S, B, H]
  const constant = lax.stopGradient(scores); // [L, S, B, H]
  const masked =
    L === 1 ? constant : np.where(causalMask(S, L).reshape([L, S, 1, 1]), constant, MASKED_LOGIT); // [L, S, B, H]
  const exponentials = np.exp(np.subtract(masked, np.max(masked, 1, { keepdims: true }))); // [L, S, B, H]
  const softmax = np.divide(exponentials, np.sum(exponentials, 1, { keepdims: true })); // [L, S, B, H]
  const weights = withSoftmaxGradient(hook(softmax), scores, 1); // [L, S, B, H]
  const mixed = np.sum(np.multiply(weights.reshape([L, S, B, H, 1]), value.reshape([1, S, B, H, d])), 1); // [L, B, H, d]
  return mixed.reshape([L * B, H * d]); // [L·B, D]
}

function attendByProducts(
  query: np.Array,
  key: np.Array,
  value: np.Array,
  { L, S, B, H, d }: Sizes,
  hook: AttentionHook,
): np.Array {
  const queries = np.transpose(query.reshape([L, B, H, d]), [1, 2, 0, 3]); // [B, H, L, d]
  const keys = np.transpose(key.reshape([S, B, H, d]), [1, 2, 3, 0]); // [B, H, d, S]
  const values = np.transpose(value.reshape([S, B, H, d]), [1, 2, 0, 3]); // [B, H, S, d]
  const scores = np.matmul(queries, keys); // [B, H, L, S]
  const softmax = maskedSoftmax(lax.stopGradient(scores), causalMask(S, L)); // [B, H, L, S]
  const hooked = hook(np.transpose(softmax, [2, 3, 0, 1])); // [L, S, B, H]
  const weights = withSoftmaxGradient(np.transpose(hooked, [2, 3, 0, 1]), scores, 3); // [B, H, L, S]
  const mixed = np.matmul(weights, values); // [B, H, L, d]
  return np.transpose(mixed, [2, 0, 1, 3]).reshape([L * B, H * d]); // [L·B, D]
}

/**
 * The weights with the derivatives of a softmax of the scores along an axis. Masked weights are 0 and have no
 * derivatives.
 */
function withSoftmaxGradient(weights: np.Array, scores: np.Array, axis: number): np.Array {
  const change = np.multiply(weights, np.subtract(scores, lax.stopGradient(scores))); // [...], zero, with derivatives
  const minusTotal = np.negative(np.sum(change, axis, { keepdims: true })); // [..., 1, ...]
  return np.add(weights, np.add(change, np.multiply(weights, minusTotal))); // [...]
}
