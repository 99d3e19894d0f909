// Scores of sampled paths: CRPS of single steps, and the energy score of complete paths.

import type { ForecastCase } from "./forecast-case.ts";
import { addSteps, meanOfSteps, meanOverCases, type SummedMetric, summedMetric } from "./summed-metric.ts";

const NO_PATHS = "the forecaster samples fewer than two paths";

/**
 * CRPS of n samples: mean |x_i − y| − ½ mean |x_i − x_j|; the second term is computed from sorted values as
 * Σ (2i − n − 1) x_(i). The fair form averages over the n (n − 1) pairs of different samples, so its expectation does not
 * depend on n. The other form averages over all n² pairs: the CRPS of the empirical distribution.
 */
export function crpsOfSamples(samples: ArrayLike<number>, actual: number, { fair = true } = {}): number {
  const sorted = Float64Array.from(samples).sort();
  const n = sorted.length;
  if (n < (fair ? 2 : 1)) {
    throw new RangeError(`crpsOfSamples: there must be at least ${fair ? 2 : 1} samples, got ${n}`);
  }
  let distance = 0;
  let pairDistance = 0;
  for (let i = 0; i < n; i++) {
    distance += Math.abs(sorted[i] - actual);
    pairDistance += (2 * i + 1 - n) * sorted[i];
  }
  return distance / n - pairDistance / (fair ? n * (n - 1) : n * n);
}

/** Mean fair CRPS of the sampled values over all observed steps. */
export const sampleCrps: SummedMetric = summedMetric({
  names: ["steps", "total", "without"],
  collect(cases, sums, only) {
    const sampled = cases.filter(hasPaths);
    sums.without.add(cases.length - sampled.length);
    addSteps(sampled, sums, only, ({ forecast, actual }, step) =>
      crpsOfSamples(
        forecast.paths!.map((path) => path[step]),
        actual[step],
      ),
    );
  },
  value: (sums) => (sums.without > 0 ? { value: null, reason: NO_PATHS } : meanOfSteps(sums)),
});

/**
 * Energy score of n paths over the given steps: mean ‖X_i − y‖ − ½ mean ‖X_i − X_j‖ over pairs of different paths. It
 * scores the joint distribution of the steps: correct marginals with wrong correlations score worse.
 */
export function energyScore(
  paths: readonly Float64Array[],
  actual: Float64Array,
  steps: readonly number[] = Array.from(actual.keys()),
): number {
  const n = paths.length;
  if (n < 2) throw new RangeError(`energyScore: there must be at least 2 paths, got ${n}`);
  // In one dimension the energy score is the CRPS, which is cheaper.
  if (steps.length === 1) {
    return crpsOfSamples(
      paths.map((path) => path[steps[0]]),
      actual[steps[0]],
    );
  }
  let distance = 0;
  let pairDistance = 0;
  for (let i = 0; i < n; i++) {
    distance += euclidean(paths[i], actual);
    for (let j = 0; j < i; j++) pairDistance += euclidean(paths[i], paths[j]);
  }
  return distance / n - pairDistance / (n * (n - 1));

  function euclidean(a: Float64Array, b: Float64Array): number {
    let sum = 0;
    for (const step of steps) sum += (a[step] - b[step]) ** 2;
    return Math.sqrt(sum);
  }
}

/** Mean energy score over forecasts. */
export const meanEnergyScore: SummedMetric = meanOverCases(NO_PATHS, (one, steps) =>
  hasPaths(one) ? energyScore(one.forecast.paths!, one.actual, steps) : null,
);

/** Whether a forecast has at least two sampled paths. */
export function hasPaths({ forecast }: ForecastCase): boolean {
  return (forecast.paths?.length ?? 0) >= 2;
}
