import { describe, expect, test } from "vitest";
import { exponentAt, logReward, rewardTable } from "./reward.ts";

test("rewards are powers of scores, from a share of the largest up", () => {
  const rewards = rewardTable(Float64Array.of(0, 0.5, 1, 2), { exponent: 3, floor: 0.1 });
  expect([...rewards]).toEqual([0.8, 0.8, 1, 8]);
});

test("the floor is a ten-thousandth of the largest unless told otherwise", () => {
  expect([...rewardTable(Float64Array.of(0, 2))]).toEqual([2e-4, 2]);
});

test("without a floor rewards are the powers themselves", () => {
  expect([...rewardTable(Float64Array.of(0.01, 3), { exponent: 2, floor: 0 })]).toEqual([0.01 ** 2, 9]);
});

describe("what cannot be a reward is refused and named:", () => {
  const decode = (terminal: number) => "ACGT"[terminal];
  test.each([
    ["a negative score", [1, -0.5], {}, "the score of terminal 1 (C) is -0.5; scores must be finite"],
    ["NaN", [1, 1, Number.NaN], {}, "the score of terminal 2 (G) is NaN; scores must be finite"],
    ["infinity", [Number.POSITIVE_INFINITY], {}, "the score of terminal 0 (A) is Infinity"],
    ["zero everywhere", [0, 0], {}, "every score is 0, from terminal 0 (A) to terminal 1 (C)"],
    ["nothing", [], {}, "there are no scores"],
    ["zero somewhere without a floor", [1, 0], { floor: 0 }, "the reward of terminal 1 (C) is 0"],
    [
      "a power beyond all numbers",
      [10, 1],
      { exponent: 400 },
      "10, to the power 400 is Infinity; lower the exponent",
    ],
    ["a power below all numbers", [0.1], { exponent: 400 }, "0.1, to the power 400 is 0; lower the exponent"],
    ["an exponent that is not positive", [1], { exponent: 0 }, "exponent must be a positive number, got 0"],
    ["a floor above the largest", [1], { floor: 2 }, "floor must be in [0, 1], got 2"],
  ])("%s", (_, scores, options, message) => {
    expect(() => rewardTable(Float64Array.from(scores), { ...options, decode })).toThrow(message);
  });
});

describe("the exponent that trains an iteration", () => {
  test("is the exponent itself without a ramp, and 1 if none is given", () => {
    for (const t of [0, 1, 1000]) {
      expect(exponentAt({ exponent: 3 }, t)).toBe(3);
      expect(exponentAt({ exponent: 3, ramp: 0 }, t)).toBe(3);
      expect(exponentAt({}, t)).toBe(1);
      expect(exponentAt({ ramp: 10 }, t)).toBe(1);
    }
  });

  test("begins at 1, is half-way after as many iterations as the ramp says, and comes near in the end", () => {
    const at = (t: number) => exponentAt({ exponent: 4, ramp: 50 }, t);
    expect(at(0)).toBe(1);
    expect(at(50)).toBeCloseTo(2.5, 12);
    expect(at(100)).toBeCloseTo(3, 12);
    expect(at(150)).toBeCloseTo(3.25, 12);
    expect(at(1e9)).toBeCloseTo(4, 6);
    for (let t = 0; t < 20; t++) expect(at(t + 1)).toBeGreaterThan(at(t));
  });

  test("goes down from 1 if it is smaller", () => {
    expect(exponentAt({ exponent: 0.5, ramp: 10 }, 10)).toBeCloseTo(0.75, 12);
  });
});

describe("the logarithm of a reward", () => {
  test("is the exponent times the logarithm of the score, from the floor up", () => {
    expect(logReward(0.5, 3, 1e-4, 1)).toBeCloseTo(3 * Math.log(0.5), 12);
    expect(logReward(2, 3, 1e-4, 1)).toBeCloseTo(3 * Math.log(2), 12);
    // 0.1³ is less than a tenth of 2³.
    expect(logReward(0.1, 3, 0.1, 2)).toBeCloseTo(Math.log(0.8), 12);
    expect(logReward(0, 3, 0.1, 2)).toBeCloseTo(Math.log(0.8), 12);
  });

  test("is that of the table of rewards", () => {
    const scores = Float64Array.of(0, 0.2, 1, 4);
    for (const exponent of [0.5, 1, 3]) {
      const rewards = rewardTable(scores, { exponent, floor: 0.01 });
      scores.forEach((score, i) => {
        expect(logReward(score, exponent, 0.01, 4)).toBeCloseTo(Math.log(rewards[i]), 12);
      });
    }
  });

  test("stays finite in float32 where both score and floor are zero", () => {
    const log = logReward(0, 3, 0, 1);
    expect(Math.fround(log)).toBeLessThan(-1e19);
    expect(Number.isFinite(Math.fround(log))).toBe(true);
  });
});
