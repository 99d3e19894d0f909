// Samples indices in proportion to weights, by the inverse of their cumulative sums: from a table of sums for many
// samples with the same weights, or without a table for one sample from a few weights.

import { firstIndexWhere } from "./bisection.ts";

export interface IndexSampler {
  /** The sum of the weights. It must be positive for sampling. */
  readonly sum: number;
  /** The sampled index for a uniform random number in [0, 1). */
  indexOf(uniform: number): number;
}

export function indexSampler(weights: Float64Array): IndexSampler {
  let sum = 0;
  const cumulative = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  // The last index is chosen without a comparison, so that a rounding error cannot give an index beyond it.
  return {
    sum,
    indexOf: (uniform) => firstIndexWhere(cumulative.length - 1, (i) => cumulative[i] > uniform * sum),
  };
}

/**
 * The index from `first` to `end` − 1 that a uniform random number selects. Probabilities in this range must sum to 1.
 */
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
