// A linear layer on the prefixes of a sequence: the input of a prefix has one block of columns per position, and blocks
// of positions that are not reached yet are zero.
//
// The product of every prefix with the whole weight matrix takes time and memory in proportion to the square of the
// length. Each step changes one block only, so its product with the weights of that block is added to the sum of the step
// before it.

import { numpy as np } from "@jax-js/jax";

/** The weights of a linear layer, [positions · width, outputs], as one matrix [width, outputs] per position. */
export function weightsByPosition(weight: np.Array, positions: number): np.Array[] {
  return np.split(weight, positions, 0);
}

/**
 * Σ_{s ≤ t} block_s W_s for each of the first L positions t of B sequences: blocks [L·B, width], ordered by position and
 * then by sequence, and weights [positions · width, outputs] give [L·B, outputs].
 */
export function prefixProducts(blocks: np.Array, weight: np.Array, B: number): np.Array {
  const [rows, width] = blocks.shape;
  const [inputs, outputs] = weight.shape;
  const L = rows / B;
  const used = L * width < inputs ? np.split(weight, [L * width], 0)[0] : weight; // [L·width, outputs]
  const products = np.matmul(blocks.reshape([L, B, width]), used.reshape([L, width, outputs])); // [L, B, outputs]
  const sums = np.matmul(notAfter(L), products.reshape([L, B * outputs])); // [L, B·outputs]
  return sums.reshape([L * B, outputs]); // [L·B, outputs]
}

/** 1 where position s is not after position t, [t, s]: its product with values by position is their cumulative sum. */
function notAfter(L: number): np.Array {
  const ones = Float32Array.from({ length: L * L }, (_, i) => +(i % L <= Math.floor(i / L)));
  return np.array(ones, { shape: [L, L] }); // [L, L]
}
