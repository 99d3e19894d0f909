// Mean matching: the factor on the exponent follows the gap between the target's mean score and that of the policy.

import { expect, test } from "vitest";
import { MeanMatching, type MeanMatchingOptions } from "./mean-matching.ts";

const sequence = (scores: readonly number[]) => ({
  calls: scores.length,
  scoreAt: (position: number) => scores[position],
});
const options: MeanMatchingOptions = { calls: 1000, first: 200, block: 20, rewardOf: (score) => score };

/** Scores ¼ and ¾ in turn: the uniform mean is ½, that of the target (1/16 + 9/16) / (1/4 + 3/4) = 5/8. */
const first = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 0.25 : 0.75));
const later = (mean: number, count = 800) => new Array<number>(count).fill(mean);

test("a policy at the mean of the target, or before enough calls, has the factor 1", () => {
  expect(new MeanMatching(options).factor(sequence([...first, ...later(5 / 8)]))).toBeCloseTo(1, 12);
  expect(new MeanMatching(options).factor(sequence(first.slice(0, 100)))).toBe(1);
  expect(new MeanMatching(options).factor(sequence([...first, ...later(0.5, 200)]))).toBe(1);
});

test("the factor rises with the missing share, by e^6 over a budget without any progress, and at most to 4", () => {
  // 100 calls after the first 400, and a fifth of the way is missing.
  const missing = 5 / 8 - 1 / 8 / 5;
  const scores = [...first, ...later(missing, 300)];
  expect(new MeanMatching(options).factor(sequence(scores))).toBeCloseTo(
    Math.exp((6 * 0.2 * 100) / 1000),
    10,
  );
  expect(new MeanMatching(options).factor(sequence([...first, ...later(0.5)]))).toBeCloseTo(4, 12);
});

test("the factor falls again when objects score higher than the target's, and never below 1", () => {
  const risen = [...first, ...later(0.5, 300)];
  const up = new MeanMatching(options).factor(sequence(risen));
  const down = new MeanMatching(options).factor(sequence([...risen, ...later(11 / 16, 100)]));
  expect(down).toBeCloseTo(up * Math.exp((-6 * 0.5 * 100) / 1000), 10);
  expect(new MeanMatching(options).factor(sequence([...first, ...later(1)]))).toBe(1);
});

test("the factor is the same whether the scores came at once or in parts", () => {
  const scores = [...first, ...Array.from({ length: 800 }, (_, i) => 0.5 + 0.2 * Math.sin(i))];
  const parts = new MeanMatching(options);
  for (let count = 50; count <= 1000; count += 37) parts.factor(sequence(scores.slice(0, count)));
  expect(parts.factor(sequence(scores))).toBe(new MeanMatching(options).factor(sequence(scores)));
});

test("a target that is concentrated on few of the first objects is not matched", () => {
  const rare = Array.from({ length: 200 }, (_, i) => (i < 20 ? 1 : 1e-4));
  expect(new MeanMatching(options).factor(sequence([...rare, ...later(1e-4)]))).toBe(1);
});
