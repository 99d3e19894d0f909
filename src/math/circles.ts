// circles(k, r): how many good sequences are far apart.
//
// It is a greedy packing. Visit the k best distinct sequences in descending order of score, equal scores in the order of
// the sequences, and keep one if its distance to all kept ones is greater than r. The kept ones are the centres of the
// circles, and their number is the measure. It needs no table of all scores, and it does not reward random strings, as
// the mean distance between pairs does.

import type { DistanceName } from "./bounded-distance.ts";
import { codesOf, type Sequence } from "./edit-distance.ts";
import { type NeighbourIndex, neighbourIndex } from "./neighbour-index.ts";

/** Which sequences are visited, and when two are far apart. */
export interface CirclesOptions {
  /** k: only the best `top` distinct sequences are visited. Default: 100, or no bound with a threshold. */
  readonly top?: number;
  /** Only sequences with at least this score are visited. Default: no threshold. */
  readonly threshold?: number;
  /** r: a sequence is a new centre if its distance to every earlier centre exceeds this. Default: 2. */
  readonly radius?: number;
  /** Default: the Hamming distance. Use the edit distance for sequences of different lengths. */
  readonly distance?: DistanceName | ((a: Sequence, b: Sequence) => number);
}

/** The circles of a set of sequences, by index into it. */
export interface CircleAssignment {
  /** The centres, best first; their count is circles(k, r). */
  readonly centres: readonly number[];
  /** For each sequence the circle it belongs to: the position in `centres` of the best centre within the radius. It is −1
   * for a sequence that was not visited. */
  readonly circleOf: Int32Array;
}

/**
 * The indices of the centres, best first: circles(k, r) is their count. Repeated sequences count once.
 *
 * @example
 * ```ts
 * import { circles } from "gflownet/gfn";
 *
 * console.log(circles(["AAAA", "AATT", "ATTT", "CCCC"], [4, 3, 2, 1], { top: 100, radius: 2 }).join(" ")); // 0 2 3
 * ```
 */
export function circles(
  sequences: readonly Sequence[],
  scores: ArrayLike<number>,
  options: CirclesOptions = {},
): number[] {
  return pack(sequences, scores, options).centres;
}

/** The centres, and the circle of every sequence that was visited. */
export function assignCircles(
  sequences: readonly Sequence[],
  scores: ArrayLike<number>,
  options: CirclesOptions = {},
): CircleAssignment {
  const { centres, circleOfKey } = pack(sequences, scores, options);
  return { centres, circleOf: Int32Array.from(sequences, (each) => circleOfKey.get(keyOf(each)) ?? -1) };
}

function pack(
  sequences: readonly Sequence[],
  scores: ArrayLike<number>,
  {
    threshold,
    top = threshold === undefined ? 100 : Number.POSITIVE_INFINITY,
    radius = 2,
    distance = "hamming",
  }: CirclesOptions,
): { readonly centres: number[]; readonly circleOfKey: ReadonlyMap<string, number> } {
  const centres: number[] = [];
  const index =
    typeof distance === "function" ? distanceIndex(distance, radius) : neighbourIndex(distance, radius);
  const circleOfKey = new Map<string, number>();
  let seen = 0;
  for (const i of sortedByScore(sequences, scores)) {
    if (seen++ >= top || (threshold !== undefined && !(scores[i] >= threshold))) break;
    const sequence = sequences[i];
    let circle = index.firstWithin(sequence);
    if (circle < 0) {
      circle = centres.push(i) - 1;
      index.add(sequence);
    }
    circleOfKey.set(keyOf(sequence), circle);
  }
  return { centres, circleOfKey };
}

/** Indices of the distinct sequences in descending order of score; equal scores in the order of the sequences. */
export function sortedByScore(sequences: readonly Sequence[], scores: ArrayLike<number>): number[] {
  if (sequences.length !== scores.length) {
    throw new RangeError(
      `sortedByScore: there must be one score per sequence, got ${scores.length} scores for ${sequences.length} sequences`,
    );
  }
  for (let i = 0; i < scores.length; i++) {
    if (Number.isNaN(scores[i]))
      throw new RangeError(`sortedByScore: scores must be numbers, got NaN for sequence ${i}`);
  }
  return distinctIndices(sequences).sort(
    (a, b) => scores[b] - scores[a] || compareSequences(sequences[a], sequences[b]),
  );
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

/** A text that is equal for equal sequences. */
export function keyOf(sequence: Sequence): string {
  return typeof sequence === "string" ? sequence : Array.from(sequence).join();
}

/** Order of two sequences by their first difference; a sequence stands before its continuations. */
function compareSequences(a: Sequence, b: Sequence): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [codesOf(a), codesOf(b)];
  for (let i = 0; i < x.length && i < y.length; i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}

/** The centres so far, for a distance of the user: every one is compared. */
function distanceIndex(distance: (a: Sequence, b: Sequence) => number, radius: number): NeighbourIndex {
  const added: Sequence[] = [];
  return {
    add: (sequence) => {
      added.push(sequence);
    },
    firstWithin: (sequence) => added.findIndex((centre) => distance(centre, sequence) <= radius),
  };
}
