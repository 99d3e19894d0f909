// Rewards from scores, against closed forms.

import { describe, expect, test } from "vitest";
import {
  chooseExponent,
  EXPONENT_RANGE,
  effectiveNumber,
  type ScalingOptions,
  scoreScaling,
  shapedRewards,
} from "./reward-shaping.ts";

const scale = (scores: readonly number[], options?: ScalingOptions, queries = scores) =>
  queries.map(scoreScaling(scores, options));

describe("scaled scores", () => {
  test("by min-max reach from 0 for the worst to 1 for the best", () => {
    expect(scale([-3, 5, 1])).toEqual([0, 1, 0.5]);
    expect(scale([-3, 5, 1], { goal: "minimise" })).toEqual([1, 0, 0.5]);
  });

  test("by min-max are 0 below the worst, and above 1 beyond the best", () => {
    expect(scale([0, 2], {}, [-1, 3])).toEqual([0, 1.5]);
    expect(scale([0, 2], { goal: "minimise" }, [-1, 3])).toEqual([1.5, 0]);
  });

  test("by quantile are the share of worse scores, and do not depend on the order", () => {
    expect(scale([10, 0, 1000, 0, 10], { scale: "quantile" })).toEqual([0.5, 0, 1, 0, 0.5]);
    expect(scale([10, 0, 1000, 0], { scale: "quantile", goal: "minimise" }, [1000, 10, 0])).toEqual([
      0, 0.5, 1,
    ]);
  });

  test("by quantile are interpolated between scores, and stay within 0 and 1", () => {
    expect(scale([0, 10, 20], { scale: "quantile" }, [-5, 5, 15, 25])).toEqual([0, 0.25, 0.75, 1]);
  });

  test("are 1 if all scores are equal", () => {
    for (const kind of ["min-max", "quantile"] as const) {
      expect(scale([4, 4], { scale: kind }, [3, 4, 5])).toEqual([0, 1, 1]);
    }
  });

  test("may be the scores themselves if none is negative", () => {
    expect(scale([0, 2.5], { scale: "none" })).toEqual([0, 2.5]);
    expect(() => scale([1, -2], { scale: "none" })).toThrow(
      "must not be negative, got -2; scale them by min-max",
    );
    expect(() => scale([1], { scale: "none", goal: "minimise" })).toThrow(
      "must be scaled by min-max or quantile",
    );
    expect(() => scale([])).toThrow("at least one score");
  });
});

test("rewards are powers of scaled scores, with a floor relative to the largest", () => {
  expect(shapedRewards([0, 0.5, 1], { exponent: 2, floor: 0.01 })).toEqual([0.01, 0.25, 1]);
  expect(shapedRewards([0, 1, 2], { exponent: 3, floor: 0.5 })).toEqual([4, 4, 8]);
});

describe("the effective number of strings", () => {
  test("is the number of strings if all rewards are equal", () => {
    expect(effectiveNumber([0.3, 0.3, 0.3], { exponent: 7, floor: 0 })).toBeCloseTo(3, 12);
  });

  test("follows its closed form for two values", () => {
    // m strings with 1 and k strings with a: (m + k a^β)² / (m + k a^2β).
    const [m, k, a, exponent] = [3, 10, 0.5, 4];
    const scaled = [...Array(m).fill(1), ...Array(k).fill(a)];
    const exact = (m + k * a ** exponent) ** 2 / (m + k * a ** (2 * exponent));
    expect(effectiveNumber(scaled, { exponent, floor: 0 })).toBeCloseTo(exact, 12);
  });

  test("counts the floor", () => {
    expect(effectiveNumber([1, 0, 0], { exponent: 5, floor: 0.1 })).toBeCloseTo(1.2 ** 2 / 1.02, 12);
  });
});

describe("the exponent for an effective number N", () => {
  test("is exact for two values, where it is the root of a quadratic equation", () => {
    // With x = a^β: (m + k x)² = N (m + k x²).
    const [m, k, a] = [4, 100, 0.8];
    const scaled = [...Array(m).fill(1), ...Array(k).fill(a)];
    for (const n of [6, 20, 60]) {
      const root = Math.sqrt(m * m * k * k - (k * k - n * k) * (m * m - n * m));
      const x = (-m * k + root) / (k * k - n * k);
      const exact = Math.log(x) / Math.log(a);
      const chosen = chooseExponent(scaled, n, 0);
      expect(chosen.exponent).toBeCloseTo(exact, 9);
      expect(chosen.effective).toBeCloseTo(n, 9);
      expect(chosen.isReached).toBe(true);
    }
  });

  test("does not depend on the unit of the scores", () => {
    const scaled = Array.from({ length: 50 }, (_, i) => (i + 1) / 50);
    const { exponent } = chooseExponent(scaled, 10, 1e-4);
    expect(
      chooseExponent(
        scaled.map((score) => 1e3 * score),
        10,
        1e-4,
      ).exponent,
    ).toBeCloseTo(exponent, 9);
    expect(effectiveNumber(scaled, { exponent, floor: 1e-4 })).toBeCloseTo(10, 9);
  });

  test("is the nearest one if no exponent reaches N", () => {
    const tooFew = chooseExponent([0.5, 1], 10, 0);
    expect(tooFew).toMatchObject({ exponent: EXPONENT_RANGE.least, isReached: false });
    const ties = chooseExponent([1, 1, 1, 0.5], 2, 0);
    expect(ties).toMatchObject({ exponent: EXPONENT_RANGE.most, isReached: false });
    expect(ties.effective).toBeCloseTo(3, 9);
    expect(() => chooseExponent([1], 0.5, 0)).toThrow("must be at least 1, got 0.5");
  });
});
