// Ridge regression by kernels: a prediction is a weighted sum of the similarities to known strings. Each member is fitted
// without its fold. The kernel and the variance of the noise are those with the smallest leave-one-out error.

import { type Cholesky, cholesky, choleskySolve, inverseDiagonal } from "../math/cholesky.ts";
import { mean } from "../math/statistics.ts";
import { MEMBERS } from "./proxy.ts";

/** Variances of the noise that are tried, relative to the variance of the scores that the kernel explains. */
const NOISE = [0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;

/** Most strings that decide about the kernel and the noise, the latest. */
const MOST_DECIDING = 300;

/** The weights of the known strings in the predictions of one member. */
export interface KernelMember {
  readonly centre: number;
  /** Weight of each known string, [n]; 0 for those of the member's fold. */
  readonly weights: Float64Array;
}

/** A fitted regression. */
export interface KernelRegression {
  /** Index of the kernel that was chosen. */
  readonly kernel: number;
  readonly members: readonly KernelMember[];
}

/** Fits the members to scores, with the best of some kernels, each given by the similarities of all pairs, [n · n]. */
export function kernelRegression(
  grams: readonly Float64Array[],
  scores: Float64Array,
  folds: ArrayLike<number>,
): KernelRegression {
  const { kernel, noise } = leastError(grams, scores);
  const gram = grams[kernel];
  const count = scores.length;
  const members = Array.from({ length: MEMBERS }, (_, fold): KernelMember => {
    const kept = Int32Array.from(scores.keys()).filter((i) => folds[i] !== fold);
    const centre = mean(Float64Array.from(kept, (i) => scores[i]));
    const size = kept.length;
    const part = new Float64Array(size * size);
    for (let row = 0; row < size; row++) {
      for (let column = 0; column <= row; column++) {
        part[row * size + column] = gram[kept[row] * count + kept[column]];
      }
    }
    const solved = choleskySolve(
      factorise(part, size, noise),
      Float64Array.from(kept, (i) => scores[i] - centre),
    );
    const weights = new Float64Array(count);
    kept.forEach((i, row) => {
      weights[i] = solved[row];
    });
    return { centre, weights };
  });
  return { kernel, members };
}

/** The similarities of all pairs, [n · n]. */
export function gramMatrix(count: number, similarity: (i: number, j: number) => number): Float64Array {
  const gram = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j <= i; j++) {
      const value = similarity(i, j);
      gram[i * count + j] = value;
      gram[j * count + i] = value;
    }
  }
  return gram;
}

/** Factorises the lower triangle of a matrix of similarities with noise. */
function factorise(gram: Float64Array, size: number, noise: number): Cholesky {
  const matrix = gram.slice();
  for (let i = 0; i < size; i++) matrix[i * size + i] += noise;
  const result = cholesky(matrix, size);
  if (!result) throw new Error("internal: a kernel matrix with noise is not positive definite");
  return result;
}

/** The kernel and the variance of the noise whose leave-one-out errors, (K⁻¹ y)ᵢ / (K⁻¹)ᵢᵢ, have the smallest sum of
 * squares. */
function leastError(
  grams: readonly Float64Array[],
  scores: Float64Array,
): { readonly kernel: number; readonly noise: number } {
  const size = Math.min(scores.length, MOST_DECIDING);
  const first = scores.length - size;
  const centre = mean(scores.subarray(first));
  const centred = scores.subarray(first).map((score) => score - centre);
  let best = { kernel: 0, noise: NOISE[0] as number, error: Number.POSITIVE_INFINITY };
  for (const [kernel, gram] of grams.entries()) {
    const latest = gramMatrix(size, (i, j) => gram[(first + i) * scores.length + first + j]);
    for (const noise of NOISE) {
      const factor = factorise(latest, size, noise);
      const weights = choleskySolve(factor, centred);
      const inverse = inverseDiagonal(factor);
      const error = weights.reduce((sum, weight, i) => sum + (weight / inverse[i]) ** 2, 0);
      if (error < best.error) best = { kernel, noise, error };
    }
  }
  return best;
}
