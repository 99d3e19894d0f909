// Tests of bounded distances against the whole distances, and of the nearest known sequence against a full search.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { boundedDistancesFrom, hammingDistance } from "./bounded-distance.ts";
import { codesOf, editDistance } from "./edit-distance.ts";
import { nearestSequences } from "./nearest-sequence.ts";

test("Hamming distance counts positions that differ, and those beyond the shorter sequence", () => {
  expect(hammingDistance("ACGT", "ACGT")).toBe(0);
  expect(hammingDistance("ACGT", "TCGA")).toBe(2);
  expect(hammingDistance("AC", "ACGT")).toBe(2);
  expect(hammingDistance([0, 1, 2], Int32Array.of(0, 2, 2))).toBe(1);
});

/** Sequences of at most `length` letters, half of them a few edits away from another one. */
function similarSequences(seed: number, count: number, length: number): number[][] {
  const stream = RandomStream.fromSeed(seed);
  const sequences: number[][] = [];
  for (let i = 0; i < count; i++) {
    const sequence =
      i % 2 === 1
        ? [...sequences[stream.integer(i)]]
        : Array.from({ length: stream.integer(length + 1) }, () => stream.integer(3));
    for (let edits = stream.integer(4); edits > 0; edits--) {
      sequence.splice(stream.integer(sequence.length + 1), stream.integer(2), stream.integer(3));
    }
    sequences.push(sequence);
  }
  return sequences;
}

test.each(["hamming", "edit"] as const)("a bounded %s distance is exact up to its bound", (name) => {
  const whole = name === "hamming" ? hammingDistance : editDistance;
  const sequences = similarSequences(1, 60, 40).map(codesOf);
  for (const a of sequences) {
    const distanceTo = boundedDistancesFrom(a, name);
    for (const b of sequences) {
      const exact = whole(a, b);
      for (const most of [0, 1, 2, 5, 6, 7, 20, Number.POSITIVE_INFINITY]) {
        if (exact <= most) expect(distanceTo(b, most)).toBe(exact);
        else expect(distanceTo(b, most)).toBeGreaterThan(most);
      }
    }
  }
});

test.each(["hamming", "edit"] as const)("the nearest known sequence by %s distance is found", (name) => {
  const whole = name === "hamming" ? hammingDistance : editDistance;
  const known = similarSequences(2, 80, 12);
  const sequences = [...similarSequences(3, 40, 12), known[7]];
  const expected = sequences.map((sequence) => {
    const distances = known.map((other) => whole(sequence, other));
    const distance = Math.min(...distances);
    return { distance, index: distances.indexOf(distance) };
  });
  expect(nearestSequences(sequences, known, name)).toEqual(expected);
  expect(new Set(expected.map(({ distance }) => distance)).size).toBeGreaterThan(3);
  expect(() => nearestSequences(sequences, [], name)).toThrow(
    "nearestSequences: there must be at least one known sequence, got none",
  );
});
