// State table: one row of learned numbers per state, or per hash bucket of states if there are fewer rows than states.
//
// The rows are added to the outputs of a network and start at zero. The network generalises over states; the table
// corrects single states. With one row per state, the sum can represent any policy.

import { numpy as np } from "@jax-js/jax";
import { checkSizes } from "./checks.ts";
import type { TableParams } from "./embedding.ts";
import { hashBucket } from "./hash.ts";
import { zeros } from "./init.ts";
import type { Module } from "./module.ts";

/** Parameters of a state table. */
export type StateTableParams = TableParams;

/** Options of `stateTable`. */
export interface StateTableOptions {
  /** Number of states that have a row. States with higher indices get zeros. */
  readonly states: number;
  /** Largest number of rows. With fewer rows than states, states share rows by hashing. */
  readonly rows: number;
  readonly width: number;
}

/** Maps int32 state indices [R] to rows [R, width]. Indices of `states` and above give zeros, or, with `ignoresOthers`, any
 * numbers, which takes four operations less. */
export function stateTable({
  states,
  rows,
  width,
}: StateTableOptions): Module<StateTableParams, [index: np.Array, ignoresOthers?: boolean]> {
  checkSizes("stateTable", { states, rows, width });
  if (rows > 2 ** 31) throw new RangeError(`stateTable: rows must be at most 2^31, got ${rows}`);
  const isHashed = rows < states;
  const size = isHashed ? rows : states;
  return {
    params: { table: { shape: [size, width], init: zeros } },
    apply({ table }, index, ignoresOthers = false) {
      if (ignoresOthers) return np.take(table, isHashed ? hashBucket(index, size) : index, 0); // [R, width]
      const hasRow = np.less(index, np.array(states, { dtype: np.int32 })); // [R]
      const inside = np.where(hasRow, index, 0); // [R]
      const found = np.take(table, isHashed ? hashBucket(inside, size) : inside, 0); // [R, width]
      return np.multiply(found, hasRow.astype(np.float32).reshape([-1, 1])); // [R, width]
    },
  };
}
