import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { hammingDistance } from "../../math/bounded-distance.ts";
import { localMaxima, localMaximaOfTable, modeRecall } from "./modes.ts";

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
