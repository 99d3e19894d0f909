// The Cholesky factorisation against systems with a known solution and a closed-form inverse.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { type Cholesky, cholesky, choleskySolve, inverseDiagonal } from "./cholesky.ts";

test("the factor of a 2 × 2 matrix is that of the closed form", () => {
  const { factor } = cholesky(Float64Array.of(4, 2, 2, 5), 2) as Cholesky;
  expect([...factor]).toEqual([2, 0, 1, 2]);
});

test("a matrix that is not positive definite has no factor", () => {
  expect(cholesky(Float64Array.of(1, 2, 2, 1), 2)).toBeNull();
});

test("a random system is solved, and the diagonal of its inverse agrees with solved unit vectors", () => {
  const size = 12;
  const stream = RandomStream.fromSeed(1);
  const root = Float64Array.from({ length: size * size }, () => stream.normal());
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      for (let k = 0; k < size; k++) matrix[i * size + j] += root[i * size + k] * root[j * size + k];
      if (i === j) matrix[i * size + j] += 0.5;
    }
  }
  const factor = cholesky(matrix, size) as Cholesky;
  const x = Float64Array.from({ length: size }, (_, i) => i - 3);
  const right = Array.from({ length: size }, (_, i) =>
    x.reduce((sum, value, j) => sum + matrix[i * size + j] * value, 0),
  );
  choleskySolve(factor, right).forEach((value, i) => {
    expect(value).toBeCloseTo(x[i], 9);
  });
  const diagonal = inverseDiagonal(factor);
  for (let i = 0; i < size; i++) {
    const unit = Array.from({ length: size }, (_, j) => +(i === j));
    expect(diagonal[i]).toBeCloseTo(choleskySolve(factor, unit)[i], 9);
  }
});
