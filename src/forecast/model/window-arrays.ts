// Windows of series as arrays: a context of T rows before the forecast origin, and P = H·M future steps after it.
//
// All inputs of a window come from rows before the origin or are known in advance. The future steps are ordered by time;
// at each time the M targets follow each other.

import { calendarFeatureCount } from "../data/calendar-features.ts";
import type { EncodedSeries, Features } from "./features.ts";
import { type LocationScale, locationScale } from "./location-scale.ts";
import { TIME_GAP_NUMBERS, timeGapNumbers } from "./time-gap-numbers.ts";

export interface WindowShape {
  /** T: rows of the context. */
  readonly context: number;
  /** L: observed steps just before the origin whose tokens precede the path. */
  readonly recent: number;
  /** H */
  readonly horizon: number;
  /** Rows from which the scale is computed. */
  readonly scaleRows: number;
  /** Whether the location includes the mean change per season. */
  readonly drift: boolean;
  /** Number of seasons that the location averages; 0 for the last value. */
  readonly averagedSeasons: number;
}

/** Sizes of the arrays of a window. */
export interface WindowSizes {
  /** C: number of numeric inputs per row of the context. */
  readonly channels: number;
  /** A: number of calendar features per row. */
  readonly calendar: number;
  /** D: number of inputs per future step. */
  readonly futureChannels: number;
  /** L: observed steps just before the origin whose tokens precede the path. */
  readonly recent: number;
  /** P = H·M: steps of a path. */
  readonly steps: number;
  /** Number of levels of each category in the context. */
  readonly categories: readonly number[];
  /** Number of levels of each category that is known in the future. */
  readonly futureCategories: readonly number[];
}

/** Arrays of B windows, named as the inputs of the compiled programs. */
export interface WindowArrays {
  readonly numbers: Float32Array; // [B, T, C]
  /** 1 for a row of the series, 0 for padding. */
  readonly present: Float32Array; // [B, T]
  readonly times: Float32Array; // [B, T]
  readonly codes: Int32Array; // [B, T, G]
  /** Standardised values of the steps just before the origin; `MISSING` if not observed. */
  readonly recent: Float32Array; // [B, L]
  readonly futureNumbers: Float32Array; // [B, P, D]
  readonly futureCodes: Int32Array; // [B, P, Gf]
}

/** Earlier seasons that each future step sees. */
const SEASONS = 4;
/** Numbers per earlier season: difference from the location, and whether it is observed. */
const SEASON_NUMBERS = 2;
/** Seasonal mean, level and last value, each minus the location; and the log scale ratio. */
const SUMMARY_NUMBERS = 4;
/** Numbers per lag, see `writeLags`. */
const LAG_NUMBERS = 4;

export function windowSizes(features: Features, { horizon, recent }: WindowShape): WindowSizes {
  const { targets, numeric, categories, lags, frequency, timeGaps } = features;
  const M = targets.length;
  const A = calendarFeatureCount(frequency);
  const futureNumeric = numeric.filter(({ knownInFuture }) => knownInFuture).length;
  return {
    channels: 3 * M + 1 + A + 2 * numeric.length,
    calendar: A,
    futureChannels:
      SEASONS * SEASON_NUMBERS +
      SUMMARY_NUMBERS +
      lags.length * LAG_NUMBERS +
      A +
      (timeGaps ? TIME_GAP_NUMBERS : 0) +
      2 * futureNumeric +
      (M > 1 ? M : 0),
    recent,
    steps: horizon * M,
    categories: categories.map(({ levels }) => levels.length),
    futureCategories: categories
      .filter(({ knownInFuture }) => knownInFuture)
      .map(({ levels }) => levels.length),
  };
}

export function allocateWindowArrays(
  batch: number,
  { context: T }: WindowShape,
  sizes: WindowSizes,
): WindowArrays {
  const { channels, futureChannels, steps, recent, categories, futureCategories } = sizes;
  return {
    numbers: new Float32Array(batch * T * channels),
    present: new Float32Array(batch * T),
    times: new Float32Array(batch * T),
    codes: new Int32Array(batch * T * categories.length),
    recent: new Float32Array(batch * recent),
    futureNumbers: new Float32Array(batch * steps * futureChannels),
    futureCodes: new Int32Array(batch * steps * futureCategories.length),
  };
}

/** How windows become arrays. */
export interface WindowEncoding {
  readonly features: Features;
  readonly shape: WindowShape;
  readonly sizes: WindowSizes;
}

export interface WindowPosition {
  readonly series: EncodedSeries;
  /** Row of the first future step (the forecast origin). */
  readonly origin: number;
}

/** Writes a window at position `index` of the arrays. Returns the location and scale of each target. */
export function writeWindow(
  encoding: WindowEncoding,
  position: WindowPosition,
  arrays: WindowArrays,
  index: number,
): readonly LocationScale[] {
  const { shape, sizes } = encoding;
  const { season, targets } = encoding.features;
  const { series, origin } = position;
  const M = targets.length;
  const locationScales = series.targets.map((values) =>
    locationScale(values, origin, { ...shape, season, recent: Math.ceil(shape.recent / M) }),
  );
  writeContext(encoding, position, arrays, index, locationScales);
  writeRecent(encoding, position, arrays, index, locationScales);
  for (let h = 0; h < shape.horizon; h++) {
    for (let j = 0; j < M; j++) {
      const step = index * sizes.steps + h * M + j;
      writeFutureStep(encoding, position, { h, j, locationScale: locationScales[j] }, arrays, step);
    }
  }
  return locationScales;
}

function writeContext(
  { features, shape, sizes }: WindowEncoding,
  { series, origin }: WindowPosition,
  { numbers, present, times, codes }: WindowArrays,
  index: number,
  locationScales: readonly LocationScale[],
): void {
  const { season, medianGap } = features;
  const { channels: C, calendar: A, categories } = sizes;
  const T = shape.context;
  const Q = 2 * features.numeric.length;
  const G = categories.length;
  for (let t = 0; t < T; t++) {
    const row = origin - T + t;
    const step = index * T + t;
    let at = step * C;
    present[step] = row >= 0 ? 1 : 0;
    times[step] = row >= 0 ? (series.times[row] - series.times[Math.max(origin - 1, 0)]) / medianGap : 0;
    if (row < 0) {
      numbers.fill(0, at, at + C);
      codes.fill(0, step * G, (step + 1) * G);
      continue;
    }
    series.targets.forEach((values, j) => {
      const { level, scale } = locationScales[j];
      const value = values[row];
      const seasonBefore = row >= season ? values[row - season] : Number.NaN;
      numbers[at++] = compress((value - level) / scale);
      numbers[at++] = compress((value - seasonBefore) / scale);
      numbers[at++] = Number.isNaN(value) ? 0 : 1;
    });
    numbers[at++] = series.logGaps[row];
    numbers.set(series.calendar.subarray(row * A, (row + 1) * A), at);
    numbers.set(series.numbers.subarray(row * Q, (row + 1) * Q), at + A);
    codes.set(series.codes.subarray(row * G, (row + 1) * G), step * G);
  }
}

/** Marks a missing value in `recent`; observed values are above half of it. */
export const MISSING = -1e9;

/** Writes the last observed steps in the order of a path. */
function writeRecent(
  { features, sizes }: WindowEncoding,
  { series, origin }: WindowPosition,
  { recent }: WindowArrays,
  index: number,
  locationScales: readonly LocationScale[],
): void {
  const [L, M] = [sizes.recent, features.targets.length];
  for (let i = 0; i < L; i++) {
    // Steps count back from the origin: the last target of the last row is step −1.
    const step = i - L;
    const [h, j] = [Math.floor(step / M), ((step % M) + M) % M];
    const { recentLocation, scale } = locationScales[j];
    const location = recentLocation[recentLocation.length + h];
    const x = origin + h >= 0 ? (series.targets[j][origin + h] - location) / scale : Number.NaN;
    recent[index * L + i] = Number.isFinite(x) ? Math.max(x, MISSING / 2) : MISSING;
  }
}

/** Target j at the h-th future time. */
interface FutureStep {
  readonly h: number;
  readonly j: number;
  readonly locationScale: LocationScale;
}

function writeFutureStep(
  { features, sizes }: WindowEncoding,
  position: WindowPosition,
  future: FutureStep,
  { futureNumbers, futureCodes }: WindowArrays,
  step: number,
): void {
  const { numeric, categories, targets, timeGaps, medianGap } = features;
  const { futureChannels: D, calendar: A, futureCategories } = sizes;
  const { series, origin } = position;
  const row = origin + future.h;
  let at = writeLags(features, position, future, futureNumbers, step * D);
  futureNumbers.set(series.calendar.subarray(row * A, (row + 1) * A), at);
  at += A;
  if (timeGaps) {
    futureNumbers.set(timeGapNumbers(series.times, origin, future.h, medianGap), at);
    at += TIME_GAP_NUMBERS;
  }
  numeric.forEach(({ knownInFuture }, q) => {
    if (!knownInFuture) return;
    futureNumbers[at++] = series.numbers[(row * numeric.length + q) * 2];
    futureNumbers[at++] = series.numbers[(row * numeric.length + q) * 2 + 1];
  });
  if (targets.length > 1)
    for (let i = 0; i < targets.length; i++) futureNumbers[at++] = i === future.j ? 1 : 0;
  let code = step * futureCategories.length;
  categories.forEach(({ knownInFuture }, g) => {
    if (knownInFuture) futureCodes[code++] = series.codes[row * categories.length + g];
  });
}

/**
 * Writes values of earlier seasons and lags relative to the location of a future step, in units of the scale. Rows from
 * the origin on are not read. Returns the position after the last number.
 */
function writeLags(
  { season, lags }: Features,
  { series, origin }: WindowPosition,
  { h, j, locationScale: scaling }: FutureStep,
  numbers: Float32Array,
  start: number,
): number {
  const { seasonalRows, seasonalMean, scale, level, lastValue, logScaleRatio } = scaling;
  const location = scaling.location[h];
  const values = series.targets[j];
  const valueAt = (row: number) => (row >= 0 && row < origin ? values[row] : Number.NaN);
  const write = (at: number, difference: number) => {
    numbers[at] = compress(difference / scale);
  };
  let at = start;
  for (let k = 0; k < SEASONS; k++, at += SEASON_NUMBERS) {
    const value = seasonalRows[h] >= 0 ? valueAt(seasonalRows[h] - k * season) : Number.NaN;
    write(at, value - location);
    numbers[at + 1] = Number.isNaN(value) ? 0 : 1;
  }
  write(at, seasonalMean[h] - location);
  write(at + 1, level - location);
  write(at + 2, lastValue - location);
  numbers[at + 3] = logScaleRatio;
  at += SUMMARY_NUMBERS;
  for (const lag of lags) {
    const back = lag === "year" ? series.rowsToLastYear[origin + h] : lag;
    const row = origin + h - back;
    const value = valueAt(row);
    // The lagged value minus its own seasonal naive forecast, minus the mean of its seasonal neighbours, minus the location.
    write(at, value - valueAt(seasonalRows[h] - back));
    write(at + 1, value - (valueAt(row - season) + valueAt(row + season)) / 2);
    write(at + 2, value - location);
    numbers[at + 3] = Number.isNaN(value) ? 0 : 1;
    at += LAG_NUMBERS;
  }
  return at;
}

/** Nearly linear for small numbers, logarithmic for large ones; 0 for a missing value. */
function compress(x: number): number {
  return Number.isNaN(x) ? 0 : 4 * Math.asinh(x / 4);
}
