// One-hot argmax of rows as an array function. The native engine recognises this exact sequence of operations and
// replaces it by one ArgMax (see onnx/fusion/one-hot-argmax.ts); change both together.

import { numpy as np } from "@jax-js/jax";

/**
 * One-hot rows [B, A] at the largest score of each row [B, A]. If several scores are equally large, the first is taken.
 */
export function oneHotArgmax(scores: np.Array): np.Array {
  const A = scores.shape[1];
  const isLargest = np.equal(scores, np.max(scores, 1, { keepdims: true })).astype(np.float32); // [B, A]
  const ranked = np.multiply(isLargest, np.arange(A, 0, -1).astype(np.float32)); // [B, A], the first one ranks highest
  return np.equal(ranked, np.max(ranked, 1, { keepdims: true })).astype(np.float32); // [B, A]
}
