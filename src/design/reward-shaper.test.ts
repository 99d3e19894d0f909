// Rewards of a design run: exact values, the choice of the scale, and the freeze after two thirds of the budget.

import { describe, expect, test } from "vitest";
import { type ShapingOptions, shapeReward } from "./reward-shaper.ts";

const OPTIONS: ShapingOptions = { goal: "maximise", exponent: 1, effectiveStrings: 10, floor: 1e-4 };
const run = { known: 0, budget: 300 };

describe("the reward of a design run", () => {
  test("is the score itself by default, with the floor relative to the best", () => {
    const { logReward, scale } = shapeReward([0, 0.5, 2], run, OPTIONS);
    expect(scale).toBe("none");
    expect(logReward(0.5)).toBeCloseTo(Math.log(0.5), 12);
    expect(logReward(0)).toBeCloseTo(Math.log(2e-4), 12);
    expect(logReward(4)).toBeCloseTo(Math.log(4), 12);
  });

  test("is scaled by the worst and the best as soon as a score is negative", () => {
    const { logReward, scale } = shapeReward([-1, 1, 3], run, OPTIONS);
    expect(scale).toBe("min-max");
    expect(logReward(1)).toBeCloseTo(Math.log(0.5), 12);
    expect(logReward(-5)).toBeCloseTo(Math.log(1e-4), 12);
  });

  test("prefers low scores if they are minimised", () => {
    const { logReward } = shapeReward([2, 4, 6], run, { ...OPTIONS, goal: "minimise", exponent: 2 });
    expect(logReward(2)).toBeCloseTo(0, 12);
    expect(logReward(4)).toBeCloseTo(2 * Math.log(0.5), 12);
  });

  test("is the floor for a string that failed, whatever the goal", () => {
    for (const goal of ["maximise", "minimise"] as const) {
      const { logReward } = shapeReward([1, 2, Number.NEGATIVE_INFINITY], run, { ...OPTIONS, goal });
      expect(logReward(Number.NEGATIVE_INFINITY)).toBeCloseTo(
        Math.log(1e-4) + (goal === "maximise" ? Math.log(2) : 0),
        12,
      );
    }
  });

  test("depends only on the scores before two thirds of the budget, beside the known ones", () => {
    const scores = [-1, 1, 3, 2, 2, 100, -100];
    const frozen = shapeReward(scores, { known: 2, budget: 4 }, OPTIONS);
    const before = shapeReward(scores.slice(0, 5), { known: 2, budget: 4 }, OPTIONS);
    for (const score of [-2, 0, 2.5, 7]) expect(frozen.logReward(score)).toBe(before.logReward(score));
  });

  test("has the exponent that gives the asked number of effective strings", () => {
    const scores = Array.from({ length: 200 }, (_, i) => (i + 1) / 200);
    const { exponent, chosen, logReward } = shapeReward(scores, run, { ...OPTIONS, exponent: "auto" });
    const rewards = scores.map((score) => Math.exp(logReward(score)));
    const sum = rewards.reduce((a, b) => a + b);
    expect(1 / rewards.reduce((total, reward) => total + (reward / sum) ** 2, 0)).toBeCloseTo(10, 6);
    expect(chosen).toMatchObject({ isReached: true, exponent });
  });

  test("is constant before there is a score", () => {
    const { logReward } = shapeReward([], run, { ...OPTIONS, exponent: "auto" });
    expect(logReward(3)).toBe(0);
  });
});
