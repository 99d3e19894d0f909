// Distances between distributions over the same objects, and related numbers: total variation, KL divergence, entropy,
// expectation, the Pearson and Spearman correlations, and the slope of a regression.

import { firstIndexWhere } from "./bisection.ts";
import { mean } from "./statistics.ts";

/**
 * Total variation, ½ Σ |p − q|.
 *
 * @example
 * ```ts
 * import { totalVariation } from "gflownet/gfn";
 *
 * console.log(totalVariation(Float64Array.of(0.5, 0.5), Float64Array.of(0.75, 0.25))); // 0.25
 * ```
 */
export function totalVariation(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += Math.abs(p[i] - q[i]);
  return sum / 2;
}

/** KL(target ‖ p) in nats; infinite if p is 0 at an object of the target. */
export function klDivergence(target: Float64Array, p: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < target.length; i++) if (target[i] > 0) sum += target[i] * Math.log(target[i] / p[i]);
  return sum;
}

/** Entropy in nats, −Σ p log p. */
export function entropy(p: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) if (p[i] > 0) sum -= p[i] * Math.log(p[i]);
  return sum;
}

/** Expectation of f under p, Σ p f. */
export function expectation(p: Float64Array, f: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += p[i] * f[i];
  return sum;
}

/** The target distribution, which is proportional to the rewards, and log Z, the logarithm of their sum. */
export function normaliseRewards(reward: Float64Array): { target: Float64Array; logZ: number } {
  let sum = 0;
  for (const value of reward) sum += value;
  return { target: reward.map((value) => value / sum), logZ: Math.log(sum) };
}

/** Pearson correlation; NaN if x or y is constant. */
export function pearson(x: Float64Array, y: Float64Array): number {
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - meanX) * (y[i] - meanY);
    xx += (x[i] - meanX) ** 2;
    yy += (y[i] - meanY) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/** Slope of the least-squares line of y over x; NaN if x is constant. */
export function regressionSlope(x: Float64Array, y: Float64Array): number {
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xy, xx] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - meanX) * (y[i] - meanY);
    xx += (x[i] - meanX) ** 2;
  }
  return xy / xx;
}

/** Spearman rank correlation. Sorted neighbours that differ by at most `tie` are tied; ties share their mean rank. */
export function spearman(x: Float64Array, y: Float64Array, tie = 0): number {
  return pearson(ranks(x, tie), ranks(y, tie));
}

/** Ranks are found by a binary search in the sorted values, which is several times faster than sorting the indices. */
function ranks(values: Float64Array, tie: number): Float64Array {
  const sorted = values.slice().sort();
  const rankAt = new Float64Array(sorted.length);
  let start = 0;
  for (let end = 1; end <= sorted.length; end++) {
    if (end < sorted.length && sorted[end] - sorted[end - 1] <= tie) continue;
    rankAt.fill((start + end - 1) / 2, start, end);
    start = end;
  }
  return values.map((value) => rankAt[firstIndexWhere(sorted.length, (i) => sorted[i] >= value)]);
}
