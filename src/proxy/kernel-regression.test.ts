// Kernel regressions: the chosen kernel and noise by refits without each string, and members without their folds.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { cholesky, choleskySolve } from "../math/cholesky.ts";
import { gramMatrix, kernelRegression } from "./kernel-regression.ts";

const COUNT = 24;
const stream = RandomStream.fromSeed(11);
const xs = Array.from({ length: COUNT }, () => stream.uniform());
const near = (width: number) => gramMatrix(COUNT, (i, j) => 1 + Math.exp(-(((xs[i] - xs[j]) / width) ** 2)));
const folds = xs.map((_, i) => i % 8);

/** The mean squared error of ridge regressions that are fitted again without each point. */
function leaveOneOut(gram: Float64Array, scores: Float64Array, noise: number): number {
  const centre = scores.reduce((a, b) => a + b) / COUNT;
  const errors = xs.map((_, left) => {
    const kept = xs.flatMap((_, i) => (i === left ? [] : [i]));
    const matrix = Float64Array.from(
      kept.flatMap((i) => kept.map((j) => gram[i * COUNT + j] + (i === j ? noise : 0))),
    );
    const weights = choleskySolve(
      cholesky(matrix, kept.length)!,
      kept.map((i) => scores[i] - centre),
    );
    const predicted = kept.reduce((sum, i, row) => sum + weights[row] * gram[i * COUNT + left], centre);
    return (predicted - scores[left]) ** 2;
  });
  return errors.reduce((a, b) => a + b) / COUNT;
}

test.each([0.05, 0.5])(
  "the kernel and the noise are those of the smallest leave-one-out error (%s)",
  (wave) => {
    const scores = Float64Array.from(xs, (x) => Math.sin(x / wave));
    const grams = [near(0.05), near(1)];
    const { kernel, members } = kernelRegression(grams, scores, folds);
    const errors = grams.map((gram) =>
      Math.min(...[0.003, 0.01, 0.03, 0.1, 0.3, 1].map((noise) => leaveOneOut(gram, scores, noise))),
    );
    expect(kernel).toBe(errors[0] < errors[1] ? 0 : 1);
    expect(members).toHaveLength(8);
  },
);

test("a member gives no weight to its fold, and fits the others", () => {
  const scores = Float64Array.from(xs, (x) => 3 * x);
  const gram = near(1);
  const { members } = kernelRegression([gram], scores, folds);
  members.forEach(({ centre, weights }, member) => {
    xs.forEach((_, i) => {
      if (folds[i] === member) expect(weights[i]).toBe(0);
      const predicted = weights.reduce((sum, weight, j) => sum + weight * gram[i * COUNT + j], centre);
      expect(predicted).toBeCloseTo(scores[i], 0);
    });
  });
});
