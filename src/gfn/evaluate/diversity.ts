// How good and how different the best strings are, and how far they are from what was known before.

import { bestFirst, distinct, type Sequence } from "./modes.ts";

export interface TopK {
  /** How many sequences there were to average over: k, or fewer if there were not as many distinct ones. */
  readonly count: number;
  readonly mean: number;
  readonly median: number;
  readonly max: number;
  /** Mean edit distance over all pairs; NaN for fewer than two sequences. */
  readonly diversity: number;
}

/** Reward and diversity of the k best distinct sequences. */
export function topK(sequences: readonly Sequence[], rewards: ArrayLike<number>, k = 100): TopK {
  if (!Number.isInteger(k) || k < 1)
    throw new RangeError(`topK: k must be a positive whole number, got ${k}`);
  if (sequences.length === 0) throw new RangeError("topK: there are no sequences; give at least one");
  const best = bestFirst(sequences, rewards).slice(0, k);
  const values = best.map((i) => rewards[i]);
  const middle = (values.length - 1) / 2;
  return {
    count: best.length,
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    median: (values[Math.floor(middle)] + values[Math.ceil(middle)]) / 2,
    max: values[0],
    diversity: meanPairwiseDistance(best.map((i) => sequences[i])),
  };
}

/** Mean edit distance over all pairs of sequences; NaN for fewer than two. */
export function meanPairwiseDistance(sequences: readonly Sequence[]): number {
  let sum = 0;
  for (let i = 1; i < sequences.length; i++) {
    for (let j = 0; j < i; j++) sum += editDistance(sequences[i], sequences[j]);
  }
  return (2 * sum) / (sequences.length * (sequences.length - 1));
}

/** For each sequence the edit distance to the nearest known one, and their mean. */
export function novelty(
  sequences: readonly Sequence[],
  known: readonly Sequence[],
): { readonly mean: number; readonly distances: number[] } {
  if (known.length === 0) throw new RangeError("novelty: no known sequences were given; give at least one");
  if (sequences.length === 0) throw new RangeError("novelty: there are no sequences; give at least one");
  const different = distinct(known).map((i) => known[i]);
  const distances = sequences.map((sequence) => {
    let nearest = Number.POSITIVE_INFINITY;
    for (const other of different) {
      if (nearest === 0) break;
      nearest = Math.min(nearest, editDistance(sequence, other));
    }
    return nearest;
  });
  return { mean: distances.reduce((sum, distance) => sum + distance, 0) / distances.length, distances };
}

/** Levenshtein distance: the fewest letters to insert, delete or replace that turn one sequence into the other. */
export function editDistance(a: Sequence, b: Sequence): number {
  // row[j] is the distance of the letters of a read so far from the first j letters of b.
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j];
      const replaced = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, above + 1, row[j - 1] + 1);
      diagonal = above;
    }
  }
  return row[b.length];
}
