// Drawing from a categorical distribution inside a program.

import { numpy as np } from "@jax-js/jax";

/** Gumbel noise of uniform numbers in (0, 1), any shape: the largest of logits plus noise is a draw from their softmax. */
export function gumbel(uniform: np.Array): np.Array {
  return np.negative(np.log(np.negative(np.log(uniform)))); // [...]
}

/** One-hot rows [B, A] at the largest score of each row; the first of several that are level, so that it is one. */
export function largest(scores: np.Array): np.Array {
  const A = scores.shape[1];
  const level = np.equal(scores, np.max(scores, 1, { keepdims: true })).astype(np.float32); // [B, A]
  const ranked = np.multiply(level, np.arange(A, 0, -1).astype(np.float32)); // [B, A], the first ranks highest
  return np.equal(ranked, np.max(ranked, 1, { keepdims: true })).astype(np.float32); // [B, A]
}
