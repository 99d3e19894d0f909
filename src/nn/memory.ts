// Prefix memory: one learned row per prefix, or per bucket of prefixes when there are too many.
//
// Its rows are added to what a network says. Where a network must generalise, the table need not: it corrects single
// states, starts at zero, and with a row for every prefix makes the sum able to represent any policy.

import { numpy as np } from "@jax-js/jax";
import { checkSizes } from "./checks.ts";
import type { TableParams } from "./embedding.ts";
import { zeros } from "./init.ts";
import { type MlpOptions, type MlpParams, mlp } from "./mlp.ts";
import type { Module } from "./module.ts";
import type { ArraysOf } from "./params.ts";
import { int32, type PrefixIndex, type PrefixOptions, prefixIndex } from "./prefix-index.ts";

export interface MemoryOptions extends PrefixOptions {
  /** Rows to spend at most; every prefix has its own if there are enough. */
  readonly rows: number;
  readonly width: number;
}

export interface PrefixMemory extends Module<TableParams, [index: np.Array]> {
  readonly prefixes: PrefixIndex;
  /** Whether prefixes share rows. */
  readonly hashed: boolean;
  /** The table row of each prefix index. */
  rowOf(index: np.Array): np.Array;
}

/** Maps int32 prefix indices [...] to rows [..., width]. */
export function prefixMemory({ alphabet, maxLength, rows, width }: MemoryOptions): PrefixMemory {
  checkSizes("prefixMemory", { alphabet, maxLength, rows, width });
  const prefixes = prefixIndex({ alphabet, maxLength });
  return { prefixes, ...hashedTable("prefixMemory", prefixes.count, rows, width) };
}

/** A table of rows, its own for each of `count` numbers if they are enough, else shared by hashing. */
function hashedTable(where: string, count: number, rows: number, width: number) {
  if (rows > 2 ** 31) throw new RangeError(`${where}: rows must be at most 2^31, got ${rows}`);
  const hashed = rows < count;
  const used = hashed ? rows : count;
  const rowOf = (index: np.Array) => (hashed ? bucket(index, used) : index); // [...]
  return {
    hashed,
    rowOf,
    params: { table: { shape: [used, width], init: zeros } },
    apply({ table }: ArraysOf<TableParams>, index: np.Array): np.Array {
      return np.take(table, rowOf(index), 0); // [..., width]
    },
  };
}

export type StateMemoryParams = TableParams;

export interface StateMemoryOptions {
  /** States that are remembered; higher numbers get no memory. */
  readonly states: number;
  readonly rows: number;
  readonly width: number;
}

/** Maps int32 state numbers [R] to rows [R, width]: zeros for numbers beyond the states it is for. */
export function stateMemory({
  states,
  rows,
  width,
}: StateMemoryOptions): Module<TableParams, [index: np.Array]> {
  checkSizes("stateMemory", { states, rows, width });
  const table = hashedTable("stateMemory", states, rows, width);
  return {
    params: table.params,
    apply(params, index) {
      const known = np.less(index, np.array(states, { dtype: np.int32 })); // [R]
      const found = table.apply(params, np.where(known, index, 0)); // [R, width]
      return np.multiply(found, known.astype(np.float32).reshape([-1, 1])); // [R, width]
    },
  };
}

export type MemoryMlpParams = { readonly mlp: MlpParams; readonly memory: TableParams };

export interface MemoryMlpOptions extends MlpOptions, PrefixOptions {
  readonly rows: number;
}

export interface MemoryMlp extends Module<MemoryMlpParams, [x: np.Array, index: np.Array]> {
  readonly prefixes: PrefixIndex;
}

/** A perceptron of x [..., inputs] plus the memory of prefix indices [...]: together [..., outputs]. */
export function memoryMlp({ alphabet, maxLength, rows, ...options }: MemoryMlpOptions): MemoryMlp {
  const network = mlp(options);
  const memory = prefixMemory({ alphabet, maxLength, rows, width: options.outputs });
  return {
    prefixes: memory.prefixes,
    params: { mlp: network.params, memory: memory.params },
    apply(params, x, index) {
      return np.add(network.apply(params.mlp, x), memory.apply(params.memory, index)); // [..., outputs]
    },
  };
}

/** Spreads indices over `rows` buckets: two rounds of xor-shift and multiply (Wellons' lowbias32), then the top bits. */
function bucket(index: np.Array, rows: number): np.Array {
  const first = np.multiply(xorShift(index, 16), int32(0x7feb352d)); // [...]
  const mixed = np.multiply(xorShift(first, 15), int32(0x846ca68b)); // [...]
  const bits = Math.log2(rows);
  // Right shifts are logical, so the result is not negative.
  if (Number.isInteger(bits) && bits > 0) return np.rightShift(mixed, int32(32 - bits)); // [...]
  const positive = np.rightShift(mixed, int32(1)); // [...]
  return positive.mod(int32(rows)); // [...]
}

function xorShift(x: np.Array, bits: number): np.Array {
  return np.bitwiseXor(x, np.rightShift(x, int32(bits))); // [...]
}
