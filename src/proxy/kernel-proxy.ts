// Linear and pairwise proxies: ridge regression on the letters of each position, and on all pairs of them.
//
// Both are computed by their kernels, which depend only on the share m of positions at which two strings agree: 1 + m has
// one weight for each letter of each position, and 1 + m + m² also one for each pair. So the number of weights does not
// matter, only the number of strings.

import { type Cholesky, cholesky, choleskySolve, inverseDiagonal } from "../math/cholesky.ts";
import { mean } from "../math/statistics.ts";
import { foldsOf, MEMBERS, type ProxyData, type ScoreProxy, type Tokens } from "./proxy.ts";
import { targetScale } from "./target-scale.ts";

/** Variances of the noise that are tried, relative to the variance of the scores that the kernel explains. */
const NOISE = [0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;

/** A string and its mirror image, if both have the same score. */
type Mirrored = readonly [Tokens, Tokens | null];

/** Fits the proxy. The variance of the noise is the one with the smallest leave-one-out error. */
export function kernelProxy(name: "linear" | "pairwise", data: ProxyData): ScoreProxy {
  const { strings, length, mirror } = data;
  const count = strings.length;
  const folds = foldsOf(data);
  const scale = targetScale(data.scores);
  const scores = Float64Array.from(data.scores, (score) => scale.scaled(score));
  const plain = (a: Tokens, b: Tokens): number => {
    const share = agreements(a, b, length) / length;
    return 1 + share + (name === "pairwise" ? share * share : 0);
  };
  const kernel = ([a, ma]: Mirrored, [b, mb]: Mirrored): number =>
    ma && mb ? (plain(a, b) + plain(ma, b) + plain(a, mb) + plain(ma, mb)) / 4 : plain(a, b);
  const mirrored = (string: Tokens): Mirrored => [string, mirror ? mirror(string) : null];
  const known = strings.map(mirrored);
  const gram = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j <= i; j++) {
      const value = kernel(known[i], known[j]);
      gram[i * count + j] = value;
      gram[j * count + i] = value;
    }
  }
  const noise = leastError(gram, scores);
  const members = Array.from({ length: MEMBERS }, (_, fold) => {
    const kept = strings.flatMap((_, i) => (folds[i] === fold ? [] : [i]));
    const centre = mean(kept.map((i) => scores[i]));
    const part = new Float64Array(kept.length ** 2);
    kept.forEach((i, row) => {
      kept.forEach((j, column) => {
        part[row * kept.length + column] = gram[i * count + j];
      });
    });
    const weights = choleskySolve(
      factorise(part, kept.length, noise),
      kept.map((i) => scores[i] - centre),
    );
    return { kept, centre, weights };
  });
  const predictions = (similarity: (i: number) => number): Float64Array => {
    const all = Float64Array.from(strings, (_, i) => similarity(i));
    return Float64Array.from(members, ({ kept, centre, weights }) =>
      scale.score(kept.reduce((sum, i, row) => sum + weights[row] * all[i], centre)),
    );
  };
  return {
    name,
    outOfFold: Float64Array.from(
      strings,
      (_, position) => predictions((i) => gram[position * count + i])[folds[position]],
    ),
    async predict(others) {
      const result = members.map(() => new Float64Array(others.length));
      others.forEach((other, i) => {
        const both = mirrored(other);
        const own = predictions((j) => kernel(both, known[j]));
        for (let member = 0; member < MEMBERS; member++) result[member][i] = own[member];
      });
      return result;
    },
  };
}

/** Positions at which two strings have the same token. Positions after the end of both agree too. */
function agreements(a: Tokens, b: Tokens, length: number): number {
  const common = Math.min(a.length, b.length);
  let count = length - Math.max(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] === b[i]) count++;
  return count;
}

function factorise(gram: Float64Array, size: number, noise: number): Cholesky {
  const matrix = gram.slice();
  for (let i = 0; i < size; i++) matrix[i * size + i] += noise;
  const result = cholesky(matrix, size);
  if (!result) throw new Error("internal: a kernel matrix with noise is not positive definite");
  return result;
}

/** The variance of the noise whose leave-one-out errors, (K⁻¹ y)ᵢ / (K⁻¹)ᵢᵢ, have the smallest sum of squares. */
function leastError(gram: Float64Array, scores: Float64Array): number {
  const centre = mean(scores);
  const centred = scores.map((score) => score - centre);
  let [best, least]: [number, number] = [NOISE[0], Number.POSITIVE_INFINITY];
  for (const noise of NOISE) {
    const factor = factorise(gram, scores.length, noise);
    const weights = choleskySolve(factor, centred);
    const inverse = inverseDiagonal(factor);
    const error = weights.reduce((sum, weight, i) => sum + (weight / inverse[i]) ** 2, 0);
    if (error < least) [best, least] = [noise, error];
  }
  return best;
}
