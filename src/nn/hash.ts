// Integer hashing inside programs, in int32 arithmetic that wraps around.

import { numpy as np } from "@jax-js/jax";

/** Multiplier of polynomial hashes: a prime near 2³²·(√5 − 1)/2, odd and with well-mixed bits. */
export const HASH_MULTIPLIER = 0x9e3779b1;

/** An int32 scalar. (jax-js would convert a plain number to float32, which loses its low bits.) */
export function int32(value: number): np.Array {
  return np.array(value | 0, { dtype: np.int32 }); // []
}

/** Bucket from 0 to buckets − 1 of each int32 index [...]: two rounds of xor-shift and multiply (Wellons' lowbias32). */
export function hashBucket(index: np.Array, buckets: number): np.Array {
  const first = np.multiply(xorShift(index, 16), int32(0x7feb352d)); // [...]
  const mixed = np.multiply(xorShift(first, 15), int32(0x846ca68b)); // [...]
  const bits = Math.log2(buckets);
  // Right shifts are logical, so the result is not negative.
  if (Number.isInteger(bits) && bits > 0) return np.rightShift(mixed, int32(32 - bits)); // [...]
  const positive = np.rightShift(mixed, int32(1)); // [...]
  return positive.mod(int32(buckets)); // [...]
}

function xorShift(x: np.Array, bits: number): np.Array {
  return np.bitwiseXor(x, np.rightShift(x, int32(bits))); // [...]
}
