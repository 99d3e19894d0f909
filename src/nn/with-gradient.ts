// A value with a derivative written by hand.
//
// jax-js differentiates by the chain rule alone, which can be long (tanh) or overflow (sigmoid of a large negative
// number gives 0 · ∞). Where the derivative is known in terms of the value, it is shorter and safer to say so.
// The derivative itself is held constant: differentiating twice gives zero.

import { lax, numpy as np } from "@jax-js/jax";

/** Has the given value, and the given elementwise derivative with respect to x. All three have one shape. */
export function withGradient(x: np.Array, value: np.Array, derivative: np.Array): np.Array {
  const zero = np.subtract(x, lax.stopGradient(x)); // [...], moves with x in derivatives only
  return np.add(lax.stopGradient(value), np.multiply(zero, lax.stopGradient(derivative))); // [...]
}
