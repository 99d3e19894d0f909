// The scale of regressions: nearly the score itself near the median, a logarithm far away, and invertible.

import { expect, test } from "vitest";
import { targetScale } from "./target-scale.ts";

test("scores near the median keep their distances, an extreme one comes near", () => {
  const { scaled, score } = targetScale([-1, 0, 1, 2, -2, 1e6]);
  expect(scaled(1) - scaled(0)).toBeCloseTo(1, 2);
  expect(scaled(1e6)).toBeLessThan(300);
  for (const value of [-2, 0.5, 1e6]) expect(score(scaled(value)) / value).toBeCloseTo(1, 9);
});

test("scores far below the others are taken for the worst that count", () => {
  const { scaled } = targetScale([-1, 0, 1, 2, -2, -1e6]);
  expect(scaled(-1e6)).toBe(scaled(-1e3));
  expect(scaled(-1e6)).toBeGreaterThan(-20);
  expect(scaled(-1e6)).toBeLessThan(scaled(-2));
});

test("equal scores have a scale too", () => {
  const { scaled, score } = targetScale([3, 3, 3]);
  expect(scaled(3)).toBe(0);
  expect(score(0)).toBe(3);
});
