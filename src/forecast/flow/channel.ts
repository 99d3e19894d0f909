// A noise channel between the action (the token that the policy intends) and the outcome (the token that is realised):
// C[a, x] is the probability of outcome x, given action a.

import { numpy as np } from "@jax-js/jax";
import type { Issue } from "../../issues.ts";
import { MASKED_LOGIT } from "../../nn/index.ts";

/** A noise channel: the probability that a planned token turns into another one. */
export interface Channel {
  /** C[a, x] in row-major order, [K·K]; each row sums to 1. */
  readonly matrix: Float64Array;
  /** If true, the objective uses a model of the channel, fitted to sampled actions and outcomes, instead of the matrix. */
  readonly learned?: boolean;
}

/** The channel that keeps the action with probability 1 − ε and otherwise replaces it by a uniform token. */
export function uniformChannel(tokens: number, epsilon: number): Float64Array {
  if (!(epsilon >= 0 && epsilon < 1)) {
    throw new RangeError(`channel: epsilon must be in [0, 1), got ${epsilon}`);
  }
  return Float64Array.from(
    { length: tokens * tokens },
    (_, i) => epsilon / tokens + (i % (tokens + 1) === 0 ? 1 - epsilon : 0),
  );
}

/** Everything that is wrong with a channel: its size, its rows, and outcomes that no action leads to. */
export function channelIssues(tokens: number, { matrix }: Channel): Issue[] {
  const K = tokens;
  const issue = (code: string, message: string): Issue => ({ path: "channel.matrix", code, message });
  if (matrix.length !== K * K) {
    return [issue("size", `must have ${K * K} entries, got ${matrix.length}`)];
  }
  const issues: Issue[] = [];
  for (let a = 0; a < K; a++) {
    const row = matrix.subarray(a * K, (a + 1) * K);
    const sum = row.reduce((total, share) => total + share, 0);
    if (row.some((share) => !(share >= 0)) || Math.abs(sum - 1) > 1e-6) {
      issues.push(issue("range", `row ${a} must be probabilities that sum to 1, got a sum of ${sum}`));
    }
  }
  for (let x = 0; x < K; x++) {
    if (!matrix.some((share, i) => i % K === x && share > 0)) {
      const message = `every outcome must have an action that leads to it, got none for token ${x}`;
      issues.push(issue("support", message));
    }
  }
  return issues;
}

/** log C, [K, K]. Impossible outcomes get a finite logarithm far below all others. */
export function logChannelMatrix(tokens: number, { matrix }: Channel): np.Array {
  const logs = Float32Array.from(matrix, (share) => (share > 0 ? Math.log(share) : MASKED_LOGIT));
  return np.array(logs, { shape: [tokens, tokens] }); // [K, K]
}

/** Which actions can lead to each outcome, bool [K outcomes, K actions]. */
export function possibleActions(tokens: number, { matrix }: Channel): np.Array {
  const support = Float32Array.from(
    { length: tokens * tokens },
    (_, i) => (matrix[(i % tokens) * tokens + Math.floor(i / tokens)] > 0 ? 1 : 0), // transposed
  );
  return np.less(0.5, np.array(support, { shape: [tokens, tokens] })); // [K, K]
}

/** The distribution of outcomes π C, [K], of a distribution of actions π, [K]. */
export function applyChannel(policy: ArrayLike<number>, channel: Float64Array): Float64Array {
  const K = policy.length;
  const outcomes = new Float64Array(K);
  for (let a = 0; a < K; a++) for (let x = 0; x < K; x++) outcomes[x] += policy[a] * channel[a * K + x];
  return outcomes;
}
