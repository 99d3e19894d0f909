import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import {
  bestFirst,
  greedyModes,
  hammingDistance,
  localMaxima,
  localMaximaOfTable,
  modeRecall,
} from "./modes.ts";

test("Hamming distance counts places that differ, and letters that only one has", () => {
  expect(hammingDistance("ACGT", "ACGT")).toBe(0);
  expect(hammingDistance("ACGT", "TCGA")).toBe(2);
  expect(hammingDistance("AC", "ACGT")).toBe(2);
  expect(hammingDistance([0, 1, 2], Int32Array.of(0, 2, 2))).toBe(1);
});

describe("greedy modes", () => {
  test("accept a sequence that differs in more than two places from all accepted ones", () => {
    const sequences = ["AAAA", "AATT", "ATTT", "TTTT", "CCCC"];
    // AATT is 2 from AAAA; ATTT is 3; TTTT is 1 from ATTT; CCCC is 4 from both.
    expect(greedyModes(sequences, [5, 4, 3, 2, 1])).toEqual([0, 2, 4]);
  });

  test("start from the best, so that the order of rewards decides", () => {
    const sequences = ["AAAA", "AATT", "ATTT", "TTTT"];
    expect(greedyModes(sequences, [1, 4, 2, 3])).toEqual([1]);
  });

  test("look at the top distinct ones only, or at all above a threshold", () => {
    const sequences = ["AAAA", "AAAA", "CCCC", "GGGG"];
    expect(greedyModes(sequences, [9, 9, 5, 4], { top: 2 })).toEqual([0, 2]);
    expect(greedyModes(sequences, [9, 9, 5, 4], { threshold: 4 })).toEqual([0, 2, 3]);
    expect(greedyModes(sequences, [9, 9, 5, 4], { threshold: 4.5 })).toEqual([0, 2]);
  });

  test("look at one hundred unless told otherwise, and at more with a threshold", () => {
    const sequences = Array.from({ length: 150 }, (_, i) => [i, i, i]);
    const rewards = sequences.map(([i]) => i);
    expect(greedyModes(sequences, rewards)).toHaveLength(100);
    expect(greedyModes(sequences, rewards, { threshold: 0 })).toHaveLength(150);
  });

  test("of the notes' example are two, of which one is left where whole strings are read as letters", () => {
    const sequences = ["abc", "abd", "xyz", "xzy", "abc"];
    expect(greedyModes(sequences, [5, 4, 3, 2, 1])).toEqual([0, 2]);
    // Strings in an array of one column are one letter long: then nothing is more than one letter apart.
    const letters = sequences.map((sequence) => [sequences.indexOf(sequence)]);
    expect(greedyModes(letters, [5, 4, 3, 2, 1])).toEqual([0]);
  });

  test("take another distance", () => {
    expect(greedyModes(["AAAA", "AATT"], [2, 1], { distance: 1 })).toEqual([0, 1]);
  });
});

test("best first keeps the order of equal rewards and refuses a reward too few, or NaN", () => {
  expect(bestFirst(["a", "b", "c", "b"], [1, 2, 2, 2])).toEqual([1, 2, 0]);
  expect(() => bestFirst(["a", "b"], [1])).toThrow("bestFirst: 2 sequences have 1 rewards; give one each");
  expect(() => bestFirst(["a", "b"], [1, Number.NaN])).toThrow("bestFirst: the reward of sequence 1 is NaN");
});

test("recall is the share of known modes found, however often", () => {
  expect(modeRecall(["AA", "AA", "CC", "GT"], ["AA", "GT", "TT", "CA"])).toBe(0.5);
  expect(modeRecall([[1, 2]], [Int32Array.of(1, 2)])).toBe(1);
  expect(() => modeRecall(["AA"], [])).toThrow("modeRecall: the set of modes is empty");
});

describe("local maxima", () => {
  const space = { letters: 3, length: 4 };
  const stream = RandomStream.fromSeed(1);
  const rewards = Float64Array.from({ length: 81 }, () => stream.uniform());
  const digits = (index: number) => [27, 9, 3, 1].map((place) => Math.floor(index / place) % 3);
  const all = Array.from({ length: 81 }, (_, index) => digits(index));
  const rewardOf = ([a, b, c, d]: ArrayLike<number> & Iterable<number>) =>
    rewards[a * 27 + b * 9 + c * 3 + d];
  const options = { letters: 3, rewardOf: rewardOf as (sequence: ArrayLike<number>) => number };

  test("of a table are those of brute force over all pairs", () => {
    for (const threshold of [0, 0.8]) {
      const expected = all.flatMap((x, i) =>
        rewards[i] >= threshold &&
        all.every((other, j) => hammingDistance(x, other) !== 1 || rewards[j] <= rewards[i])
          ? [i]
          : [],
      );
      expect(expected.length).toBeGreaterThan(1);
      expect(localMaximaOfTable(rewards, { ...space, threshold })).toEqual(expected);
      expect(localMaxima(all, { ...options, threshold })).toEqual(expected);
    }
  });

  test("among found sequences count once each", () => {
    const best = rewards.indexOf(Math.max(...rewards));
    const worst = rewards.indexOf(Math.min(...rewards));
    expect(localMaxima([digits(worst), digits(best), digits(best)], { ...options, threshold: 0 })).toEqual([
      1,
    ]);
    expect(localMaxima([digits(best)], { ...options, threshold: 1 })).toEqual([]);
  });

  test("on a plateau are all of it", () => {
    expect(
      localMaximaOfTable(Float64Array.of(1, 1, 0, 0), { letters: 2, length: 2, threshold: 0.5 }),
    ).toEqual([0, 1]);
  });

  test("refuse a table of another size", () => {
    expect(() => localMaximaOfTable(rewards, { letters: 2, length: 3, threshold: 0 })).toThrow(
      "localMaximaOfTable: 2 letters and length 3 make 8 strings, got 81 rewards",
    );
  });
});
