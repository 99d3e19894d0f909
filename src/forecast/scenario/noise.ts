// Plans that are carried out with noise: the policy chooses an action (the planned token), and with probability ε one of
// the K tokens, drawn uniformly, is realised instead.
//
// Paths form a tree, so KL(target ‖ realised paths) is a sum over states, and the best policy is the best one in every
// state. For a wanted distribution w, the best distribution of outcomes has a closed form: max(ε/K, k·w), where the
// constant k makes it sum to 1. It is w itself if no entry of w is below ε/K. Therefore a proposal is trained without
// noise, and the actions are computed from its distribution.

import { numpy as np } from "@jax-js/jax";
import type { Issue } from "../../issues.ts";
import { noiseKind, optionIssues } from "../option-kinds.ts";

/** Distributions of actions whose outcomes minimise KL(wanted ‖ outcomes), for wanted distributions [R, K]: [R, K]. */
export function nearestActions(wanted: np.Array, noise: number): np.Array {
  const [R, K] = wanted.shape;
  const floor = noise / K; // smallest probability of any outcome
  // Let j be the least probable token above the floor. Then k is the probability that remains for j and all more
  // probable tokens, divided by the sum of their wanted probabilities. As a function of j, k has its minimum at the
  // right j.
  const [each, others] = [wanted.reshape([R, K, 1]), wanted.reshape([R, 1, K])];
  const smaller = np.less(others, each).astype(np.float32); // [R, K, K]
  const remaining = np.subtract(1, np.multiply(np.sum(smaller, 2), floor)); // [R, K]
  const shares = np.sum(np.multiply(np.subtract(1, smaller), others), 2); // [R, K], includes the token itself
  const k = np.min(np.divide(remaining, np.maximum(shares, 1e-30)), 1).reshape([R, 1]); // [R, 1]
  return np.divide(np.maximum(np.subtract(np.multiply(wanted, k), floor), 0), 1 - noise); // [R, K]
}

/** Distributions of outcomes, from distributions of actions or one-hot actions: [R, K] to [R, K]. */
export function outcomeProbabilities(actions: np.Array, noise: number): np.Array {
  const [, K] = actions.shape;
  return np.add(np.multiply(actions, 1 - noise), noise / K); // [R, K]
}

export function noiseIssues(noise: number): Issue[] {
  return optionIssues("noise", noiseKind, noise);
}
