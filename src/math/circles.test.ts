// Tests of circles against a direct statement of the definition, and of their order, threshold and radius.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { hammingDistance } from "./bounded-distance.ts";
import { assignCircles, circles, sortedByScore } from "./circles.ts";
import { editDistance } from "./edit-distance.ts";

describe("circles", () => {
  test("keep a sequence that differs in more than two positions from all kept ones", () => {
    const sequences = ["AAAA", "AATT", "ATTT", "TTTT", "CCCC"];
    // AATT is 2 from AAAA; ATTT is 3; TTTT is 1 from ATTT; CCCC is 4 from both.
    expect(circles(sequences, [5, 4, 3, 2, 1])).toEqual([0, 2, 4]);
  });

  test("are kept in descending order of score, equal scores in the order of their texts", () => {
    expect(circles(["AAAA", "AATT", "ATTT", "TTTT"], [1, 4, 2, 3])).toEqual([1]);
    // AATT stands before TTTT and is within two of both others.
    expect(circles(["TTTT", "AATT", "AAAA"], [1, 1, 1], { radius: 1 })).toEqual([2, 1, 0]);
    expect(circles(["TTTT", "AATT"], [1, 1])).toEqual([1]);
    expect(circles([[1, 0], [0], [0, 1]], [1, 1, 1], { radius: 0, distance: "edit" })).toEqual([1, 2, 0]);
  });

  test("are among the best distinct sequences, or among those above a threshold", () => {
    const sequences = ["AAAA", "AAAA", "CCCC", "GGGG"];
    expect(circles(sequences, [9, 9, 5, 4], { top: 2 })).toEqual([0, 2]);
    expect(circles(sequences, [9, 9, 5, 4], { threshold: 4 })).toEqual([0, 2, 3]);
    expect(circles(sequences, [9, 9, 5, 4], { threshold: 4.5 })).toEqual([0, 2]);
  });

  test("are among the best 100 by default, or among more with a threshold", () => {
    const sequences = Array.from({ length: 150 }, (_, i) => [i, i, i]);
    const scores = sequences.map(([i]) => i);
    expect(circles(sequences, scores)).toHaveLength(100);
    expect(circles(sequences, scores, { threshold: 0 })).toHaveLength(150);
  });

  test("of five short strings are two, but only one if each string counts as one letter", () => {
    const sequences = ["abc", "abd", "xyz", "xzy", "abc"];
    expect(circles(sequences, [5, 4, 3, 2, 1])).toEqual([0, 2]);
    // As sequences of one letter, all strings are within distance one of each other.
    const letters = sequences.map((sequence) => [sequences.indexOf(sequence)]);
    expect(circles(letters, [5, 4, 3, 2, 1])).toEqual([0]);
  });

  test.each(["hamming", "edit"] as const)("with the %s distance follow the definition", (distance) => {
    const stream = RandomStream.fromSeed(3).split(distance);
    const between = distance === "hamming" ? hammingDistance : editDistance;
    const sequences = Array.from({ length: 300 }, () =>
      Array.from({ length: 6 + stream.integer(4) }, () => stream.integer(3)),
    );
    const scores = sequences.map(() => stream.integer(20));
    for (const radius of [-1, 0, 1, 2, 2.5, 3, 8, 500]) {
      const kept: number[] = [];
      for (const i of sortedByScore(sequences, scores).slice(0, 200)) {
        if (kept.every((j) => between(sequences[i], sequences[j]) > radius)) kept.push(i);
      }
      expect(circles(sequences, scores, { top: 200, radius, distance })).toEqual(kept);
      expect(circles(sequences, scores, { top: 200, radius, distance: between })).toEqual(kept);
    }
  });

  test("assign each visited sequence, repeated ones too, to the best centre within the radius", () => {
    const sequences = ["AAAA", "CCCC", "AAAC", "AAAA", "GGGG"];
    const { centres, circleOf } = assignCircles(sequences, [5, 4, 3, 5, 1], { top: 3, radius: 1 });
    expect(centres).toEqual([0, 1]);
    expect([...circleOf]).toEqual([0, 1, 0, 0, -1]);
  });
});

test("sortedByScore refuses a missing score and NaN", () => {
  expect(sortedByScore(["c", "b", "a", "b"], [2, 2, 1, 2])).toEqual([1, 0, 2]);
  expect(() => sortedByScore(["a", "b"], [1])).toThrow(
    "sortedByScore: there must be one score per sequence, got 1 scores for 2 sequences",
  );
  expect(() => sortedByScore(["a", "b"], [1, Number.NaN])).toThrow(
    "sortedByScore: scores must be numbers, got NaN for sequence 1",
  );
});
