// Distances of sequences up to a bound: a comparison stops as soon as the distance is known to exceed it, which makes
// searches for neighbours among thousands of sequences fast.

import { distancesFrom, type Sequence } from "./edit-distance.ts";

/** Hamming distance for sequences of one length, edit distance (Levenshtein) for sequences of any length. */
export type DistanceName = "hamming" | "edit";

/** Number of positions at which two sequences differ. Positions beyond the end of the shorter one count too. */
export function hammingDistance(a: Sequence, b: Sequence): number {
  const common = Math.min(a.length, b.length);
  let distance = Math.max(a.length, b.length) - common;
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) distance++;
  return distance;
}

/**
 * Distances from one sequence to others. The result is the distance if it is at most `most`; otherwise it is some number
 * greater than `most`.
 */
export function boundedDistancesFrom(
  a: Int32Array,
  distance: DistanceName,
): (b: Int32Array, most: number) => number {
  if (distance === "hamming") return (b, most) => boundedHamming(a, b, most);
  let whole: ((b: Int32Array) => number) | undefined;
  const widest = widestBand(a.length);
  const memory = new Int32Array(2 * (2 * widest + 1)); // two rows of the band
  return (b, most) => {
    const apart = Math.abs(a.length - b.length);
    if (apart > most) return apart;
    if (most <= widest) return bandedEditDistance(a, b, Math.floor(most), memory);
    whole ??= distancesFrom(a);
    return whole(b);
  };
}

/** Up to this bound the band of the dynamic program is cheaper than the bit vectors of `edit-distance.ts`, which take 32
 * letters at a time. Measured on random strings of 12 to 100 letters. */
function widestBand(length: number): number {
  return Math.max(2, 3 * Math.ceil(length / 32) - 1);
}

function boundedHamming(a: Int32Array, b: Int32Array, most: number): number {
  const common = Math.min(a.length, b.length);
  let distance = Math.max(a.length, b.length) - common;
  for (let i = 0; i < common && distance <= most; i++) if (a[i] !== b[i]) distance++;
  return distance;
}

/**
 * The edit distance by dynamic programming over the cells |i − j| ≤ most, which hold every path of at most that cost
 * (Ukkonen 1985). It stops at a row whose cells all exceed the bound.
 */
function bandedEditDistance(a: Int32Array, b: Int32Array, most: number, memory: Int32Array): number {
  // Equal ends cost nothing, and neighbours have long ones.
  let start = 0;
  let [endA, endB] = [a.length, b.length];
  while (start < endA && start < endB && a[start] === b[start]) start++;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const [rows, columns] = [endA - start, endB - start];
  if (rows === 0 || columns === 0) return rows + columns;
  const beyond = most + 1;
  const width = 2 * most + 1;
  // Cell k of a row i is column i + k − most; cells outside the table hold a number beyond the bound.
  let row = memory.subarray(0, width);
  let next = memory.subarray(memory.length / 2, memory.length / 2 + width);
  for (let k = 0; k < width; k++) row[k] = k >= most && k - most <= columns ? k - most : beyond;
  for (let i = 1; i <= rows; i++) {
    const letter = a[start + i - 1];
    let least = beyond;
    for (let k = 0; k < width; k++) {
      const j = i + k - most;
      let cell = beyond;
      if (j === 0) cell = i;
      else if (j > 0 && j <= columns) {
        cell = row[k] + (b[start + j - 1] === letter ? 0 : 1);
        if (k > 0 && next[k - 1] + 1 < cell) cell = next[k - 1] + 1;
        if (k + 1 < width && row[k + 1] + 1 < cell) cell = row[k + 1] + 1;
      }
      next[k] = cell;
      if (cell < least) least = cell;
    }
    if (least > most) return beyond;
    [row, next] = [next, row];
  }
  return row[columns - rows + most];
}
