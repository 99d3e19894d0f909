// An embedding: a table of learned rows, looked up by index.

import { numpy as np } from "@jax-js/jax";
import { checkSizes } from "./checks.ts";
import { type Initialiser, normal } from "./init.ts";
import type { Module } from "./module.ts";
import type { ParamSpec } from "./params.ts";

/** Parameters of a table with one row of learned numbers per index. */
export type TableParams = { readonly table: ParamSpec };

/** Maps int32 indices [...] from 0 to rows − 1 to their rows [..., width]. */
export function embedding(
  rows: number,
  width: number,
  { init = normal(1 / Math.sqrt(width)) }: { readonly init?: Initialiser } = {},
): Module<TableParams, [index: np.Array]> {
  checkSizes("embedding", { rows, width });
  return {
    params: { table: { shape: [rows, width], init } },
    apply({ table }, index) {
      return np.take(table, index, 0); // [..., width]
    },
  };
}
