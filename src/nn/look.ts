// Attention of the last positions of sequences, all ordered by position, then by sequence: how much of each earlier
// position's value a position takes.
//
// The weights may be known from a pass before. Their derivative is written by hand (see with-gradient.ts) in terms of the
// weights alone, so nothing else of the way to them is computed then.

import { lax, numpy as np } from "@jax-js/jax";
import { FORBIDDEN, maskedSoftmax } from "./activations.ts";

/** What rows have to be found by, and what is found, [R, D] each. */
export interface Offer {
  readonly key: np.Array;
  readonly value: np.Array;
}

/** Sees the weights of all L positions on all S positions, [L, S, B, H], and may put the same from elsewhere in their place. */
export type EachWeights = (weights: np.Array) => np.Array;

/** Positions up to which products and sums are faster than many small matrix products. */
const SHORT = 16;

/**
 * The last L positions of B sequences look at all S positions up to their own with H heads: queries [L·B, D], offers
 * [S·B, D]; gives [L·B, D].
 */
export function look(
  query: np.Array,
  { key, value }: Offer,
  B: number,
  H: number,
  each: EachWeights = (weights) => weights,
): np.Array {
  const [rows, D] = query.shape;
  const [L, S] = [rows / B, key.shape[0] / B];
  const scaled = np.multiply(query, 1 / Math.sqrt(D / H)); // [L·B, D]
  const sizes = { L, S, B, H, d: D / H };
  return L === 1 || S <= SHORT
    ? lookBySums(scaled, key, value, sizes, each)
    : lookByProducts(scaled, key, value, sizes, each);
}

interface Sizes {
  readonly L: number;
  readonly S: number;
  readonly B: number;
  readonly H: number;
  readonly d: number;
}

function lookBySums(
  query: np.Array,
  key: np.Array,
  value: np.Array,
  { L, S, B, H, d }: Sizes,
  each: EachWeights,
): np.Array {
  const scores = np.sum(np.multiply(query.reshape([L, 1, B, H, d]), key.reshape([1, S, B, H, d])), 4); // [L, S, B, H]
  const at = lax.stopGradient(scores); // [L, S, B, H]
  const allowed = L === 1 ? at : np.where(upToOwn(L, S).reshape([L, S, 1, 1]), at, FORBIDDEN); // [L, S, B, H]
  const shares = np.exp(np.subtract(allowed, np.max(allowed, 1, { keepdims: true }))); // [L, S, B, H]
  const own = np.divide(shares, np.sum(shares, 1, { keepdims: true })); // [L, S, B, H]
  const weights = moving(each(own), scores, 1); // [L, S, B, H]
  const found = np.sum(np.multiply(weights.reshape([L, S, B, H, 1]), value.reshape([1, S, B, H, d])), 1); // [L, B, H, d]
  return found.reshape([L * B, H * d]); // [L·B, D]
}

function lookByProducts(
  query: np.Array,
  key: np.Array,
  value: np.Array,
  { L, S, B, H, d }: Sizes,
  each: EachWeights,
): np.Array {
  const queries = np.transpose(query.reshape([L, B, H, d]), [1, 2, 0, 3]); // [B, H, L, d]
  const keys = np.transpose(key.reshape([S, B, H, d]), [1, 2, 3, 0]); // [B, H, d, S]
  const values = np.transpose(value.reshape([S, B, H, d]), [1, 2, 0, 3]); // [B, H, S, d]
  const scores = np.matmul(queries, keys); // [B, H, L, S]
  const own = maskedSoftmax(lax.stopGradient(scores), upToOwn(L, S)); // [B, H, L, S]
  const turned = each(np.transpose(own, [2, 3, 0, 1])); // [L, S, B, H]
  const weights = moving(np.transpose(turned, [2, 3, 0, 1]), scores, 3); // [B, H, L, S]
  const found = np.matmul(weights, values); // [B, H, L, d]
  return np.transpose(found, [2, 0, 1, 3]).reshape([L * B, H * d]); // [L·B, D]
}

/** Weights as they are, with the derivatives of a softmax of the scores along an axis. Forbidden ones are 0 and stay so. */
function moving(weights: np.Array, scores: np.Array, axis: number): np.Array {
  const change = np.multiply(weights, np.subtract(scores, lax.stopGradient(scores))); // [...], 0 but for derivatives
  const lost = np.negative(np.sum(change, axis, { keepdims: true })); // [..., 1, ...], to all others
  return np.add(weights, np.add(change, np.multiply(weights, lost))); // [...]
}

/** bool [L, S]: row l is position S − L + l, and allows positions up to it. */
function upToOwn(L: number, S: number): np.Array {
  const allowed = new Int32Array(L * S).map((_, i) => +(i % S <= S - L + Math.floor(i / S)));
  return np.array(allowed, { shape: [L, S], dtype: np.bool }); // [L, S]
}
