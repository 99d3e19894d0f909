// Layer normalisation along the last axis (Ba et al. 2016).

import { numpy as np } from "@jax-js/jax";
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
      const centred = np.subtract(x, np.mean(x, -1, { keepdims: true })); // [..., width]
      const variance = np.mean(np.multiply(centred, centred), -1, { keepdims: true }); // [..., 1]
      const standard = np.divide(centred, np.sqrt(np.add(variance, epsilon))); // [..., width]
      return np.add(np.multiply(standard, gain), bias); // [..., width]
    },
  };
}
