// Activation reuse: the training pass takes activations that the rollout computed and adds only their derivatives.
//
// A rollout and the training pass after it compute the same activations of the same states with the same parameters.
// If the training pass uses the recorded values, simplification of the graph drops its forward computations.

import { lax, numpy as np } from "@jax-js/jax";

/**
 * A function that networks call with each of their activations. It returns the activation, or a replacement of the same
 * value. `merge` combines the values that several recorded passes have for this activation; default: concatenation
 * along the first axis.
 */
export type ActivationHook = (
  activation: np.Array,
  merge?: (recorded: readonly np.Array[]) => np.Array,
) => np.Array;

/** An array with the value of the first argument and the derivatives of x. Both have the same shape. */
export function withValueOf(value: np.Array, x: np.Array): np.Array {
  const zero = np.subtract(x, lax.stopGradient(x)); // [...], 0 with the derivatives of x
  return np.add(lax.stopGradient(value), zero); // [...]
}

/** Records the activations of a pass, so that a later pass can reuse them. */
export interface ActivationRecorder {
  /** Activations in the order of the calls. */
  readonly recorded: np.Array[];
  readonly hook: ActivationHook;
}

/** A hook that records all activations of one pass. */
export function activationRecorder(): ActivationRecorder {
  const recorded: np.Array[] = [];
  return {
    recorded,
    hook(activation) {
      recorded.push(activation);
      return activation;
    },
  };
}

/** A hook that replaces the activations of a pass, in order, by those of one or more recorded passes. */
export function reuseActivations(passes: readonly (readonly np.Array[])[]): ActivationHook {
  let next = 0;
  return (activation, merge = (recorded) => np.concatenate([...recorded], 0)) => {
    const recorded = passes.map((activations) => activations[next]);
    next++;
    return withValueOf(merge(recorded), activation);
  };
}
