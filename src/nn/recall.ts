// Values computed once and differentiated later.
//
// A rollout and the training pass after it compute the same sums of the same states with the same parameters. The pass
// needs only their derivatives; with the values recalled, its forward products fall away when the graph is simplified.

import { lax, numpy as np } from "@jax-js/jax";

/**
 * Looks at the sums of a network's layers as they are computed, and may put something else in their place. Where that was
 * noted in several passes, `join` makes one array of theirs: one under the other, unless told.
 */
export type EachSum = (sum: np.Array, join?: (noted: readonly np.Array[]) => np.Array) => np.Array;

/** Has the value given and the derivatives of x. Both have one shape. */
export function recalled(value: np.Array, x: np.Array): np.Array {
  const zero = np.subtract(x, lax.stopGradient(x)); // [...], moves with x in derivatives only
  return np.add(lax.stopGradient(value), zero); // [...]
}

/** Notes all sums of one pass, in order. */
export function recorder(): { readonly sums: np.Array[]; readonly each: EachSum } {
  const sums: np.Array[] = [];
  return {
    sums,
    each(sum) {
      sums.push(sum);
      return sum;
    },
  };
}

/** Puts sums noted in one or more passes in place of those of another, in the same order. */
export function recalling(passes: readonly (readonly np.Array[])[]): EachSum {
  let next = 0;
  return (sum, join = (noted) => np.concatenate([...noted], 0)) => {
    const noted = passes.map((sums) => sums[next]);
    next++;
    return recalled(join(noted), sum);
  };
}
