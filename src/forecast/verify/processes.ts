// Random processes whose laws are known: chains, their powers, discretised autoregression, and drawing from them.

import type { RandomStream } from "../../engine/index.ts";

/** K × K transition probabilities, or K^p × K of a chain of order p, row by row. */
export type Table = Float64Array;

/** Rows that are a softmax of normal numbers times `contrast`: the larger it is, the nearer to certain. */
export function randomTable(rows: number, K: number, contrast: number, stream: RandomStream): Table {
  const table = Float64Array.from({ length: rows * K }, () => Math.exp(contrast * stream.normal()));
  return normalised(table, K);
}

/** Every row mixed with the uniform one, so that no share is below ε / K: what a channel can realise. */
export function smoothed(table: Table, K: number, epsilon: number): Table {
  return table.map((share) => (1 - epsilon) * share + epsilon / K);
}

/** The chain watched only every n steps. */
export function power(table: Table, K: number, n: number): Table {
  let result: Table = Float64Array.from({ length: K * K }, (_, i) => (i % (K + 1) === 0 ? 1 : 0));
  for (let i = 0; i < n; i++) result = product(result, table, K);
  return result;
}

/** x' = φ x + σ e on K equal bins of [−w, w] and beyond, each bin at its middle (Tauchen 1986). */
export function autoregression(K: number, phi: number, sigma: number, w: number): Table {
  const width = (2 * w) / K;
  const middle = (bin: number) => -w + (bin + 0.5) * width;
  const table = new Float64Array(K * K);
  for (let from = 0; from < K; from++) {
    const below = (edge: number) => normalBelow((edge - phi * middle(from)) / sigma);
    for (let to = 0; to < K; to++) {
      const low = to === 0 ? 0 : below(-w + to * width);
      const high = to === K - 1 ? 1 : below(-w + (to + 1) * width);
      table[from * K + to] = high - low;
    }
  }
  return table;
}

export function logOf(table: Table): Float64Array {
  return table.map(Math.log);
}

/** A token drawn from row number `row`. */
export function drawToken(table: Table, K: number, row: number, stream: RandomStream): number {
  let left = stream.uniform();
  for (let x = 0; x < K - 1; x++) {
    left -= table[row * K + x];
    if (left < 0) return x;
  }
  return K - 1;
}

/** `length` tokens of a chain, the first drawn uniformly. */
export function drawChain(table: Table, K: number, length: number, stream: RandomStream): number[] {
  const tokens = [stream.integer(K)];
  while (tokens.length < length) tokens.push(drawToken(table, K, tokens[tokens.length - 1], stream));
  return tokens;
}

export function normalised(table: Float64Array, K: number): Table {
  return table.map((weight, i) => {
    const start = i - (i % K);
    return weight / table.subarray(start, start + K).reduce((sum, other) => sum + other, 0);
  });
}

function product(a: Table, b: Table, K: number): Table {
  return Float64Array.from({ length: K * K }, (_, i) => {
    const [row, column] = [Math.floor(i / K), i % K];
    let sum = 0;
    for (let k = 0; k < K; k++) sum += a[row * K + k] * b[k * K + column];
    return sum;
  });
}

/** The normal distribution function, by Simpson's rule from the middle: to about 1e-12. */
function normalBelow(z: number): number {
  if (z > 8) return 1;
  if (z < -8) return 0;
  const n = 400;
  const h = z / n;
  let sum = 0;
  for (let i = 0; i <= n; i++) {
    const weight = i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-((i * h) ** 2) / 2);
  }
  return 0.5 + (sum * h) / 3 / Math.sqrt(2 * Math.PI);
}
