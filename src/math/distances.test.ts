import { expect, test } from "vitest";
import { entropy, klDivergence, pearson, spearman, totalVariation } from "./distances.ts";

test("total variation, KL divergence and entropy of two coins", () => {
  const [p, q] = [Float64Array.of(0.5, 0.5), Float64Array.of(0.9, 0.1)];
  expect(totalVariation(p, q)).toBeCloseTo(0.4, 12);
  expect(klDivergence(q, p)).toBeCloseTo(0.9 * Math.log(1.8) + 0.1 * Math.log(0.2), 12);
  expect(entropy(p)).toBeCloseTo(Math.LN2, 12);
  expect(klDivergence(p, Float64Array.of(1, 0))).toBe(Number.POSITIVE_INFINITY);
});

test("correlations of a line, of a curve and of ties", () => {
  const x = Float64Array.of(1, 2, 3, 4);
  expect(pearson(x, Float64Array.of(2, 4, 6, 8))).toBeCloseTo(1, 12);
  expect(spearman(x, Float64Array.of(1, 8, 27, 1000))).toBeCloseTo(1, 12);
  expect(spearman(x, Float64Array.of(1, 1, 2, 2))).toBeCloseTo(0.8944, 4);
});
