import { describe, expect, test } from "vitest";
import { rewardTable } from "./reward.ts";

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
