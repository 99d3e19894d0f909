// The Cholesky factorisation of symmetric positive definite matrices, and the systems that it solves.

/** A lower triangular factor L with L Lᵀ = A, row by row, [n · n]. */
export interface Cholesky {
  readonly size: number;
  readonly factor: Float64Array;
}

/** Factorises a symmetric matrix [n · n]; null if it is not positive definite. Only the lower triangle is read. */
export function cholesky(matrix: Float64Array, size: number): Cholesky | null {
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const row = i * size;
    for (let j = 0; j <= i; j++) {
      const other = j * size;
      let rest = matrix[row + j];
      for (let k = 0; k < j; k++) rest -= factor[row + k] * factor[other + k];
      if (j < i) factor[row + j] = rest / factor[other + j];
      else if (rest > 0) factor[row + i] = Math.sqrt(rest);
      else return null;
    }
  }
  return { size, factor };
}

/** The solution x of A x = b. */
export function choleskySolve({ size, factor }: Cholesky, right: ArrayLike<number>): Float64Array {
  const x = Float64Array.from(right);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i] -= factor[i * size + k] * x[k];
    x[i] /= factor[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i] -= factor[k * size + i] * x[k];
    x[i] /= factor[i * size + i];
  }
  return x;
}

/** The diagonal of the inverse of A, [n]. */
export function inverseDiagonal({ size, factor }: Cholesky): Float64Array {
  // Column j of the inverse of L has zeros above row j; the diagonal of L⁻ᵀ L⁻¹ sums the squares of its columns.
  const diagonal = new Float64Array(size);
  const column = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    column[j] = 1 / factor[j * size + j];
    let squares = column[j] ** 2;
    for (let i = j + 1; i < size; i++) {
      let rest = 0;
      for (let k = j; k < i; k++) rest -= factor[i * size + k] * column[k];
      column[i] = rest / factor[i * size + i];
      squares += column[i] ** 2;
    }
    diagonal[j] = squares;
  }
  return diagonal;
}
