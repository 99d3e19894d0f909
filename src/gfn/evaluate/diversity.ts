// Quality and diversity of the best sequences, and their novelty relative to known sequences.

import { sortedByScore } from "../../math/circles.ts";
import { codesOf, distancesFrom, type Sequence } from "../../math/edit-distance.ts";
import { nearestSequences } from "../../math/nearest-sequence.ts";
import { mean, median } from "../../math/statistics.ts";

/** Rewards and diversity of the best distinct sequences. */
export interface TopK {
  /** Number of sequences: k, or fewer if there are fewer distinct ones. */
  readonly count: number;
  readonly mean: number;
  readonly median: number;
  readonly max: number;
  /** Mean edit distance over all pairs; NaN for fewer than two sequences. */
  readonly diversity: number;
}

/**
 * Reward and diversity of the k best distinct sequences.
 *
 * @example
 * ```ts
 * import { topK } from "gflownet/gfn";
 *
 * const { count, mean, diversity } = topK(["AAAA", "AAAC", "CCCC"], [3, 2, 1], 2);
 * console.log(count, mean, diversity); // 2 2.5 1
 * ```
 */
export function topK(sequences: readonly Sequence[], rewards: ArrayLike<number>, k = 100): TopK {
  if (!Number.isInteger(k) || k < 1)
    throw new RangeError(`topK: k must be a positive whole number, got ${k}`);
  if (sequences.length === 0) throw new RangeError("topK: there must be at least one sequence, got none");
  const best = sortedByScore(sequences, rewards).slice(0, k);
  const values = best.map((i) => rewards[i]);
  return {
    count: best.length,
    mean: mean(values),
    median: median(values),
    max: values[0],
    diversity: meanPairwiseDistance(best.map((i) => sequences[i])),
  };
}

/** Mean edit distance over all pairs of sequences; NaN for fewer than two. */
export function meanPairwiseDistance(sequences: readonly Sequence[]): number {
  const letters = sequences.map(codesOf);
  let sum = 0;
  for (let i = 1; i < letters.length; i++) {
    const distanceTo = distancesFrom(letters[i]);
    for (let j = 0; j < i; j++) sum += distanceTo(letters[j]);
  }
  return (2 * sum) / (letters.length * (letters.length - 1));
}

/** For each sequence the edit distance to the nearest known sequence, and the mean of these distances. */
export function novelty(
  sequences: readonly Sequence[],
  knownSequences: readonly Sequence[],
): { readonly mean: number; readonly distances: number[] } {
  if (knownSequences.length === 0)
    throw new RangeError("novelty: there must be at least one known sequence, got none");
  if (sequences.length === 0) throw new RangeError("novelty: there must be at least one sequence, got none");
  const distances = nearestSequences(sequences, knownSequences).map(({ distance }) => distance);
  return { mean: mean(distances), distances };
}
