// One-hot rows: encoding indices, reading indices back, and selecting the marked entries of other rows.

import { numpy as np } from "@jax-js/jax";

/** One-hot rows of whole numbers, [...] to float32 [..., width]. An index out of range gives a row of zeros. */
export function oneHot(indices: np.Array, width: number): np.Array {
  // Numbers are compared as float32, for which runtimes have the fastest comparison.
  const slots = np.arange(width).astype(np.float32); // [width]
  const column = indices.astype(np.float32).reshape([...indices.shape, 1]); // [..., 1]
  return np.equal(column, slots).astype(np.float32); // [..., width]
}

/** The indices of one-hot rows, counted from `first`: [..., K] to float32 [...]. A row of zeros gives 0. */
export function oneHotIndices(rows: np.Array, first = 0): np.Array {
  const K = rows.shape[rows.ndim - 1];
  return np.matmul(rows, np.arange(first, first + K).astype(np.float32)); // [...]
}

/**
 * The entry of each row at the position of the 1 in its one-hot row `marks`, [..., K] to [...]. A row of zeros gives 0.
 */
export function markedEntries(rows: np.Array, marks: np.Array): np.Array {
  return np.sum(np.multiply(rows, marks), rows.ndim - 1); // [...]
}

/** One-hot rows on the host, [indices · width]. A negative index gives a row of zeros. */
export function oneHotRows(indices: ArrayLike<number>, width: number): Float32Array {
  const rows = new Float32Array(indices.length * width);
  for (let row = 0; row < indices.length; row++) {
    if (indices[row] >= 0) rows[row * width + indices[row]] = 1;
  }
  return rows;
}
