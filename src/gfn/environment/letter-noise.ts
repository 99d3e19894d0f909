// The noise of letters that are written under constraints: stick noise or a substitution matrix, which either stays within
// the letters that have a legal completion or is free.

import { numpy as np } from "@jax-js/jax";
import { type Issue, show } from "../../issues.ts";
import { stickNoise } from "./stick-noise.ts";

/** What the environment writes instead of an intended letter. `within`: only letters that still have a legal completion.
 * `free`: any letter, so that a string may become illegal. */
export type LetterNoise =
  | { readonly kind: "none" }
  | { readonly kind: "stick"; readonly stick: number; readonly mode: "within" | "free" }
  | {
      readonly kind: "substitution";
      /** Probability of each written letter for each intended one, [intended][written], or one such matrix for each
       * position. The rows sum to 1. */
      readonly matrix: SubstitutionMatrix | readonly SubstitutionMatrix[];
      readonly mode: "within" | "free";
    };

/** P(written | intended), [intended][written]. */
export type SubstitutionMatrix = readonly (readonly number[])[];

/** Everything that is wrong with the noise of strings of up to `length` letters out of `letters`. */
export function noiseIssues(noise: LetterNoise, letters: number, length: number): Issue[] {
  if (noise.kind === "none") return [];
  const issue = (path: string, message: string): Issue[] => [
    { path: `noise.${path}`, code: "range", message },
  ];
  const mode: string = noise.mode;
  const modeIssues =
    mode === "within" || mode === "free"
      ? []
      : issue("mode", `must be "within" or "free", got ${show(mode)}`);
  if (noise.kind === "stick") {
    const { stick } = noise;
    if (stick >= 0 && stick < 1) return modeIssues;
    return [...issue("stick", `must be a number in [0, 1), got ${show(stick)}`), ...modeIssues];
  }
  const matrices = matricesOf(noise.matrix);
  const perPosition = isPerPosition(noise.matrix);
  if (perPosition && matrices.length !== length) {
    return [
      ...issue("matrix", `must have one matrix for each of the ${length} positions, got ${matrices.length}`),
      ...modeIssues,
    ];
  }
  for (const [position, matrix] of matrices.entries()) {
    const problem = matrixProblem(matrix, letters);
    if (problem === null) continue;
    const where = perPosition ? ` at position ${position + 1}` : "";
    return [...issue("matrix", problem + where), ...modeIssues];
  }
  return modeIssues;
}

function matrixProblem(matrix: SubstitutionMatrix, letters: number): string | null {
  if (matrix.length !== letters || matrix.some((row) => row.length !== letters)) {
    return `must have ${letters} rows of ${letters} probabilities, one for each letter, got ${matrix.length} rows`;
  }
  for (const [intended, row] of matrix.entries()) {
    const wrong = row.find((probability) => !(probability >= 0 && probability <= 1));
    if (wrong !== undefined)
      return `must have probabilities from 0 to 1, got ${show(wrong)} in row ${intended + 1}`;
    const sum = row.reduce((total, probability) => total + probability, 0);
    if (Math.abs(sum - 1) > 1e-6) return `must have rows that sum to 1, got ${sum} in row ${intended + 1}`;
    if (!(row[intended] > 0)) {
      return `must give every letter a chance to be written as intended, got 0 in row ${intended + 1}`;
    }
  }
  return null;
}

function isPerPosition(
  matrix: SubstitutionMatrix | readonly SubstitutionMatrix[],
): matrix is readonly SubstitutionMatrix[] {
  return Array.isArray(matrix[0]?.[0]);
}

function matricesOf(
  matrix: SubstitutionMatrix | readonly SubstitutionMatrix[],
): readonly SubstitutionMatrix[] {
  return isPerPosition(matrix) ? matrix : [matrix];
}

/** Valid noise in the form in which an environment uses it. */
export interface Letters {
  /** Whether noise may write a letter that has no legal completion. */
  readonly isFree: boolean;
  /** Whether a letter may differ from the intended one. */
  readonly isNoisy: boolean;
  /** The level of stick noise; null for a substitution matrix. */
  readonly stick: number | null;
  /** Largest probability that a letter differs from the intended one, before legality is considered. */
  readonly largestFailure: number;
  /** P(written | intended) at a position if all letters were possible. */
  probability(position: number, intended: number, written: number): number;
  /** Samples the written letters of one-hot intended ones, [B, A]. `possible` is a 0/1 mask, [B, A] or [1, A]. `uniform` is
   * [B, 2]. */
  sample(position: number, intended: np.Array, possible: np.Array, uniform: np.Array): np.Array;
  /** Mask of the intended letters that can be written as these, [B, A] to bool [B, A], if all were possible. */
  sourcesOf(position: number, written: np.Array): np.Array;
}

export function lettersUnder(noise: LetterNoise, letters: number): Letters {
  const A = letters;
  if (noise.kind !== "substitution") {
    const stick = noise.kind === "stick" ? noise.stick : 0;
    return {
      isFree: noise.kind === "stick" && noise.mode === "free" && stick > 0,
      isNoisy: stick > 0,
      stick,
      largestFailure: stick * (1 - 1 / A),
      probability: (_, intended, written) => (intended === written ? 1 - stick : 0) + stick / A,
      sample: (_, intended, possible, uniform) => stickNoise(intended, possible, uniform, stick), // [B, A]
      sourcesOf: (_, written) => (stick > 0 ? np.ones([1, A], { dtype: np.bool }) : np.less(0.5, written)), // [B, A] or [1, A]
    };
  }
  const matrices = matricesOf(noise.matrix);
  // Rows are normalised, because they sum to 1 only up to rounding.
  const rows = matrices.map((matrix) =>
    matrix.map((row) => {
      const sum = row.reduce((total, probability) => total + probability, 0);
      return row.map((probability) => probability / sum);
    }),
  );
  const at = (position: number) => rows[rows.length > 1 ? position : 0];
  const arrayOf = (entry: (row: number, column: number) => number) =>
    np.array(
      Float32Array.from({ length: A * A }, (_, i) => entry(Math.floor(i / A), i % A)),
      { shape: [A, A] },
    ); // [A, A]
  const largestFailure = Math.max(
    ...rows.flatMap((matrix) => matrix.map((row, intended) => 1 - row[intended])),
  );
  return {
    isFree: noise.mode === "free" && largestFailure > 0,
    isNoisy: largestFailure > 0,
    stick: null,
    largestFailure,
    probability: (position, intended, written) => at(position)[intended][written],
    sample(position, intended, possible, uniform) {
      const matrix = arrayOf((a, c) => at(position)[a][c]); // [A, A]
      const weights = np.multiply(np.matmul(intended, matrix), possible); // [B, A]
      const cumulative = np.cumsum(weights, 1); // [B, A]
      const [chance] = np.split(uniform, [1], 1); // [B, 1]
      const total = A > 1 ? np.split(cumulative, [A - 1], 1)[1] : cumulative; // [B, 1]
      const isAfter = np.logicalNot(np.less(np.multiply(chance, total), cumulative)).astype(np.float32); // [B, A]
      const rank = np.sum(isAfter, 1, { keepdims: true }); // [B, 1]
      const isDrawn = np.equal(np.arange(A).astype(np.float32), rank).astype(np.float32); // [B, A]
      const drawn = np.multiply(isDrawn, np.less(0, weights).astype(np.float32)); // [B, A]
      // Rounding must not draw a letter that has no probability; then the intended one is written.
      const hasDrawn = np.less(0.5, np.sum(drawn, 1, { keepdims: true })); // [B, 1]
      return np.where(hasDrawn, drawn, intended); // [B, A]
    },
    sourcesOf(position, written) {
      const canLead = arrayOf((c, a) => (at(position)[a][c] > 0 ? 1 : 0)); // [A, A], by written, intended
      return np.less(0.5, np.matmul(written, canLead)); // [B, A]
    },
  };
}
