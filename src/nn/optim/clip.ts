// Gradient clipping by the global norm.

import { numpy as np } from "@jax-js/jax";

/** A gradient after clipping, with its norm before. */
export interface ClippedGradient {
  /** The clipped gradient, [P]. */
  readonly gradient: np.Array;
  /** The norm before clipping, []. */
  readonly norm: np.Array;
}

/**
 * Scales a gradient [P] to the norm `maxNorm` if its norm is larger. Smaller gradients, including zero, are unchanged.
 */
export function clipByGlobalNorm(gradient: np.Array, maxNorm: number): ClippedGradient {
  if (!(maxNorm > 0)) throw new RangeError(`clipByGlobalNorm: maxNorm must be positive, got ${maxNorm}`);
  const norm = np.sqrt(np.dot(gradient, gradient)); // []
  const scale = np.minimum(np.divide(maxNorm, norm), 1); // [], maxNorm / 0 is Infinity
  return { gradient: np.multiply(gradient, scale), norm }; // [P], []
}
