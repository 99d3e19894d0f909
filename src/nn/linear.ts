// A linear layer: x W + b along the last axis.

import { numpy as np } from "@jax-js/jax";
import { checkLastAxis, checkSizes } from "./checks.ts";
import { glorotUniform, type Initialiser, zeros } from "./init.ts";
import type { Module } from "./module.ts";
import type { ParamSpec } from "./params.ts";

/** Parameters of a linear layer. */
export type LinearParams = { readonly weight: ParamSpec; readonly bias?: ParamSpec };

/** Options of `linear`. */
export interface LinearOptions {
  /** Default: true. */
  readonly bias?: boolean;
  /** Default: Glorot uniform. */
  readonly weightInit?: Initialiser;
  /** Default: zeros. */
  readonly biasInit?: Initialiser;
}

/** Maps [..., inputs] to [..., outputs]. */
export function linear(
  inputs: number,
  outputs: number,
  { bias: hasBias = true, weightInit = glorotUniform, biasInit = zeros }: LinearOptions = {},
): Module<LinearParams> {
  checkSizes("linear", { inputs, outputs });
  const weight = { shape: [inputs, outputs], init: weightInit };
  return {
    params: hasBias ? { weight, bias: { shape: [outputs], init: biasInit } } : { weight },
    apply({ weight, bias }, x) {
      checkLastAxis("linear", "x", x, inputs);
      const flat = x.ndim === 2;
      const rows = flat ? x : x.reshape([-1, inputs]); // [R, inputs]
      const product = np.matmul(rows, weight); // [R, outputs]
      const sum = bias ? np.add(product, bias) : product; // [R, outputs]
      return flat ? sum : sum.reshape([...x.shape.slice(0, -1), outputs]); // [..., outputs]
    },
  };
}
