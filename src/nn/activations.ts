// Elementwise activation functions and softmaxes. They do not overflow for any finite input and have an absolute error
// of about 1e-7 in float32. Derivatives of activations are hand-written (see with-gradient.ts), so second derivatives
// are zero.
//
// Softmaxes work along the last axis. The mask `allowed` is true for entries that may be chosen.

import { lax, numpy as np } from "@jax-js/jax";
import { ACTIVATION_NAMES, type ActivationName } from "./activation-names.ts";
import type { ActivationHook } from "./activation-reuse.ts";
import { withGradient } from "./with-gradient.ts";

export type { ActivationName };
/** An elementwise activation function. */
export type Activation = (x: np.Array) => np.Array;

/** Logit of a masked entry. It is finite, so that no gradient becomes NaN. */
export const MASKED_LOGIT = -1e9;

/** max(0, x), with derivative 0 at 0. The hook may replace the value by the value that an earlier pass recorded. */
export function relu(x: np.Array, hook: ActivationHook = (value) => value): np.Array {
  const value = hook(np.maximum(0, x)); // [...]
  // The derivative depends on the value only. So x has no other use, and the engine can fuse relu with the linear layer
  // that computes x.
  return withGradient(x, value, np.less(0, value).astype(np.float32)); // [...]
}

/** x Φ(x) with the cumulative distribution function Φ of the standard normal, exact (Hendrycks and Gimpel 2016). */
export function gelu(x: np.Array): np.Array {
  const cdf = np.add(np.multiply(lax.erf(np.multiply(x, Math.SQRT1_2)), 0.5), 0.5); // [...], Φ(x)
  const density = np.exp(np.multiply(np.multiply(x, x), -0.5)); // [...], √(2π) φ(x)
  const slope = np.add(cdf, np.multiply(np.multiply(x, 1 / Math.sqrt(2 * Math.PI)), density)); // [...]
  return withGradient(x, np.multiply(x, cdf), slope); // [...]
}

/** The hyperbolic tangent. */
export function tanh(x: np.Array): np.Array {
  const value = np.subtract(1, np.divide(2, np.add(np.exp(np.multiply(x, 2)), 1))); // [...]
  return withGradient(x, value, np.subtract(1, np.multiply(value, value))); // [...]
}

/** 1 / (1 + exp(−x)). */
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

/** Activation functions by their names in settings. */
export const activations = {
  relu,
  gelu,
  tanh,
  sigmoid,
  softplus,
  silu,
  logSigmoid,
  identity,
} as const satisfies Readonly<Record<ActivationName, Activation>>;

/** The activation of this name. The error for an unknown name starts with `where` and lists all names. */
export function activationByName(where: string, name: string): Activation {
  if (Object.hasOwn(activations, name)) return activations[name as ActivationName];
  throw new RangeError(`${where}: activation must be one of ${ACTIVATION_NAMES.join(", ")}, got ${name}`);
}

/** log Σ exp(x) along the last axis: [..., A] to [...]. */
export function logSumExp(x: np.Array): np.Array {
  const peak = np.max(lax.stopGradient(x), -1); // [...]
  const shifted = np.subtract(x, peak.reshape([...peak.shape, 1])); // [..., A]
  return np.add(np.log(np.sum(np.exp(shifted), -1)), peak); // [...]
}

/** The softmax along the last axis: exp(x) divided by its sum. */
export function softmax(x: np.Array): np.Array {
  const weights = np.exp(shiftedToZero(x)); // [..., A]
  return np.divide(weights, np.sum(weights, -1, { keepdims: true })); // [..., A]
}

/** The logarithm of the softmax along the last axis. */
export function logSoftmax(x: np.Array): np.Array {
  const shifted = shiftedToZero(x); // [..., A]
  return np.subtract(shifted, np.log(np.sum(np.exp(shifted), -1, { keepdims: true }))); // [..., A]
}

/** Softmax over the allowed entries; the others get exactly 0. A row without allowed entries gives a uniform row. */
export function maskedSoftmax(x: np.Array, allowed: np.Array): np.Array {
  return softmax(np.where(allowed, x, MASKED_LOGIT)); // [..., A]
}

/**
 * Log-softmax over the allowed entries; the others get about −10⁹ and no gradient. A row without allowed entries, such
 * as padding, gives a uniform row and no NaN.
 */
export function maskedLogSoftmax(x: np.Array, allowed: np.Array): np.Array {
  return logSoftmax(np.where(allowed, x, MASKED_LOGIT)); // [..., A]
}

function logistic(x: np.Array): np.Array {
  return np.reciprocal(np.add(np.exp(np.negative(x)), 1)); // [...]
}

function logOnePlusExpMinusAbs(x: np.Array): np.Array {
  return np.log(np.add(np.exp(np.minimum(x, np.negative(x))), 1)); // [...]
}

/** x minus its maximum. No gradient flows through the maximum, because the shift cancels in a softmax. */
function shiftedToZero(x: np.Array): np.Array {
  return np.subtract(x, np.max(lax.stopGradient(x), -1, { keepdims: true })); // [..., A]
}
