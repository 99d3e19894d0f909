// How good drawn paths are: CRPS step by step, and the energy score of whole paths.

import { type Case, type Measure, meanOverCases, meanOverSteps } from "./case.ts";

const NO_PATHS = "the forecaster draws no paths, or fewer than two";

/**
 * CRPS of n drawn values: mean |x_i − y| − ½ mean |x_i − x_j|, the latter from sorted values as Σ (2i − n − 1) x_(i).
 * The fair form takes the mean over the n (n − 1) pairs of different draws, and its expectation does not depend on n;
 * else over all n², which is the CRPS of the empirical distribution itself.
 */
export function crpsOfSamples(samples: ArrayLike<number>, actual: number, { fair = true } = {}): number {
  const sorted = Float64Array.from(samples).sort();
  const n = sorted.length;
  if (n < (fair ? 2 : 1)) {
    throw new RangeError(`crpsOfSamples: there must be at least ${fair ? 2 : 1} samples, got ${n}`);
  }
  let distance = 0;
  let spread = 0;
  for (let i = 0; i < n; i++) {
    distance += Math.abs(sorted[i] - actual);
    spread += (2 * i + 1 - n) * sorted[i];
  }
  return distance / n - spread / (fair ? n * (n - 1) : n * n);
}

/** The mean fair CRPS of the paths' values over all observed steps. */
export function sampleCrps(cases: readonly Case[]): Measure {
  if (!cases.every(hasPaths)) return { value: null, reason: NO_PATHS };
  return meanOverSteps(cases, ({ forecast, actual }, step) =>
    crpsOfSamples(
      forecast.paths!.map((path) => path[step]),
      actual[step],
    ),
  );
}

/**
 * Energy score of n paths, over the steps that were observed: mean ‖X_i − y‖ − ½ mean ‖X_i − X_j‖ over pairs of different
 * paths. It scores the steps together: right margins with wrong correlations score worse.
 */
export function energyScore(
  paths: readonly Float64Array[],
  actual: Float64Array,
  steps: readonly number[] = Array.from(actual.keys()),
): number {
  const n = paths.length;
  if (n < 2) throw new RangeError(`energyScore: there must be at least 2 paths, got ${n}`);
  // On a line it is CRPS, which sorting makes cheap.
  if (steps.length === 1) {
    return crpsOfSamples(
      paths.map((path) => path[steps[0]]),
      actual[steps[0]],
    );
  }
  let distance = 0;
  let spread = 0;
  for (let i = 0; i < n; i++) {
    distance += between(paths[i], actual);
    for (let j = 0; j < i; j++) spread += between(paths[i], paths[j]);
  }
  return distance / n - spread / (n * (n - 1));

  function between(a: Float64Array, b: Float64Array): number {
    let sum = 0;
    for (const step of steps) sum += (a[step] - b[step]) ** 2;
    return Math.sqrt(sum);
  }
}

/** The mean energy score over forecasts. */
export function meanEnergyScore(cases: readonly Case[]): Measure {
  return meanOverCases(cases, NO_PATHS, (one, steps) =>
    hasPaths(one) ? energyScore(one.forecast.paths!, one.actual, steps) : null,
  );
}

export function hasPaths({ forecast }: Case): boolean {
  return (forecast.paths?.length ?? 0) >= 2;
}
