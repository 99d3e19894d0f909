// Classical decomposition: one index per phase of a season, from the values relative to a centred moving average.

import { mean } from "../../math/statistics.ts";

/** Removes a season from values and restores it; t counts from the first value. */
export interface SeasonalIndices {
  /** One per phase; their mean is 1 if the season multiplies, and 0 if it is added. */
  readonly indices: Float64Array; // [season]
  remove(value: number, t: number): number;
  restore(value: number, t: number): number;
}

/** Whether |r_m| exceeds 1.645 standard errors √((1 + 2 Σ_{k<m} r_k²) / T), with the autocorrelations r_k. */
export function hasSeason(values: Float64Array, season: number): boolean {
  // The moving average needs more than two seasons.
  if (season < 2 || values.length <= 2 * season) return false;
  const average = mean(values);
  const deviations = values.map((value) => value - average);
  const covariance = (lag: number) => {
    let total = 0;
    for (let t = lag; t < deviations.length; t++) total += deviations[t] * deviations[t - lag];
    return total;
  };
  const whole = covariance(0);
  let squares = 0;
  for (let lag = 1; lag < season; lag++) squares += (covariance(lag) / whole) ** 2;
  return Math.abs(covariance(season) / whole) > 1.645 * Math.sqrt((1 + 2 * squares) / values.length);
}

/** The indices of more than two seasons of values: factors if all values are above 0, otherwise terms. */
export function seasonalIndices(values: Float64Array, season: number): SeasonalIndices {
  const multiplies = values.every((value) => value > 0);
  const sums = new Float64Array(season);
  const counts = new Float64Array(season);
  const half = Math.floor(season / 2);
  for (let t = half; t < values.length - half; t++) {
    const trend = centredAverage(values, t, season);
    sums[t % season] += multiplies ? values[t] / trend : values[t] - trend;
    counts[t % season]++;
  }
  const raw = sums.map((sum, phase) => sum / counts[phase]);
  const average = mean(raw);
  const indices = raw.map((index) => (multiplies ? index / average : index - average));
  return {
    indices,
    remove: (value, t) => (multiplies ? value / indices[t % season] : value - indices[t % season]),
    restore: (value, t) => (multiplies ? value * indices[t % season] : value + indices[t % season]),
  };
}

/** Mean over one season around t; an even season counts half of either end. */
function centredAverage(values: Float64Array, t: number, season: number): number {
  const half = Math.floor(season / 2);
  let total = 0;
  for (let i = t - half; i <= t + half; i++) total += values[i];
  if (season % 2 === 0) total -= (values[t - half] + values[t + half]) / 2;
  return total / season;
}
