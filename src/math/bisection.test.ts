import { expect, test } from "vitest";
import { bisect, firstIndexWhere } from "./bisection.ts";

test("firstIndexWhere finds the first index at any position", () => {
  for (let length = 0; length < 9; length++) {
    for (let boundary = 0; boundary <= length; boundary++) {
      expect(firstIndexWhere(length, (index) => index >= boundary)).toBe(boundary);
    }
  }
});

test("bisect encloses the square root of 2", () => {
  const [low, high] = bisect(0, 2, (x) => x * x < 2);
  expect(low).toBeLessThanOrEqual(Math.SQRT2);
  expect(high).toBeGreaterThanOrEqual(Math.SQRT2);
  expect(high - low).toBeLessThan(1e-15);
  expect(bisect(0, 1, () => true, 2)).toEqual([0.75, 1]);
});
