// Random processes with known distributions: Markov chains, powers of their tables, and a discretised autoregression.

import type { RandomStream } from "../../engine/index.ts";
import { indexInRange } from "../../math/index-sampler.ts";
import { normalCdf } from "../../math/normal-distribution.ts";

/** K × K transition probabilities, or K^p × K for a chain of order p, in row-major order. */
export type TransitionTable = Float64Array;

/** Each row is the softmax of normal numbers times `contrast`. A larger contrast makes rows more deterministic. */
export function randomTable(
  rows: number,
  K: number,
  contrast: number,
  stream: RandomStream,
): TransitionTable {
  const table = Float64Array.from({ length: rows * K }, () => Math.exp(contrast * stream.normal()));
  return normaliseRows(table, K);
}

/** Mixes every row with the uniform distribution, so that no entry is below ε / K and a uniform channel can reach it. */
export function smoothed(table: TransitionTable, K: number, epsilon: number): TransitionTable {
  return table.map((share) => (1 - epsilon) * share + epsilon / K);
}

/** The transition table over n steps: the n-th power. */
export function tablePower(table: TransitionTable, K: number, n: number): TransitionTable {
  let result: TransitionTable = Float64Array.from({ length: K * K }, (_, i) => (i % (K + 1) === 0 ? 1 : 0));
  for (let i = 0; i < n; i++) result = product(result, table, K);
  return result;
}

/** x' = φ x + σ e on K equal bins of [−w, w], with the outer bins open and bins represented by their centres (Tauchen 1986). */
export function discretisedAutoregression(K: number, phi: number, sigma: number, w: number): TransitionTable {
  const width = (2 * w) / K;
  const centre = (bin: number) => -w + (bin + 0.5) * width;
  const table = new Float64Array(K * K);
  for (let from = 0; from < K; from++) {
    const below = (edge: number) => normalCdf((edge - phi * centre(from)) / sigma);
    for (let to = 0; to < K; to++) {
      const low = to === 0 ? 0 : below(-w + to * width);
      const high = to === K - 1 ? 1 : below(-w + (to + 1) * width);
      table[from * K + to] = high - low;
    }
  }
  return table;
}

export function logarithms(table: TransitionTable): Float64Array {
  return table.map(Math.log);
}

/** Samples a token from a row of the table. */
export function sampleToken(table: TransitionTable, K: number, row: number, stream: RandomStream): number {
  return indexInRange(table, row * K, (row + 1) * K, stream.uniform()) - row * K;
}

/** Divides every row of K entries by its sum. */
export function normaliseRows(table: Float64Array, K: number): TransitionTable {
  return table.map((weight, i) => {
    const start = i - (i % K);
    return weight / table.subarray(start, start + K).reduce((sum, other) => sum + other, 0);
  });
}

function product(a: TransitionTable, b: TransitionTable, K: number): TransitionTable {
  return Float64Array.from({ length: K * K }, (_, i) => {
    const [row, column] = [Math.floor(i / K), i % K];
    let sum = 0;
    for (let k = 0; k < K; k++) sum += a[row * K + k] * b[k * K + column];
    return sum;
  });
}
