// Layer normalisation along the last axis (Ba et al. 2016).
//
// The derivative is written by hand (see with-gradient.ts): the chain rule through mean and variance takes twice as many
// operations. Second derivatives are not those of the formula.

import { lax, numpy as np } from "@jax-js/jax";
import { checkLastAxis, checkSizes } from "./checks.ts";
import { ones, zeros } from "./init.ts";
import type { Module } from "./module.ts";
import type { ParamSpec } from "./params.ts";

export type LayerNormParams = { readonly gain: ParamSpec; readonly bias: ParamSpec };

/** Gives each row of [..., width] mean 0 and variance 1, then a learned gain and bias. */
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
      const at = lax.stopGradient(x); // [..., width]
      const centred = np.subtract(at, np.mean(at, -1, { keepdims: true })); // [..., width]
      const variance = np.mean(np.multiply(centred, centred), -1, { keepdims: true }); // [..., 1]
      const scale = np.reciprocal(np.sqrt(np.add(variance, epsilon))); // [..., 1]
      const standard = np.multiply(centred, scale); // [..., width]
      const moved = np.add(standard, alongside(np.subtract(x, at), standard, scale)); // [..., width]
      return np.add(np.multiply(moved, gain), bias); // [..., width]
    },
  };
}

/** How a standard row [..., width] moves with a small change of x: the change less its mean and its part along the row. */
function alongside(change: np.Array, standard: np.Array, scale: np.Array): np.Array {
  const minusMean = (rows: np.Array) =>
    np.multiply(np.sum(rows, -1, { keepdims: true }), -1 / standard.shape.at(-1)!); // [..., 1]
  const turned = np.multiply(standard, minusMean(np.multiply(standard, change))); // [..., width]
  return np.multiply(np.add(np.add(change, minusMean(change)), turned), scale); // [..., width]
}
