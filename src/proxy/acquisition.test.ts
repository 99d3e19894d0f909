// Acquisition functions against their definitions.

import { expect, test } from "vitest";
import { normalDensity } from "../math/normal-distribution.ts";
import { expectedImprovement, upperConfidenceBound } from "./acquisition.ts";

test("the expected improvement is the integral of the improvement over the distribution of the score", () => {
  const [mean, deviation, best] = [0.3, 0.5, 0.7];
  let integral = 0;
  const step = 1e-3;
  for (let z = -8; z < 8; z += step) {
    integral += Math.max(mean + deviation * z - best, 0) * normalDensity(z) * step;
  }
  expect(expectedImprovement(mean, deviation, best)).toBeCloseTo(integral, 6);
});

test("without a deviation the improvement is certain", () => {
  expect(expectedImprovement(1, 0, 0.25)).toBe(0.75);
  expect(expectedImprovement(0, 0, 0.25)).toBe(0);
});

test("the upper confidence bound is one deviation above the mean", () => {
  expect(upperConfidenceBound(2, 0.5)).toBe(2.5);
});
