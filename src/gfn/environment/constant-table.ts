// Constants of traced functions.

import { numpy as np } from "@jax-js/jax";

/**
 * A constant of traced functions. It is made once and used in all calls, because a program stores each large array that
 * is made anew, even if it has the same content as another.
 */
export function constantTable(data: Int32Array | Float32Array, shape: number[]): () => np.Array {
  let array: np.Array | undefined;
  return () => (array ??= np.array(data, { shape })); // shape
}
