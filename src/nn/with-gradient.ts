// A value with a hand-written derivative.
//
// Automatic differentiation can need many operations (tanh) or overflow (the sigmoid of a large negative number gives 0
// · ∞). A hand-written derivative that is computed from the value needs fewer operations and does not overflow. It is
// treated as constant, so second derivatives are zero.

import { lax, numpy as np } from "@jax-js/jax";

/**
 * An array with this value and this elementwise derivative with respect to x. The value, the derivative and x have the
 * same shape.
 */
export function withGradient(x: np.Array, value: np.Array, derivative: np.Array): np.Array {
  const zero = np.subtract(x, lax.stopGradient(x)); // [...], 0 with the derivatives of x
  return np.add(lax.stopGradient(value), np.multiply(zero, lax.stopGradient(derivative))); // [...]
}
