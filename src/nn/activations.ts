// Elementwise activations, softmaxes and their logarithms: no overflow at any finite input, an absolute error of about
// 1e-7 in float32, and few operations. Derivatives are written by hand (see with-gradient.ts), so second derivatives
// are zero.
//
// Softmaxes work along the last axis. Masks are positive: `allowed` is true where something may be chosen.

import { lax, numpy as np } from "@jax-js/jax";
import type { EachSum } from "./recall.ts";
import { withGradient } from "./with-gradient.ts";

export type Activation = (x: np.Array) => np.Array;

/** The logit of something that may not be chosen: finite, so that no gradient becomes NaN. */
export const FORBIDDEN = -1e9;

/** max(0, x), with derivative 0 at 0. `each` sees the value, and may put the same from elsewhere in its place. */
export function relu(x: np.Array, each: EachSum = (value) => value): np.Array {
  const value = each(np.maximum(0, x)); // [...]
  // The derivative is read off the value: nobody needs x again, so the engine can make it one step with what made x.
  return withGradient(x, value, np.less(0, value).astype(np.float32)); // [...]
}

/** x Φ(x) with the normal distribution function Φ, exact (Hendrycks and Gimpel 2016). */
export function gelu(x: np.Array): np.Array {
  const below = np.add(np.multiply(lax.erf(np.multiply(x, Math.SQRT1_2)), 0.5), 0.5); // [...], Φ(x)
  const density = np.exp(np.multiply(np.multiply(x, x), -0.5)); // [...], √(2π) φ(x)
  const slope = np.add(below, np.multiply(np.multiply(x, 1 / Math.sqrt(2 * Math.PI)), density)); // [...]
  return withGradient(x, np.multiply(x, below), slope); // [...]
}

export function tanh(x: np.Array): np.Array {
  const value = np.subtract(1, np.divide(2, np.add(np.exp(np.multiply(x, 2)), 1))); // [...]
  return withGradient(x, value, np.subtract(1, np.multiply(value, value))); // [...]
}

export function sigmoid(x: np.Array): np.Array {
  const value = logistic(x); // [...]
  return withGradient(x, value, np.subtract(value, np.multiply(value, value))); // [...]
}

/** log(1 + exp(x)). */
export function softplus(x: np.Array): np.Array {
  const value = np.add(np.maximum(0, x), logOnePlusExpMinusAbs(x)); // [...]
  return withGradient(x, value, np.exp(np.subtract(x, value))); // [...]
}

/** x sigmoid(x), also called swish. */
export function silu(x: np.Array): np.Array {
  const gate = logistic(x); // [...]
  const value = np.multiply(x, gate); // [...]
  return withGradient(x, value, np.add(value, np.multiply(gate, np.subtract(1, value)))); // [...]
}

/** log(sigmoid(x)). */
export function logSigmoid(x: np.Array): np.Array {
  const value = np.subtract(np.minimum(0, x), logOnePlusExpMinusAbs(x)); // [...]
  return withGradient(x, value, np.exp(np.subtract(value, x))); // [...]
}

export function identity(x: np.Array): np.Array {
  return x; // [...]
}

/** Activations by the name a configuration uses. */
export const activations = { relu, gelu, tanh, sigmoid, softplus, silu, logSigmoid, identity } as const;

export type ActivationName = keyof typeof activations;

/** Looks an activation up; the error lists the names there are. */
export function activationNamed(where: string, name: string): Activation {
  if (Object.hasOwn(activations, name)) return activations[name as ActivationName];
  throw new RangeError(
    `${where}: activation must be one of ${Object.keys(activations).join(", ")}, got ${name}`,
  );
}

/** log Σ exp(x) along the last axis, which disappears. */
export function logSumExp(x: np.Array): np.Array {
  const peak = np.max(lax.stopGradient(x), -1); // [...]
  const shifted = np.subtract(x, peak.reshape([...peak.shape, 1])); // [..., A]
  return np.add(np.log(np.sum(np.exp(shifted), -1)), peak); // [...]
}

export function softmax(x: np.Array): np.Array {
  const weights = np.exp(shiftedToZero(x)); // [..., A]
  return np.divide(weights, np.sum(weights, -1, { keepdims: true })); // [..., A]
}

export function logSoftmax(x: np.Array): np.Array {
  const shifted = shiftedToZero(x); // [..., A]
  return np.subtract(shifted, np.log(np.sum(np.exp(shifted), -1, { keepdims: true }))); // [..., A]
}

/** Softmax over the allowed entries; the others get exactly 0. A row that allows nothing comes out uniform. */
export function maskedSoftmax(x: np.Array, allowed: np.Array): np.Array {
  return softmax(np.where(allowed, x, FORBIDDEN)); // [..., A]
}

/**
 * Log-softmax over the allowed entries; the others get about −10⁹ and no gradient. A row that allows nothing comes
 * out uniform, so that padding never makes a NaN.
 */
export function maskedLogSoftmax(x: np.Array, allowed: np.Array): np.Array {
  return logSoftmax(np.where(allowed, x, FORBIDDEN)); // [..., A]
}

function logistic(x: np.Array): np.Array {
  return np.reciprocal(np.add(np.exp(np.negative(x)), 1)); // [...]
}

function logOnePlusExpMinusAbs(x: np.Array): np.Array {
  return np.log(np.add(np.exp(np.minimum(x, np.negative(x))), 1)); // [...]
}

/** x minus its maximum, through which no gradient flows: none is needed, the shift cancels. */
function shiftedToZero(x: np.Array): np.Array {
  return np.subtract(x, np.max(lax.stopGradient(x), -1, { keepdims: true })); // [..., A]
}
