// The effective sample size of weighted samples.

import { expect, test } from "vitest";
import { effectiveSampleSize } from "./effective-sample-size.ts";

test("is the number of samples if all weights are equal, however small they are", () => {
  expect(effectiveSampleSize(new Float64Array(7).fill(-5000))).toBeCloseTo(7, 9);
});

test("is (Σ w)² / Σ w²", () => {
  expect(effectiveSampleSize(Float64Array.of(1, 2, 3).map(Math.log))).toBeCloseTo(36 / 14, 12);
});

test("is 1 if one weight is far above the others, and 0 without a weight", () => {
  expect(effectiveSampleSize(Float64Array.of(0, -100, -200))).toBeCloseTo(1, 12);
  expect(effectiveSampleSize(Float64Array.of(Number.NEGATIVE_INFINITY))).toBe(0);
  expect(effectiveSampleSize(new Float64Array(0))).toBe(0);
});
