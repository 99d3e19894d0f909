// Tests of the normal distribution: its functions equal reference values with 15 digits and are consistent with each
// other.

import { expect, test } from "vitest";
import { normalCdf, normalDensity, normalQuantile } from "./normal-distribution.ts";

test("the distribution function equals tabulated values, also in the far tail", () => {
  expect(normalCdf(0)).toBe(0.5);
  expect(normalCdf(1)).toBeCloseTo(0.841344746068543, 14);
  expect(normalCdf(-2)).toBeCloseTo(0.0227501319481792, 15);
  expect(normalCdf(-3.1) / 9.67603213218358e-4).toBeCloseTo(1, 12);
  expect(normalCdf(-10) / 7.61985302416053e-24).toBeCloseTo(1, 12);
});

test("the two algorithms of the distribution function agree at x = −3, where they meet", () => {
  expect(normalCdf(-3 - 1e-9) / normalCdf(-3 + 1e-9)).toBeCloseTo(
    1 - (2e-9 * normalDensity(3)) / normalCdf(-3),
    12,
  );
});

test("quantiles equal tabulated values", () => {
  expect(normalQuantile(0.9)).toBeCloseTo(1.2815515655446, 13);
  expect(normalQuantile(0.975)).toBeCloseTo(1.95996398454005, 13);
  expect(normalQuantile(0.5)).toBe(0);
  expect(normalQuantile(0)).toBe(Number.NEGATIVE_INFINITY);
  expect(normalQuantile(1)).toBe(Number.POSITIVE_INFINITY);
});

test("quantiles invert the distribution function from the far tail to the centre", () => {
  for (const p of [1e-300, 1e-20, 1e-5, 0.01, 0.2, 0.49, 0.5001, 0.8, 0.999]) {
    expect(normalCdf(normalQuantile(p)) / p).toBeCloseTo(1, 11);
  }
});

test("rejects values that are not probabilities", () => {
  expect(() => normalQuantile(1.5)).toThrow("normalQuantile: the probability must be from 0 to 1, got 1.5");
  expect(() => normalQuantile(Number.NaN)).toThrow("got NaN");
});
