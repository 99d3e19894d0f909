// STL (Cleveland and others, 1990): one season and the trend by local regression, without the robust outer loop.

import { loess } from "./loess.ts";

export interface StlOptions {
  /** Steps of the season, at least 2; the series must have two of them. */
  readonly season: number;
  /** Seasons over which values of one phase are smoothed; the more, the less the season changes. */
  readonly seasonWindow: number;
  /** Steps over which the trend is smoothed. */
  readonly trendWindow: number;
  /** Rounds between season and trend. */
  readonly rounds?: number;
}

/** Season and trend of values, which may have gaps. */
export function stl(
  values: Float64Array,
  { season, seasonWindow, trendWindow, rounds = 2 }: StlOptions,
): { season: Float64Array; trend: Float64Array } {
  let trend: Float64Array = new Float64Array(values.length);
  let seasonal: Float64Array = new Float64Array(values.length);
  for (let round = 0; round < rounds; round++) {
    const phases = smoothedPhases(subtract(values, trend), season, seasonWindow, trendWindow);
    // What is left of level and trend in the phases is taken out, so that the season has none.
    const level = loess(
      movingAverage(movingAverage(movingAverage(phases, season), season), 3),
      nextOdd(season),
    );
    seasonal = level.map((value, t) => phases[t + season] - value);
    trend = loess(subtract(values, seasonal), trendWindow);
  }
  return { season: seasonal, trend };
}

/** The trend window that STL's authors advise: the season must not leak into the trend. */
export function advisedTrendWindow(season: number, seasonWindow: number): number {
  return nextOdd((1.5 * season) / (1 - 1.5 / seasonWindow));
}

/** The smallest odd number that is not below. */
export function nextOdd(value: number): number {
  const whole = Math.ceil(value);
  return whole % 2 === 1 ? whole : whole + 1;
}

/** The values of each phase smoothed in time, one season added at both ends: [T + 2 seasons]. */
function smoothedPhases(
  values: Float64Array,
  season: number,
  seasonWindow: number,
  trendWindow: number,
): Float64Array {
  const phases = new Float64Array(values.length + 2 * season);
  for (let phase = 0; phase < season; phase++) {
    const own = values.filter((_, t) => t % season === phase);
    // A phase that was never observed is taken to be as its neighbours.
    const smooth = own.some(Number.isFinite)
      ? loess(own, seasonWindow, -1, own.length + 1)
      : everyNth(loess(values, trendWindow, -season, values.length + season), season, phase);
    for (let k = 0; k < smooth.length; k++) phases[phase + k * season] = smooth[k];
  }
  return phases;
}

function everyNth(values: Float64Array, n: number, first: number): Float64Array {
  return values.filter((_, t) => t % n === first);
}

/** Means of so many neighbours: [T − length + 1]. */
function movingAverage(values: Float64Array, length: number): Float64Array {
  let sum = values.subarray(0, length).reduce((a, b) => a + b, 0);
  return Float64Array.from({ length: values.length - length + 1 }, (_, t) => {
    if (t > 0) sum += values[t + length - 1] - values[t - 1];
    return sum / length;
  });
}

function subtract(a: Float64Array, b: Float64Array): Float64Array {
  return Float64Array.from(a, (value, t) => value - b[t]);
}
