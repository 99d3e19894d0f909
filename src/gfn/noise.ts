// Stick noise: with probability α the environment draws uniformly among what is legal, maybe what was intended.

import { numpy as np } from "@jax-js/jax";

export function checkStick(where: string, stick: number): void {
  if (!(stick >= 0 && stick < 1)) throw new RangeError(`${where}: stick must be in [0, 1), got ${stick}`);
}

/**
 * Outcomes of intentions, both one-hot [B, C]. `legal` is 0/1, [B, C] or [1, C]; `uniform` is [B, 2]: whether to
 * replace, and by which. `stick` is one number, or one for each row, [B, 1].
 */
export function stickNoise(
  intended: np.Array,
  legal: np.Array,
  uniform: np.Array,
  stick: number | np.Array,
): np.Array {
  if (stick === 0) return intended; // [B, C]
  const [forChance, forDraw] = np.split(uniform, 2, 1); // [B, 1], [B, 1]
  const count = np.sum(legal, 1, { keepdims: true }); // [B, 1] or [1, 1]
  const rank = np.floor(np.multiply(forDraw, count)); // [B, 1], which of the legal ones
  const order = np.subtract(np.cumsum(legal, 1), 1); // [B, C] or [1, C], rank of each legal one
  const chosen = np.equal(order, rank).astype(np.float32); // [B, C], also true at illegal ones after it
  const drawn = np.multiply(chosen, legal); // [B, C]
  return np.where(np.less(forChance, stick), drawn, intended); // [B, C]
}
