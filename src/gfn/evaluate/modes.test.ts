import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import {
  greedyModes,
  hammingDistance,
  localMaxima,
  localMaximaOfTable,
  modeRecall,
  sortedByReward,
} from "./modes.ts";

test("Hamming distance counts positions that differ, and those beyond the shorter sequence", () => {
  expect(hammingDistance("ACGT", "ACGT")).toBe(0);
  expect(hammingDistance("ACGT", "TCGA")).toBe(2);
  expect(hammingDistance("AC", "ACGT")).toBe(2);
  expect(hammingDistance([0, 1, 2], Int32Array.of(0, 2, 2))).toBe(1);
});

describe("greedy modes", () => {
  test("accept a sequence that differs in more than two positions from all accepted ones", () => {
    const sequences = ["AAAA", "AATT", "ATTT", "TTTT", "CCCC"];
    // AATT is 2 from AAAA; ATTT is 3; TTTT is 1 from ATTT; CCCC is 4 from both.
    expect(greedyModes(sequences, [5, 4, 3, 2, 1])).toEqual([0, 2, 4]);
  });

  test("are accepted in descending order of reward", () => {
    const sequences = ["AAAA", "AATT", "ATTT", "TTTT"];
    expect(greedyModes(sequences, [1, 4, 2, 3])).toEqual([1]);
  });

  test("are among the best distinct sequences, or among those above a threshold", () => {
    const sequences = ["AAAA", "AAAA", "CCCC", "GGGG"];
    expect(greedyModes(sequences, [9, 9, 5, 4], { top: 2 })).toEqual([0, 2]);
    expect(greedyModes(sequences, [9, 9, 5, 4], { threshold: 4 })).toEqual([0, 2, 3]);
    expect(greedyModes(sequences, [9, 9, 5, 4], { threshold: 4.5 })).toEqual([0, 2]);
  });

  test("are among the best 100 by default, or among more with a threshold", () => {
    const sequences = Array.from({ length: 150 }, (_, i) => [i, i, i]);
    const rewards = sequences.map(([i]) => i);
    expect(greedyModes(sequences, rewards)).toHaveLength(100);
    expect(greedyModes(sequences, rewards, { threshold: 0 })).toHaveLength(150);
  });

  test("of five short strings are two, but only one if each string counts as one letter", () => {
    const sequences = ["abc", "abd", "xyz", "xzy", "abc"];
    expect(greedyModes(sequences, [5, 4, 3, 2, 1])).toEqual([0, 2]);
    // As sequences of one letter, all strings are within distance one of each other.
    const letters = sequences.map((sequence) => [sequences.indexOf(sequence)]);
    expect(greedyModes(letters, [5, 4, 3, 2, 1])).toEqual([0]);
  });

  test("depend on the radius", () => {
    expect(greedyModes(["AAAA", "AATT"], [2, 1], { radius: 1 })).toEqual([0, 1]);
  });
});

test("sortedByReward keeps the order of equal rewards, and refuses a missing reward and NaN", () => {
  expect(sortedByReward(["a", "b", "c", "b"], [1, 2, 2, 2])).toEqual([1, 2, 0]);
  expect(() => sortedByReward(["a", "b"], [1])).toThrow(
    "sortedByReward: there must be one reward per sequence, got 1 rewards for 2 sequences",
  );
  expect(() => sortedByReward(["a", "b"], [1, Number.NaN])).toThrow(
    "sortedByReward: rewards must be numbers, got NaN for sequence 1",
  );
});

test("recall is the fraction of modes that occur, however often", () => {
  expect(modeRecall(["AA", "AA", "CC", "GT"], ["AA", "GT", "TT", "CA"])).toBe(0.5);
  expect(modeRecall([[1, 2]], [Int32Array.of(1, 2)])).toBe(1);
  expect(() => modeRecall(["AA"], [])).toThrow("modeRecall: there must be at least one mode, got none");
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

  test("of a table agree with brute force over all pairs", () => {
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

  test("among sequences count once each", () => {
    const best = rewards.indexOf(Math.max(...rewards));
    const worst = rewards.indexOf(Math.min(...rewards));
    expect(localMaxima([digits(worst), digits(best), digits(best)], { ...options, threshold: 0 })).toEqual([
      1,
    ]);
    expect(localMaxima([digits(best)], { ...options, threshold: 1 })).toEqual([]);
  });

  test("of a plateau are all of its sequences", () => {
    expect(
      localMaximaOfTable(Float64Array.of(1, 1, 0, 0), { letters: 2, length: 2, threshold: 0.5 }),
    ).toEqual([0, 1]);
  });

  test("refuse a table of another size", () => {
    expect(() => localMaximaOfTable(rewards, { letters: 2, length: 3, threshold: 0 })).toThrow(
      "localMaximaOfTable: there must be one reward for each of the 8 strings of 3 letters out of 2, got 81",
    );
  });
});
