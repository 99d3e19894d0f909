// What becomes of an intended token: a channel C[a, x], the probability that x comes of intending a.

import { numpy as np } from "@jax-js/jax";
import { FORBIDDEN } from "../../nn/index.ts";

export interface Channel {
  /** C[a, x], row by row; rows sum to 1. */
  readonly matrix: Float64Array;
  /** Whether the objective uses a model of it, fitted to what was intended and came; else it knows the matrix. */
  readonly learned?: boolean;
}

/** An intention comes true but for a share ε, which goes to all tokens alike. */
export function uniformChannel(tokens: number, epsilon: number): Float64Array {
  if (!(epsilon >= 0 && epsilon < 1)) {
    throw new RangeError(`channel: epsilon must be in [0, 1), got ${epsilon}`);
  }
  return Float64Array.from(
    { length: tokens * tokens },
    (_, i) => epsilon / tokens + (i % (tokens + 1) === 0 ? 1 - epsilon : 0),
  );
}

/** Throws one sentence unless every row is a distribution and every token can come. */
export function checkChannel(tokens: number, { matrix }: Channel): void {
  const K = tokens;
  if (matrix.length !== K * K) {
    throw new RangeError(`channel: the matrix must have ${K * K} entries, got ${matrix.length}`);
  }
  for (let a = 0; a < K; a++) {
    const row = matrix.subarray(a * K, (a + 1) * K);
    const sum = row.reduce((total, share) => total + share, 0);
    if (row.some((share) => !(share >= 0)) || Math.abs(sum - 1) > 1e-6) {
      throw new RangeError(`channel: row ${a} must be probabilities that sum to 1, got a sum of ${sum}`);
    }
  }
  for (let x = 0; x < K; x++) {
    if (!matrix.some((share, i) => i % K === x && share > 0)) {
      throw new RangeError(`channel: every token must come of some intention, token ${x} comes of none`);
    }
  }
}

/** log C as an array, [K, K]; what cannot come has a finite logarithm far below all others. */
export function logMatrix(tokens: number, { matrix }: Channel): np.Array {
  const logs = Float32Array.from(matrix, (share) => (share > 0 ? Math.log(share) : FORBIDDEN));
  return np.array(logs, { shape: [tokens, tokens] }); // [K, K]
}

/** Intentions that a token can come of, bool [K tokens, K intentions]. */
export function couldCome(tokens: number, { matrix }: Channel): np.Array {
  const support = Float32Array.from(
    { length: tokens * tokens },
    (_, i) => (matrix[(i % tokens) * tokens + Math.floor(i / tokens)] > 0 ? 1 : 0), // transposed
  );
  return np.less(0.5, np.array(support, { shape: [tokens, tokens] })); // [K, K]
}

/** π C, [K]. */
export function through(policy: ArrayLike<number>, channel: Float64Array): Float64Array {
  const K = policy.length;
  const law = new Float64Array(K);
  for (let a = 0; a < K; a++) for (let x = 0; x < K; x++) law[x] += policy[a] * channel[a * K + x];
  return law;
}
