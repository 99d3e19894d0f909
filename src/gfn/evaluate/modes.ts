// Three definitions of the modes that a set of sequences contains.
//
// `greedyModes` needs only the sequences and their rewards. `modeRecall` needs the modes of the task. Local maxima need the
// reward of every neighbour and are exact.

import type { Sequence } from "../../math/edit-distance.ts";

/** Number of positions at which two sequences differ. Positions beyond the end of the shorter one count too. */
export function hammingDistance(a: Sequence, b: Sequence): number {
  const common = Math.min(a.length, b.length);
  let distance = Math.max(a.length, b.length) - common;
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) distance++;
  return distance;
}

export interface GreedyModesOptions {
  /** Only the best `top` distinct sequences can be modes. Default: 100, or no bound with a threshold. */
  readonly top?: number;
  /** Only sequences with at least this reward can be modes. Default: no threshold. */
  readonly threshold?: number;
  /** A sequence is a new mode if its distance to every earlier mode exceeds this. Default: 2. */
  readonly radius?: number;
  /** Default: the Hamming distance. */
  distance?(a: Sequence, b: Sequence): number;
}

/**
 * Greedy cover: visits the sequences in descending order of reward and accepts each one that is far from all accepted ones.
 * Returns the indices of the accepted sequences; their count is the number of modes. Repeated sequences count once, and
 * sequences of equal reward keep their order.
 */
export function greedyModes(
  sequences: readonly Sequence[],
  rewards: ArrayLike<number>,
  {
    threshold,
    top = threshold === undefined ? 100 : Number.POSITIVE_INFINITY,
    radius: distance = 2,
    distance: between = hammingDistance,
  }: GreedyModesOptions = {},
): number[] {
  const accepted: number[] = [];
  let seen = 0;
  for (const i of sortedByReward(sequences, rewards)) {
    if (seen++ >= top || (threshold !== undefined && !(rewards[i] >= threshold))) break;
    if (accepted.every((mode) => between(sequences[mode], sequences[i]) > distance)) accepted.push(i);
  }
  return accepted;
}

/** Indices of the distinct sequences in descending order of reward; equal rewards keep their order. */
export function sortedByReward(sequences: readonly Sequence[], rewards: ArrayLike<number>): number[] {
  if (sequences.length !== rewards.length) {
    throw new RangeError(
      `sortedByReward: there must be one reward per sequence, got ${rewards.length} rewards for ${sequences.length} sequences`,
    );
  }
  for (let i = 0; i < rewards.length; i++) {
    if (Number.isNaN(rewards[i]))
      throw new RangeError(`sortedByReward: rewards must be numbers, got NaN for sequence ${i}`);
  }
  return distinctIndices(sequences).sort((a, b) => rewards[b] - rewards[a]);
}

/** Indices of the first occurrences of the sequences. */
export function distinctIndices(sequences: readonly Sequence[]): number[] {
  const seen = new Set<string>();
  const first: number[] = [];
  for (let i = 0; i < sequences.length; i++) {
    const key = keyOf(sequences[i]);
    if (seen.has(key)) continue;
    seen.add(key);
    first.push(i);
  }
  return first;
}

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

function keyOf(sequence: Sequence): string {
  return typeof sequence === "string" ? sequence : Array.from(sequence).join();
}
