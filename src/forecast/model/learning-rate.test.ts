import { expect, test } from "vitest";
import { learningRateAt } from "./learning-rate.ts";

test("rises linearly over a tenth of the iterations, then falls along a cosine to a twentieth", () => {
  const rate = (step: number) => learningRateAt({ learningRate: 0.2, iterations: 100 }, step);
  expect(rate(0)).toBeCloseTo(0.02, 12);
  expect(rate(4)).toBeCloseTo(0.1, 12);
  expect(rate(9)).toBeCloseTo(0.2, 12);
  expect(rate(10)).toBeCloseTo(0.2, 12);
  expect(rate(55)).toBeCloseTo((0.2 + 0.01) / 2, 12);
  expect(rate(100)).toBeCloseTo(0.01, 12);
});

test("the warm-up has at most 50 steps, and at least one", () => {
  expect(learningRateAt({ learningRate: 1, iterations: 10_000 }, 49)).toBe(1);
  expect(learningRateAt({ learningRate: 1, iterations: 10_000 }, 48)).toBeLessThan(1);
  expect(learningRateAt({ learningRate: 1, iterations: 1 }, 0)).toBe(1);
});
