// Clipping a gradient by its norm.

import { numpy as np } from "@jax-js/jax";

export interface Clipped {
  /** [P], of norm at most `maxNorm`. */
  readonly gradient: np.Array;
  /** Norm before clipping, []. */
  readonly norm: np.Array;
}

/** Scales the gradient [P] down to `maxNorm` if it is longer; a shorter one, zero too, stays exactly as it is. */
export function clipByGlobalNorm(gradient: np.Array, maxNorm: number): Clipped {
  if (!(maxNorm > 0)) throw new RangeError(`clipByGlobalNorm: maxNorm must be positive, got ${maxNorm}`);
  const norm = np.sqrt(np.dot(gradient, gradient)); // []
  const scale = np.minimum(np.divide(maxNorm, norm), 1); // [], maxNorm / 0 is Infinity
  return { gradient: np.multiply(gradient, scale), norm }; // [P], []
}
