// Substitution errors: the probability that a letter of a design turns into another one, at each position.

import { type Issue, show } from "../issues.ts";

/** How letters are replaced: never, by a uniformly drawn letter with probability `stick`, or by a matrix
 * `[intended][written]`, the same for all positions or one per position. */
export type Substitution =
  | { readonly kind: "none" }
  | { readonly kind: "stick"; readonly stick: number }
  | { readonly kind: "substitution"; readonly matrix: LetterMatrix | readonly LetterMatrix[] };

/** Probabilities `[intended][written]`; every row sums to 1. */
export type LetterMatrix = readonly (readonly number[])[];

/** Rows may differ from 1 by this much, because files have rounded numbers. They are normalised. */
const TOLERANCE = 1e-6;

/** All mistakes of a substitution. */
export function substitutionIssues(substitution: Substitution, letters: number): Issue[] {
  if (substitution.kind === "none") return [];
  if (substitution.kind === "stick") {
    const { stick } = substitution;
    if (stick >= 0 && stick < 1) return [];
    return [{ path: "stick", code: "range", message: `must be in [0, 1), got ${show(stick)}` }];
  }
  const { matrix } = substitution;
  if (!Array.isArray(matrix) || matrix.length === 0)
    return [{ path: "matrix", code: "type", message: `must be a list of rows, got ${show(matrix)}` }];
  return isPerPosition(matrix)
    ? matrix.flatMap((each, i) => matrixIssues(each, letters, `matrix[${i}]`))
    : matrixIssues(matrix, letters, "matrix");
}

function matrixIssues(matrix: LetterMatrix, letters: number, path: string): Issue[] {
  if (matrix.length !== letters) {
    const message = `must have ${letters} rows, one for each letter, got ${matrix.length}`;
    return [{ path, code: "size", message }];
  }
  return matrix.flatMap((row, letter): Issue[] => {
    const at = `${path}[${letter}]`;
    const isRow = Array.isArray(row) && row.length === letters && row.every((each) => each >= 0 && each <= 1);
    if (!isRow) {
      const message = `must have ${letters} probabilities from 0 to 1, got ${show(row)}`;
      return [{ path: at, code: "type", message }];
    }
    const sum = row.reduce((a, b) => a + b, 0);
    if (Math.abs(sum - 1) <= TOLERANCE) return [];
    return [{ path: at, code: "sum", message: `must sum to 1, got ${Number(sum.toPrecision(9))}` }];
  });
}

function isPerPosition(matrix: LetterMatrix | readonly LetterMatrix[]): matrix is readonly LetterMatrix[] {
  return Array.isArray(matrix[0]?.[0]);
}

/** The number of positions that the matrices are given for; null if one holds for all positions. */
export function positionsOf(substitution: Substitution): number | null {
  return substitution.kind === "substitution" && isPerPosition(substitution.matrix)
    ? substitution.matrix.length
    : null;
}

/** Returns for a position the probabilities [intended · letters + written]. The substitution must be valid. */
export function letterErrors(
  substitution: Substitution,
  letters: number,
): (position: number) => Float64Array {
  if (substitution.kind === "substitution" && isPerPosition(substitution.matrix)) {
    const flat = substitution.matrix.map((matrix) => flatten(matrix, letters));
    return (position) => flat[position];
  }
  const flat =
    substitution.kind === "substitution"
      ? flatten(substitution.matrix as LetterMatrix, letters)
      : stickMatrix(substitution.kind === "stick" ? substitution.stick : 0, letters);
  return () => flat;
}

/** The rows one after the other, each divided by its sum. */
function flatten(matrix: LetterMatrix, letters: number): Float64Array {
  const sums = matrix.map((row) => row.reduce((a, b) => a + b, 0));
  return Float64Array.from({ length: letters * letters }, (_, i) => {
    const intended = Math.floor(i / letters);
    return matrix[intended][i % letters] / sums[intended];
  });
}

function stickMatrix(stick: number, letters: number): Float64Array {
  return Float64Array.from(
    { length: letters * letters },
    (_, i) => (i % (letters + 1) === 0 ? 1 - stick : 0) + stick / letters,
  );
}
