// Plans that are carried out with error: a token is intended, and with a probability of ε any of the K tokens comes
// instead, all alike.
//
// Paths form a tree, so KL(target ‖ what comes) is a sum over states, and the best policy is the best in every state. Of a
// wanted law w it is known: what comes is max(ε/K, k·w), which is w itself where no share of it is below ε/K. So a flow
// learns what is wanted as if there were no noise, and nothing has to be learned of intentions.

import { numpy as np } from "@jax-js/jax";

/** Intentions whose outcome is nearest to wanted laws [R, K] in KL(wanted ‖ outcome): [R, K]. */
export function intentions(wanted: np.Array, noise: number): np.Array {
  const [R, K] = wanted.shape;
  const least = noise / K; // what every token comes with, intended or not
  // If j were the smallest token above the least share, k would be what is left for it and the larger ones, over their
  // wanted shares. That falls while tokens join those at the least share, and rises again once too many have.
  const [each, others] = [wanted.reshape([R, K, 1]), wanted.reshape([R, 1, K])];
  const smaller = np.less(others, each).astype(np.float32); // [R, K, K]
  const left = np.subtract(1, np.multiply(np.sum(smaller, 2), least)); // [R, K]
  const shares = np.sum(np.multiply(np.subtract(1, smaller), others), 2); // [R, K], never 0: its own is among them
  const k = np.min(np.divide(left, np.maximum(shares, 1e-30)), 1).reshape([R, 1]); // [R, 1]
  return np.divide(np.maximum(np.subtract(np.multiply(wanted, k), least), 0), 1 - noise); // [R, K]
}

/** What comes of laws of intentions, or of single ones, one-hot: [R, K] to [R, K]. */
export function outcome(intended: np.Array, noise: number): np.Array {
  const [, K] = intended.shape;
  return np.add(np.multiply(intended, 1 - noise), noise / K); // [R, K]
}

/** Throws one sentence unless some of what is intended comes true. */
export function checkNoise(noise: number): void {
  if (!(noise >= 0 && noise < 1)) {
    throw new RangeError(`scenario: noise must be from 0 on and below 1, got ${noise}`);
  }
}
