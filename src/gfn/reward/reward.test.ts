import { describe, expect, test } from "vitest";
import { exponentAt, logReward, rewardTable } from "./reward.ts";

test("rewards are powers of scores, with a floor relative to the largest", () => {
  const rewards = rewardTable(Float64Array.of(0, 0.5, 1, 2), { exponent: 3, floor: 0.1 });
  expect([...rewards]).toEqual([0.8, 0.8, 1, 8]);
});

test("the default floor is 1e-4 of the largest reward", () => {
  expect([...rewardTable(Float64Array.of(0, 2))]).toEqual([2e-4, 2]);
});

test("without a floor, rewards are exactly the powers", () => {
  expect([...rewardTable(Float64Array.of(0.01, 3), { exponent: 2, floor: 0 })]).toEqual([0.01 ** 2, 9]);
});

describe("invalid scores and options are refused:", () => {
  const decode = (terminal: number) => "ACGT"[terminal];
  test.each([
    [
      "a negative score",
      [1, -0.5],
      {},
      "scores must be finite and not negative, got -0.5 for terminal 1 (C)",
    ],
    ["NaN", [1, 1, Number.NaN], {}, "scores must be finite and not negative, got NaN for terminal 2 (G)"],
    ["infinity", [Number.POSITIVE_INFINITY], {}, "got Infinity for terminal 0 (A)"],
    [
      "zero everywhere",
      [0, 0],
      {},
      "at least one score must be positive, got 0 for all, from terminal 0 (A) to terminal 1 (C)",
    ],
    ["no scores", [], {}, "there must be at least one score, got none"],
    [
      "zero somewhere without a floor",
      [1, 0],
      { floor: 0 },
      "rewards must be positive, got 0 for terminal 1 (C)",
    ],
    [
      "a power that overflows",
      [10, 1],
      { exponent: 400 },
      "got Infinity for terminal 0 (A), which is 10 to the power 400; lower the exponent",
    ],
    [
      "a power that underflows",
      [0.1],
      { exponent: 400 },
      "got 0 for terminal 0 (A), which is 0.1 to the power 400; lower the exponent",
    ],
    ["an exponent that is not positive", [1], { exponent: 0 }, "exponent must be a positive number, got 0"],
    ["a floor above the largest", [1], { floor: 2 }, "floor must be in [0, 1], got 2"],
  ])("%s", (_, scores, options, message) => {
    expect(() => rewardTable(Float64Array.from(scores), { ...options, decode })).toThrow(message);
  });
});

describe("the exponent of an iteration", () => {
  test("is constant without a ramp, and 1 by default", () => {
    for (const t of [0, 1, 1000]) {
      expect(exponentAt({ exponent: 3 }, t)).toBe(3);
      expect(exponentAt({ exponent: 3, ramp: 0 }, t)).toBe(3);
      expect(exponentAt({}, t)).toBe(1);
      expect(exponentAt({ ramp: 10 }, t)).toBe(1);
    }
  });

  test("starts at 1, is half-way after `ramp` iterations, and approaches the exponent", () => {
    const at = (t: number) => exponentAt({ exponent: 4, ramp: 50 }, t);
    expect(at(0)).toBe(1);
    expect(at(50)).toBeCloseTo(2.5, 12);
    expect(at(100)).toBeCloseTo(3, 12);
    expect(at(150)).toBeCloseTo(3.25, 12);
    expect(at(1e9)).toBeCloseTo(4, 6);
    for (let t = 0; t < 20; t++) expect(at(t + 1)).toBeGreaterThan(at(t));
  });

  test("decreases from 1 towards a smaller exponent", () => {
    expect(exponentAt({ exponent: 0.5, ramp: 10 }, 10)).toBeCloseTo(0.75, 12);
  });
});

describe("the logarithm of a reward", () => {
  test("is the exponent times the logarithm of the score, at least that of the floor", () => {
    expect(logReward(0.5, 3, 1e-4, 1)).toBeCloseTo(3 * Math.log(0.5), 12);
    expect(logReward(2, 3, 1e-4, 1)).toBeCloseTo(3 * Math.log(2), 12);
    // 0.1³ is less than a tenth of 2³.
    expect(logReward(0.1, 3, 0.1, 2)).toBeCloseTo(Math.log(0.8), 12);
    expect(logReward(0, 3, 0.1, 2)).toBeCloseTo(Math.log(0.8), 12);
  });

  test("agrees with the table of rewards", () => {
    const scores = Float64Array.of(0, 0.2, 1, 4);
    for (const exponent of [0.5, 1, 3]) {
      const rewards = rewardTable(scores, { exponent, floor: 0.01 });
      scores.forEach((score, i) => {
        expect(logReward(score, exponent, 0.01, 4)).toBeCloseTo(Math.log(rewards[i]), 12);
      });
    }
  });

  test("is finite in float32 if both score and floor are 0", () => {
    const log = logReward(0, 3, 0, 1);
    expect(Math.fround(log)).toBeLessThan(-1e19);
    expect(Number.isFinite(Math.fround(log))).toBe(true);
  });
});
