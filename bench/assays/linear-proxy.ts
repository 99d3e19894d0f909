// The proxy of AdaLead: ridge regression of the score on the letter at each position, solved by conjugate gradients.

import type { MeanProxy } from "../../src/search/adalead.ts";
import type { ScoredString } from "../../src/search/string-search.ts";

/** The penalty of squared weights, in units of one string. */
const PENALTY = 1;
/** Relative size of the residual at which the solution is accurate enough, and most steps until then. */
const [TOLERANCE, STEPS] = [1e-6, 200];

/** Fits the weights of the letters at each position. */
export async function fitLinearProxy(scored: readonly ScoredString[]): Promise<MeanProxy> {
  const featureOf = new Map<string, number>();
  const features = scored.map(({ string }) =>
    Array.from(string, (letter, i) => {
      const key = `${i} ${letter}`;
      if (!featureOf.has(key)) featureOf.set(key, featureOf.size);
      return featureOf.get(key)!;
    }),
  );
  const mean = scored.reduce((sum, { score }) => sum + score, 0) / scored.length;
  const predict = (row: readonly number[], weights: Float64Array) =>
    row.reduce((sum, feature) => sum + weights[feature], 0);
  /** Σ over strings of their features times a value of each. */
  const sumOf = (value: (row: readonly number[], i: number) => number) => {
    const sums = new Float64Array(featureOf.size);
    features.forEach((row, i) => {
      const each = value(row, i);
      for (const feature of row) sums[feature] += each;
    });
    return sums;
  };
  const weights = solve(
    (vector) => sumOf((row) => predict(row, vector)).map((value, k) => value + PENALTY * vector[k]),
    sumOf((_, i) => scored[i].score - mean),
  );
  return {
    async means(strings) {
      return strings.map((string) =>
        Array.from(string).reduce((sum, letter, i) => {
          const feature = featureOf.get(`${i} ${letter}`);
          return sum + (feature === undefined ? 0 : weights[feature]);
        }, mean),
      );
    },
  };
}

/** The solution x of a(x) = b for a symmetric positive definite map (conjugate gradients). */
function solve(a: (vector: Float64Array) => Float64Array, b: Float64Array): Float64Array {
  const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  const x = new Float64Array(b.length);
  const residual = b.slice();
  let direction = b.slice();
  let size = dot(residual, residual);
  const enough = TOLERANCE ** 2 * size;
  for (let step = 0; step < STEPS && size > enough; step++) {
    const mapped = a(direction);
    const length = size / dot(direction, mapped);
    for (let i = 0; i < x.length; i++) {
      x[i] += length * direction[i];
      residual[i] -= length * mapped[i];
    }
    const before = size;
    size = dot(residual, residual);
    direction = direction.map((value, i) => residual[i] + (size / before) * value);
  }
  return x;
}
