// Importance weights of sampled paths: the normalising constant Z, the effective sample size, weighted means, and
// resampling to paths of equal weight.

import type { RandomStream } from "../../engine/index.ts";
import { sum } from "../../math/statistics.ts";

export interface WeightReport {
  /** Number of sampled paths. */
  readonly drawn: number;
  /** Share of the paths that meet the condition. */
  readonly acceptance: number;
  /**
   * (Σ w)² / Σ w²: the number of independent samples of the target that would be as informative as the weighted paths.
   */
  readonly effectiveSampleSize: number;
  /** Logarithm of the mean weight, which is an unbiased estimate of Z. */
  readonly logZ: number;
  /** Standard error of the estimate of Z, relative to Z. */
  readonly relativeError: number;
}

/** Paths that do not meet the condition have weight 0. */
export function weightReport(logWeights: Float64Array, met: readonly boolean[]): WeightReport {
  const n = logWeights.length;
  const { weights, logPeak } = scaledWeights(logWeights, met);
  const total = sum(weights);
  const squares = weights.reduce((squares, w) => squares + w * w, 0);
  const accepted = met.reduce((count, one) => count + +one, 0);
  if (accepted === 0) {
    return {
      drawn: n,
      acceptance: 0,
      effectiveSampleSize: 0,
      logZ: Number.NEGATIVE_INFINITY,
      relativeError: Number.NaN,
    };
  }
  const mean = total / n;
  const variance = Math.max(0, squares / n - mean * mean) / Math.max(1, n - 1);
  return {
    drawn: n,
    acceptance: accepted / n,
    effectiveSampleSize: (total * total) / squares,
    logZ: Math.log(mean) + logPeak,
    relativeError: Math.sqrt(variance) / mean,
  };
}

/** Σ w x / Σ w. Paths that do not meet the condition have weight 0. */
export function importanceWeightedMean(
  logWeights: Float64Array,
  met: readonly boolean[],
  values: Float64Array,
): number {
  const { weights } = scaledWeights(logWeights, met);
  // The value of a path with weight 0 may be infinite, so it must not enter the product.
  return weights.reduce((weighted, w, i) => weighted + (w > 0 ? w * values[i] : 0), 0) / sum(weights);
}

/**
 * Systematic resampling: `count` indices of paths in random order. Each path appears in proportion to its weight, rounded
 * up or down at random.
 */
export function resample(
  logWeights: Float64Array,
  met: readonly boolean[] | null,
  count: number,
  stream: RandomStream,
): number[] {
  const { weights } = scaledWeights(logWeights, met);
  const total = sum(weights);
  const start = stream.uniform();
  const indices: number[] = [];
  let cumulative = 0;
  for (let i = 0; i < weights.length && indices.length < count; i++) {
    cumulative += (weights[i] / total) * count;
    while (indices.length < count && indices.length + start < cumulative) indices.push(i);
  }
  // Rounding errors may leave the last entries open.
  while (indices.length < count) indices.push(indices[indices.length - 1]);
  for (let i = count - 1; i > 0; i--) {
    const other = stream.integer(i + 1);
    [indices[i], indices[other]] = [indices[other], indices[i]];
  }
  return indices;
}

/** Weights divided by exp(logPeak); 0 for paths that do not meet the condition. */
function scaledWeights(logWeights: Float64Array, met: readonly boolean[] | null) {
  const logPeak = logWeights.reduce(
    (largest, log, i) => (!met || met[i] ? Math.max(largest, log) : largest),
    Number.NEGATIVE_INFINITY,
  );
  return { weights: logWeights.map((log, i) => (!met || met[i] ? Math.exp(log - logPeak) : 0)), logPeak };
}
