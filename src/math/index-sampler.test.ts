import { expect, test } from "vitest";
import { indexInRange, indexSampler } from "./index-sampler.ts";

test("each index covers an interval of its share, and weights of 0 are never sampled", () => {
  const { sum, indexOf } = indexSampler(Float64Array.of(0, 1, 0, 2, 1, 0));
  expect(sum).toBe(4);
  expect([0, 0.2499, 0.25, 0.7499, 0.75, 0.9999].map(indexOf)).toEqual([1, 1, 3, 3, 4, 4]);
});

test("a single weight is always sampled", () => {
  expect([0, 0.5, 0.9999].map(indexSampler(Float64Array.of(3)).indexOf)).toEqual([0, 0, 0]);
});

test("without a table, the indices of a range are the same", () => {
  const probabilities = Float64Array.of(0.5, 0.5, 0, 0.25, 0, 0.5, 0.25, 1);
  const { indexOf } = indexSampler(probabilities.subarray(2, 7));
  for (const uniform of [0, 0.2499, 0.25, 0.7499, 0.75, 0.9999]) {
    expect(indexInRange(probabilities, 2, 7, uniform)).toBe(2 + indexOf(uniform));
  }
});
