// The interface of networks and layers: a tree of parameter specs, and a pure function of the parameter arrays.

import type { numpy as np } from "@jax-js/jax";
import type { ArraysOf, ParamTree } from "./params.ts";

/** A network or layer. It holds no parameter values; `layout(module.params)` initialises and splits them. */
export interface Module<
  P extends ParamTree,
  Inputs extends readonly unknown[] = [x: np.Array],
  Output = np.Array,
> {
  readonly params: P;
  apply(params: ArraysOf<P>, ...inputs: Inputs): Output;
}
