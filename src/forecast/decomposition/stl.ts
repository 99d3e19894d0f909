// STL (Cleveland et al., 1990): decomposes a series into one season and a trend by local regression, without the robust
// outer loop.

import { loess } from "./loess.ts";

export interface StlOptions {
  /** Steps of the season, at least 2; the series must contain at least two seasons. */
  readonly season: number;
  /** Smoothing window of each phase, in seasons; a larger window makes the season more constant. */
  readonly seasonWindow: number;
  /** Smoothing window of the trend, in steps. */
  readonly trendWindow: number;
  /** Number of alternations between season and trend. Default: 2. */
  readonly iterations?: number;
}

/** Season and trend of values. Missing values are NaN. */
export function stl(
  values: Float64Array,
  { season, seasonWindow, trendWindow, iterations = 2 }: StlOptions,
): { season: Float64Array; trend: Float64Array } {
  let trend: Float64Array = new Float64Array(values.length);
  let seasonal: Float64Array = new Float64Array(values.length);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const phases = smoothedPhases(subtract(values, trend), season, seasonWindow, trendWindow);
    // Removes level and trend from the smoothed phases, so that the season has mean zero.
    const level = loess(
      movingAverage(movingAverage(movingAverage(phases, season), season), 3),
      nextOdd(season),
    );
    seasonal = level.map((value, t) => phases[t + season] - value);
    trend = loess(subtract(values, seasonal), trendWindow);
  }
  return { season: seasonal, trend };
}

/** The trend window that the authors of STL recommend, so that the season does not leak into the trend. */
export function recommendedTrendWindow(season: number, seasonWindow: number): number {
  return nextOdd((1.5 * season) / (1 - 1.5 / seasonWindow));
}

/** The smallest odd number not below the value. */
export function nextOdd(value: number): number {
  const whole = Math.ceil(value);
  return whole % 2 === 1 ? whole : whole + 1;
}

/** Smooths the values of each phase over time and extends them by one season at both ends: [T + 2 season]. */
function smoothedPhases(
  values: Float64Array,
  season: number,
  seasonWindow: number,
  trendWindow: number,
): Float64Array {
  const phases = new Float64Array(values.length + 2 * season);
  for (let phase = 0; phase < season; phase++) {
    const phaseValues = values.filter((_, t) => t % season === phase);
    // A phase without any observed value takes the smoothed values of its neighbours.
    const smooth = phaseValues.some(Number.isFinite)
      ? loess(phaseValues, seasonWindow, -1, phaseValues.length + 1)
      : everyNth(loess(values, trendWindow, -season, values.length + season), season, phase);
    for (let k = 0; k < smooth.length; k++) phases[phase + k * season] = smooth[k];
  }
  return phases;
}

function everyNth(values: Float64Array, n: number, first: number): Float64Array {
  return values.filter((_, t) => t % n === first);
}

/** Moving average over `length` values: [T − length + 1]. */
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
