// Layer normalisation along the last axis (Ba et al. 2016).
//
// The derivative is hand-written (see with-gradient.ts), because automatic differentiation through mean and variance
// takes twice as many operations. Second derivatives are therefore wrong.

import { lax, numpy as np } from "@jax-js/jax";
import { checkLastAxis, checkSizes } from "./checks.ts";
import { ones, zeros } from "./init.ts";
import type { Module } from "./module.ts";
import type { ParamSpec } from "./params.ts";

/** Parameters of layer normalisation. */
export type LayerNormParams = { readonly gain: ParamSpec; readonly bias: ParamSpec };

/** Standardises each row of [..., width] to mean 0 and variance 1 and applies a learned gain and bias. */
export function layerNorm(
  width: number,
  { epsilon = 1e-5 }: { readonly epsilon?: number } = {},
): Module<LayerNormParams> {
  checkSizes("layerNorm", { width });
  if (!(epsilon > 0)) throw new RangeError(`layerNorm: epsilon must be positive, got ${epsilon}`);
  return {
    params: { gain: { shape: [width], init: ones }, bias: { shape: [width], init: zeros } },
    apply({ gain, bias }, x) {
      checkLastAxis("layerNorm", "x", x, width);
      const constant = lax.stopGradient(x); // [..., width]
      const centred = np.subtract(constant, np.mean(constant, -1, { keepdims: true })); // [..., width]
      const variance = np.mean(np.multiply(centred, centred), -1, { keepdims: true }); // [..., 1]
      const scale = np.reciprocal(np.sqrt(np.add(variance, epsilon))); // [..., 1]
      const standard = np.multiply(centred, scale); // [..., width]
      const differentiable = np.add(standard, tangentOf(np.subtract(x, constant), standard, scale)); // [..., width]
      return np.add(np.multiply(differentiable, gain), bias); // [..., width]
    },
  };
}

/**
 * Change of a standardised row [..., width] for a small change of x: that change minus its mean and minus its component
 * along the row, times the scale.
 */
function tangentOf(change: np.Array, standard: np.Array, scale: np.Array): np.Array {
  const minusMean = (rows: np.Array) =>
    np.multiply(np.sum(rows, -1, { keepdims: true }), -1 / standard.shape.at(-1)!); // [..., 1]
  const minusAlongRow = np.multiply(standard, minusMean(np.multiply(standard, change))); // [..., width]
  return np.multiply(np.add(np.add(change, minusMean(change)), minusAlongRow), scale); // [..., width]
}
