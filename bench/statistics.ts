// Medians over rounds, and comparisons of two sides by the ratios within rounds.

import type { Round } from "./benchmark.ts";

/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("median: there must be at least one value, got none");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export interface Comparison {
  readonly ours: number;
  readonly rivalValue: number;
  readonly ratio: number;
  readonly rounds: readonly Round[];
}

/**
 * Compares the values of this library and of a rival in the same rounds. The ratio is the median of the ratios within
 * rounds, not the ratio of the medians.
 */
export function compare(ours: readonly number[], rival: readonly number[]): Comparison {
  if (ours.length !== rival.length) {
    throw new RangeError(
      `compare: both sides must have the same rounds, got ${ours.length} and ${rival.length}`,
    );
  }
  const rounds = ours.map((value, i) => ({ ours: value, rivalValue: rival[i], ratio: value / rival[i] }));
  return {
    ours: median(ours),
    rivalValue: median(rival),
    ratio: median(rounds.map(({ ratio }) => ratio)),
    rounds,
  };
}
