// Numbers for the prefixes of token sequences.
//
// A prefix over an alphabet of A tokens has the index of its node in an A-ary heap: the empty prefix is 0, and child c
// of node i is i·A + c + 1. Where those outgrow int32, a large odd number takes the place of A and the index wraps:
// a polynomial hash modulo 2³². (Powers of an even A would vanish modulo 2³² and forget all but the last tokens.)

import { numpy as np } from "@jax-js/jax";
import { checkShape, checkSizes, ShapeError } from "./checks.ts";

export interface PrefixOptions {
  /** Number of tokens; tokens are 0 to alphabet − 1. */
  readonly alphabet: number;
  /** Tokens in the longest prefix. */
  readonly maxLength: number;
}

export interface PrefixIndex {
  /** Number of prefixes up to the longest, the empty one included; Infinity if too many for a double. */
  readonly count: number;
  /** Whether indices are heap positions, all different and below `count`; otherwise they are hashes. */
  readonly exact: boolean;
  /** Index of the empty prefix. */
  readonly root: 0;
  /** Indices of the prefixes one token longer; int32 arrays of one shape. */
  child(index: np.Array, token: np.Array): np.Array;
  /** Indices of all prefixes of sequences: int32 tokens [B, T] give [B, T + 1], the empty prefix first. */
  all(tokens: np.Array): np.Array;
}

/** A prime next to 2³²·(√5 − 1)/2: odd, with well-mixed bits. */
export const HASH_MULTIPLIER = 0x9e3779b1;

export function prefixIndex({ alphabet, maxLength }: PrefixOptions): PrefixIndex {
  checkSizes("prefixIndex", { alphabet, maxLength });
  const count = countPrefixes(alphabet, maxLength);
  const exact = count <= 2 ** 31;
  const multiplier = exact ? alphabet : HASH_MULTIPLIER | 0;
  return {
    count,
    exact,
    root: 0,
    child(index, token) {
      return np.add(np.add(np.multiply(index, int32(multiplier)), token), 1); // [...]
    },
    all(tokens) {
      checkShape("prefixIndex.all", "tokens", tokens, ["B", "T"]);
      const length = tokens.shape[1];
      if (length > maxLength) {
        throw new ShapeError("prefixIndex.all", `T must be at most ${maxLength}`, tokens.shape);
      }
      const powers = np.array(powerTable(multiplier, length), { shape: [length, length + 1] }); // [T, T + 1]
      return np.matmul(np.add(tokens, 1), powers); // [B, T + 1]
    },
  };
}

/** An int32 scalar: a bare number would pass through float32 and lose its low bits. */
export function int32(value: number): np.Array {
  return np.array(value | 0, { dtype: np.int32 }); // []
}

function countPrefixes(alphabet: number, maxLength: number): number {
  let count = 1;
  for (let length = 0; length < maxLength && count < Infinity; length++) count = count * alphabet + 1;
  return count;
}

/** Entry [s, t] is multiplier^(t − 1 − s), wrapped to int32, or 0 for s ≥ t: what token s adds to prefix t. */
function powerTable(multiplier: number, length: number): Int32Array {
  const table = new Int32Array(length * (length + 1));
  for (let s = 0; s < length; s++) {
    let power = 1;
    for (let t = s + 1; t <= length; t++) {
      table[s * (length + 1) + t] = power;
      power = Math.imul(power, multiplier);
    }
  }
  return table;
}
