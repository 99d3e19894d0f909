// Samples indices in proportion to weights, by the inverse of their cumulative sums: from a table of sums for many samples
// of the same weights, or without a table for one sample of a few.

import { firstIndexWhere } from "./bisection.ts";

export interface IndexSampler {
  /** The sum of the weights. Without a positive sum there is nothing to sample. */
  readonly sum: number;
  /** The index of a uniform random number in [0, 1). */
  indexOf(uniform: number): number;
}

export function indexSampler(weights: Float64Array): IndexSampler {
  let sum = 0;
  const cumulative = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  // The last index needs no comparison, so that rounding cannot lead beyond it.
  return {
    sum,
    indexOf: (uniform) => firstIndexWhere(cumulative.length - 1, (i) => cumulative[i] > uniform * sum),
  };
}

/** One index from `first` to `end` − 1 in proportion to probabilities that sum to 1 there, for a uniform random number. */
export function indexInRange(
  probabilities: Float64Array,
  first: number,
  end: number,
  uniform: number,
): number {
  let i = first;
  for (let rest = uniform - probabilities[i]; rest >= 0 && i < end - 1; ) rest -= probabilities[++i];
  return i;
}
