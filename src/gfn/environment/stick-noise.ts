// Stick noise: with probability `stick` the environment replaces an action by a uniform draw among the legal ones. The
// draw may be the original action again.

import { numpy as np } from "@jax-js/jax";

export function checkStick(where: string, stick: number): void {
  if (!(stick >= 0 && stick < 1)) throw new RangeError(`${where}: stick must be in [0, 1), got ${stick}`);
}

/**
 * Samples the outcomes [B, C] of one-hot actions [B, C]. `legal` is a 0/1 mask, [B, C] or [1, C]. `uniform` is [B, 2]:
 * the first number decides whether the action is replaced, the second one by which outcome. `stick` is one number, or
 * one per row, [B, 1].
 */
export function stickNoise(
  action: np.Array,
  legal: np.Array,
  uniform: np.Array,
  stick: number | np.Array,
): np.Array {
  if (stick === 0) return action; // [B, C]
  const [forReplacement, forOutcome] = np.split(uniform, 2, 1); // [B, 1], [B, 1]
  const count = np.sum(legal, 1, { keepdims: true }); // [B, 1] or [1, 1]
  const rank = np.floor(np.multiply(forOutcome, count)); // [B, 1], rank of the drawn outcome among the legal ones
  const legalRank = np.subtract(np.cumsum(legal, 1), 1); // [B, C] or [1, C]; an illegal outcome has the rank of the legal one before it
  const hasRank = np.equal(legalRank, rank).astype(np.float32); // [B, C]
  const drawn = np.multiply(hasRank, legal); // [B, C]
  return np.where(np.less(forReplacement, stick), drawn, action); // [B, C]
}

/** The kernel of stick noise where all outcomes are legal, [outcomes · outcomes] in float64: entry a · outcomes + c is the
 * probability that action a has outcome c. */
export function stickKernel(outcomes: number, stick: number): Float64Array {
  const kernel = new Float64Array(outcomes * outcomes).fill(stick / outcomes);
  for (let i = 0; i < kernel.length; i += outcomes + 1) kernel[i] += 1 - stick;
  return kernel;
}
