// The nearest of a set of known sequences, and the distance to it: how new a proposed sequence is.

import { boundedDistancesFrom, type DistanceName } from "./bounded-distance.ts";
import { distinctIndices, keyOf } from "./circles.ts";
import { codesOf, type Sequence } from "./edit-distance.ts";

/** The known sequence that is nearest to a sequence. */
export interface NearestSequence {
  readonly distance: number;
  /** Index of the known sequence; the first one if several are equally near. */
  readonly index: number;
}

/**
 * For each sequence the nearest known one. Comparisons stop where they can no longer improve on the nearest one so far,
 * and known sequences of similar length are compared first.
 */
export function nearestSequences(
  sequences: readonly Sequence[],
  known: readonly Sequence[],
  distance: DistanceName = "edit",
): NearestSequence[] {
  if (known.length === 0)
    throw new RangeError("nearestSequences: there must be at least one known sequence, got none");
  const references = distinctIndices(known).map((index) => ({ index, codes: codesOf(known[index]) }));
  const byKey = new Map(references.map(({ index }) => [keyOf(known[index]), index]));
  const byLength = new Map<number, typeof references>();
  for (const reference of references) {
    const { length } = reference.codes;
    if (!byLength.has(length)) byLength.set(length, []);
    byLength.get(length)!.push(reference);
  }
  const groups = [...byLength];
  return sequences.map((sequence) => {
    const same = byKey.get(keyOf(sequence));
    if (same !== undefined) return { distance: 0, index: same };
    const codes = codesOf(sequence);
    const distanceTo = boundedDistancesFrom(codes, distance);
    const apart = (length: number) => Math.abs(length - codes.length);
    let nearest = Number.POSITIVE_INFINITY;
    let index = -1;
    for (const [length, group] of groups.toSorted(([a], [b]) => apart(a) - apart(b))) {
      // The difference in length is a lower bound on both distances.
      if (apart(length) > nearest) break;
      for (const reference of group) {
        const found = distanceTo(reference.codes, nearest);
        if (found < nearest || (found === nearest && reference.index < index))
          [nearest, index] = [found, reference.index];
      }
    }
    return { distance: nearest, index };
  });
}
