// One update of parameters: gradient clipping, then the optimiser.

import { numpy as np } from "@jax-js/jax";
import type { AdamState, Optimiser } from "./adam.ts";
import { clipByGlobalNorm } from "./clip.ts";

/** The result of one optimiser step. */
export interface OptimiserStep {
  /** Updated parameters, [P]. */
  readonly params: np.Array;
  readonly state: AdamState;
  /** Norm of the gradient before clipping, []. */
  readonly norm: np.Array;
}

/** Updates parameters [P] with a gradient [P]. A `maxNorm` of 0 (default) does not clip. */
export function optimiserStep(
  optimiser: Optimiser,
  params: np.Array,
  gradient: np.Array,
  state: AdamState,
  maxNorm = 0,
): OptimiserStep {
  const clipped =
    maxNorm === 0
      ? { gradient, norm: np.sqrt(np.dot(gradient, gradient)) } // [P], []
      : clipByGlobalNorm(gradient, maxNorm); // [P], []
  return { ...optimiser.update(params, clipped.gradient, state), norm: clipped.norm };
}
