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
  const letters = sequences.map(lettersOf);
  let sum = 0;
  for (let i = 1; i < letters.length; i++) {
    const distanceTo = distancesFrom(letters[i]);
    for (let j = 0; j < i; j++) sum += distanceTo(letters[j]);
  }
  return (2 * sum) / (letters.length * (letters.length - 1));
}

/** For each sequence the edit distance to the nearest known one, and their mean. */
export function novelty(
  sequences: readonly Sequence[],
  known: readonly Sequence[],
): { readonly mean: number; readonly distances: number[] } {
  if (known.length === 0) throw new RangeError("novelty: no known sequences were given; give at least one");
  if (sequences.length === 0) throw new RangeError("novelty: there are no sequences; give at least one");
  const different = distinct(known).map((i) => lettersOf(known[i]));
  const distances = sequences.map((sequence) => {
    const letters = lettersOf(sequence);
    const distanceTo = distancesFrom(letters);
    let nearest = Number.POSITIVE_INFINITY;
    for (const other of different) {
      // Each letter that only one has must be inserted.
      if (Math.abs(letters.length - other.length) >= nearest) continue;
      nearest = Math.min(nearest, distanceTo(other));
    }
    return nearest;
  });
  return { mean: distances.reduce((sum, distance) => sum + distance, 0) / distances.length, distances };
}

/** Levenshtein distance: the fewest letters to insert, delete or replace that turn one sequence into the other. */
export function editDistance(a: Sequence, b: Sequence): number {
  return distancesFrom(lettersOf(a))(lettersOf(b));
}

/** A sequence as numbers, all in one type of array: many distances are computed in a row. */
function lettersOf(sequence: Sequence): Int32Array {
  if (typeof sequence !== "string") return Int32Array.from(sequence);
  return Int32Array.from({ length: sequence.length }, (_, i) => sequence.charCodeAt(i));
}

/**
 * Edit distances from one sequence a to others, 32 letters of a at a time (Myers 1999, in blocks as by Hyyrö 2003).
 *
 * Of the usual table, with a row per letter of a and a column per letter of b, a column is kept as the differences of
 * neighbouring rows, which are 1, 0 or −1: a bit in `up`, a bit in `down`, or neither.
 */
function distancesFrom(a: Int32Array): (b: Int32Array) => number {
  const blocks = Math.ceil(a.length / 32);
  const places = new Map<number, Int32Array>(); // a bit for every place where a has the letter
  const nowhere = new Int32Array(blocks);
  a.forEach((letter, i) => {
    if (!places.has(letter)) places.set(letter, new Int32Array(blocks));
    (places.get(letter) as Int32Array)[i >>> 5] |= 1 << (i & 31);
  });
  const up = new Int32Array(blocks);
  const down = new Int32Array(blocks);
  return (b) => {
    if (blocks === 0) return b.length;
    up.fill(-1);
    down.fill(0);
    let distance = a.length; // of all of a from the letters of b read so far
    for (let j = 0; j < b.length; j++) {
      const here = places.get(b[j]) ?? nowhere;
      // Differences between this column and the one before: 1 in the first row, then handed from block to block.
      let [right, left] = [1, 0];
      for (let block = 0; block < blocks; block++) {
        const [p, m] = [up[block], down[block]];
        const vertical = here[block] | m;
        const equal = here[block] | left;
        const horizontal = (((equal & p) + p) ^ p) | equal;
        let rises = m | ~(horizontal | p);
        let falls = p & horizontal;
        if (block === blocks - 1) {
          const last = (a.length - 1) & 31;
          distance += ((rises >>> last) & 1) - ((falls >>> last) & 1);
        }
        const [nextRight, nextLeft] = [rises >>> 31, falls >>> 31];
        rises = (rises << 1) | right;
        falls = (falls << 1) | left;
        up[block] = falls | ~(vertical | rises);
        down[block] = rises & vertical;
        [right, left] = [nextRight, nextLeft];
      }
    }
    return distance;
  };
}
