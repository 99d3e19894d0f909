// Two definitions of the modes that a set of sequences contains. A third one, `circles` of src/math/circles.ts, needs only
// the sequences and their scores.
//
// `modeRecall` needs the modes of the task. Local maxima need the reward of every neighbour and are exact.

import { distinctIndices, keyOf } from "../../math/circles.ts";
import type { Sequence } from "../../math/edit-distance.ts";

/** The fraction of `modes` that occurs among the sequences. */
export function modeRecall(sequences: readonly Sequence[], modes: readonly Sequence[]): number {
  if (modes.length === 0) throw new RangeError("modeRecall: there must be at least one mode, got none");
  const found = new Set(sequences.map(keyOf));
  const wanted = new Set(modes.map(keyOf));
  let count = 0;
  for (const mode of wanted) if (found.has(mode)) count++;
  return count / wanted.size;
}

export interface LocalMaximaOptions {
  /** Size of the alphabet. */
  readonly letters: number;
  /** Only sequences with at least this reward count. */
  readonly threshold: number;
  /** Reward of a sequence of letter indices. */
  readonly rewardOf: (sequence: ArrayLike<number>) => number;
}

/**
 * Indices of the distinct sequences that are local maxima of at least the threshold: changing one letter never gives a
 * higher reward. Exact, because the reward of every neighbour is computed.
 */
export function localMaxima(
  sequences: readonly ArrayLike<number>[],
  { letters, threshold, rewardOf }: LocalMaximaOptions,
): number[] {
  return distinctIndices(sequences).filter((i) => {
    const reward = rewardOf(sequences[i]);
    if (!(reward >= threshold)) return false;
    const neighbour = Array.from(sequences[i]);
    for (let position = 0; position < neighbour.length; position++) {
      const original = neighbour[position];
      for (let letter = 0; letter < letters; letter++) {
        neighbour[position] = letter;
        if (letter !== original && rewardOf(neighbour) > reward) return false;
      }
      neighbour[position] = original;
    }
    return true;
  });
}

/** All strings of one length. */
export interface StringSpace {
  /** Size of the alphabet. */
  readonly letters: number;
  readonly length: number;
}

/** All local maxima of at least the threshold, from the rewards of all strings of a length in alphabetical order. */
export function localMaximaOfTable(
  rewards: Float64Array,
  { letters, length, threshold }: StringSpace & { readonly threshold: number },
): number[] {
  if (rewards.length !== letters ** length) {
    throw new RangeError(
      `localMaximaOfTable: there must be one reward for each of the ${letters ** length} strings of ${length} letters out of ${letters}, got ${rewards.length}`,
    );
  }
  const maxima: number[] = [];
  for (let index = 0; index < rewards.length; index++) {
    if (rewards[index] >= threshold && isMaximum(index)) maxima.push(index);
  }
  return maxima;

  function isMaximum(index: number): boolean {
    for (let place = 1; place < rewards.length; place *= letters) {
      const current = Math.floor(index / place) % letters;
      for (let letter = 0; letter < letters; letter++) {
        if (rewards[index + (letter - current) * place] > rewards[index]) return false;
      }
    }
    return true;
  }
}
