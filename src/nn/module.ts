// What every building block looks like: a tree of parameter specs and a pure function of arrays of that tree.

import type { numpy as np } from "@jax-js/jax";
import type { ArraysOf, ParamTree } from "./params.ts";

/** A network or a part of one. It holds no numbers; `layout(module.params)` makes and splits those. */
export interface Module<
  P extends ParamTree,
  Inputs extends readonly unknown[] = [x: np.Array],
  Output = np.Array,
> {
  readonly params: P;
  apply(params: ArraysOf<P>, ...inputs: Inputs): Output;
}
