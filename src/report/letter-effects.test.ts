// Effects of letters and of pairs of letters, on full sets of strings whose effects are known exactly.

import { expect, test } from "vitest";
import { letterEffects, pairShares } from "./letter-effects.ts";

/** All strings of four letters out of two. */
const ALL = Array.from({ length: 16 }, (_, i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1, (i >> 3) & 1]);
const scored = (scoreOf: (letters: readonly number[]) => number) =>
  ALL.map((letters) => ({ letters, score: scoreOf(letters) }));

test("the effect of a letter is its mean score minus the mean of all", () => {
  const effects = letterEffects(
    scored(([first, second]) => 2 * first - second),
    2,
  );
  expect(effects).toEqual([
    [-1, 0.5, 0, 0],
    [1, -0.5, 0, 0],
  ]);
});

test("a letter with fewer than three strings has no effect, and shorter strings count where they have letters", () => {
  const strings = [
    { letters: [0, 0], score: 1 },
    { letters: [0, 1], score: 2 },
    { letters: [0], score: 6 },
    { letters: [1], score: 3 },
  ];
  expect(letterEffects(strings, 2)).toEqual([
    [0, null],
    [null, null],
  ]);
});

test("a pair that decides alone explains everything, all other pairs nothing", () => {
  const shares = pairShares(
    scored(([first, , third]) => (first === third ? 5 : 1)),
    2,
  );
  expect(shares[0][2]).toBeCloseTo(1, 12);
  expect(shares[2][0]).toBe(shares[0][2]);
  for (const [i, j] of [
    [0, 1],
    [0, 3],
    [1, 2],
    [1, 3],
    [2, 3],
  ])
    expect(shares[i][j]).toBeCloseTo(0, 12);
  expect(shares.map((row, i) => row[i])).toEqual([null, null, null, null]);
});

test("sums of single letters have no pairs, and pairs beside them have their share of the variance", () => {
  const additive = pairShares(
    scored(([a, b, c]) => a + 2 * b - c),
    2,
  );
  for (const share of additive.flat()) if (share !== null) expect(share).toBeCloseTo(0, 12);
  // The variance of 2a is 1, that of the pair (±1) is 1 too.
  const mixed = pairShares(
    scored(([a, b, c]) => 2 * a + (b === c ? 1 : -1)),
    2,
  );
  expect(mixed[1][2]).toBeCloseTo(0.5, 2);
});

test("with as many pairs of letters as strings, nothing is said", () => {
  const few = [
    { letters: [0, 0], score: 0 },
    { letters: [0, 1], score: 1 },
    { letters: [1, 0], score: 2 },
    { letters: [1, 1], score: 3 },
  ];
  expect(pairShares(few, 2)[0][1]).toBeNull();
});
