import { expect, test } from "vitest";
import { mean, median, quantileOfSorted, standardDeviation, variance } from "./statistics.ts";

test("mean, variance and standard deviation of four numbers", () => {
  const values = [1, 2, 3, 6];
  expect(mean(values)).toBe(3);
  expect(variance(values)).toBe(3.5);
  expect(standardDeviation(values)).toBeCloseTo(Math.sqrt(14 / 3), 12);
  expect(mean(Float32Array.from(values))).toBe(3);
});

test("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([10, 9, 1, 2])).toBe(5.5);
  expect(median([7])).toBe(7);
});

test("quantiles are interpolated between neighbours", () => {
  const sorted = [0, 10, 20, 40];
  expect([0, 0.5, 1 / 3, 1].map((level) => quantileOfSorted(sorted, level))).toEqual([0, 15, 10, 40]);
});

test("statistics of no values are NaN, and so is the standard deviation of one value", () => {
  for (const statistic of [mean, variance, standardDeviation, median]) expect(statistic([])).toBeNaN();
  expect(standardDeviation([1])).toBeNaN();
});
