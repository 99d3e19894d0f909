import { expect, test } from "vitest";
import { compare, median } from "./statistics.ts";

test("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([5, 1, 9])).toBe(5);
  expect(median([10, 1, 2, 4])).toBe(3);
  expect(median([7])).toBe(7);
});

test("the median does not change its input, and refuses an empty list", () => {
  const values = [3, 1, 2];
  median(values);
  expect(values).toEqual([3, 1, 2]);
  expect(() => median([])).toThrow("median: there must be at least one value, got none");
});

test("a comparison uses the ratio within each round, so that a slow round affects both sides equally", () => {
  const { ours, rivalValue, ratio, rounds } = compare([100, 10, 120], [50, 5, 20]);
  expect({ ours, rivalValue, ratio }).toEqual({ ours: 100, rivalValue: 20, ratio: 2 });
  expect(rounds[1]).toEqual({ ours: 10, rivalValue: 5, ratio: 2 });
});

test("a comparison refuses sides with different numbers of rounds", () => {
  expect(() => compare([1, 2], [1])).toThrow("compare: both sides must have the same rounds, got 2 and 1");
});
