// What weighted paths say: the size of their target, how many plain draws they are worth, and paths of equal weight.

import type { RandomStream } from "../../engine/index.ts";

export interface WeightReport {
  /** Paths that were drawn. */
  readonly drawn: number;
  /** Share of them that meet the condition. */
  readonly acceptance: number;
  /** (Σ w)² / Σ w²: so many plain draws from the target would be worth as much. */
  readonly effective: number;
  /** log of the mean weight: an unbiased estimate of Z, and its standard error relative to Z. */
  readonly logZ: number;
  readonly relativeError: number;
}

/** Weights of paths; those that miss the condition weigh nothing. */
export function weightReport(logWeights: Float64Array, met: readonly boolean[]): WeightReport {
  const n = logWeights.length;
  const { weights, logPeak } = scaledWeights(logWeights, met);
  const sum = weights.reduce((total, w) => total + w, 0);
  const squares = weights.reduce((total, w) => total + w * w, 0);
  const accepted = met.reduce((count, one) => count + +one, 0);
  if (accepted === 0) {
    return {
      drawn: n,
      acceptance: 0,
      effective: 0,
      logZ: Number.NEGATIVE_INFINITY,
      relativeError: Number.NaN,
    };
  }
  const mean = sum / n;
  const variance = Math.max(0, squares / n - mean * mean) / Math.max(1, n - 1);
  return {
    drawn: n,
    acceptance: accepted / n,
    effective: (sum * sum) / squares,
    logZ: Math.log(mean) + logPeak,
    relativeError: Math.sqrt(variance) / mean,
  };
}

/** (Σ w)² / Σ w². */
export function effectiveSize(logWeights: Float64Array): number {
  const { weights } = scaledWeights(logWeights, null);
  const sum = weights.reduce((total, w) => total + w, 0);
  return (sum * sum) / weights.reduce((total, w) => total + w * w, 0);
}

/** Σ w x / Σ w of values of paths; those that miss the condition weigh nothing. */
export function weightedMean(
  logWeights: Float64Array,
  met: readonly boolean[],
  values: Float64Array,
): number {
  const { weights } = scaledWeights(logWeights, met);
  const sum = weights.reduce((total, w) => total + w, 0);
  // What weighs nothing may have any value, an infinite one as well.
  return weights.reduce((total, w, i) => total + (w > 0 ? w * values[i] : 0), 0) / sum;
}

/** `count` places of equal weight in random order: each is taken as often as its weight says, rounded by chance. */
export function resampled(
  logWeights: Float64Array,
  met: readonly boolean[] | null,
  count: number,
  stream: RandomStream,
): number[] {
  const { weights } = scaledWeights(logWeights, met);
  const sum = weights.reduce((total, w) => total + w, 0);
  const start = stream.uniform();
  const places: number[] = [];
  let reached = 0;
  for (let place = 0; place < weights.length && places.length < count; place++) {
    reached += (weights[place] / sum) * count;
    while (places.length < count && places.length + start < reached) places.push(place);
  }
  // Rounding may leave the last one open.
  while (places.length < count) places.push(places[places.length - 1]);
  for (let i = count - 1; i > 0; i--) {
    const other = stream.integer(i + 1);
    [places[i], places[other]] = [places[other], places[i]];
  }
  return places;
}

/** Weights over exp(logPeak), 0 where the condition is missed. */
function scaledWeights(logWeights: Float64Array, met: readonly boolean[] | null) {
  const logPeak = logWeights.reduce(
    (most, log, i) => (!met || met[i] ? Math.max(most, log) : most),
    Number.NEGATIVE_INFINITY,
  );
  return { weights: logWeights.map((log, i) => (!met || met[i] ? Math.exp(log - logPeak) : 0)), logPeak };
}
