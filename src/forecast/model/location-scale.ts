// Location and scale by which target values are standardised before they become tokens.
//
// The location of a future step is a naive forecast: the value one season earlier, the mean of several such values, or
// the last value; optionally with drift. The scale is the mean absolute seasonal difference. The token of a value is
// the bin of (value − location) / scale.

export interface LocationScale {
  /** Naive forecast of each future step, [H]. */
  readonly location: Float64Array;
  /** Naive forecast of each row just before the origin, from values at least one season older, [recent]. */
  readonly recentLocation: Float64Array;
  /**
   * For each future step, the latest observed row at the same position in the season; if there is none, the latest
   * observed row; −1 without any observation, [H].
   */
  readonly seasonalRows: Int32Array;
  /** Mean absolute seasonal difference, above 0. */
  readonly scale: number;
  /** True if the past has no two values or only equal ones; `scale` is then a small placeholder. */
  readonly scaleUndetermined: boolean;
  /** log(scale / scale of the entire past). */
  readonly logScaleRatio: number;
  /** Mean of the same step over the last 8 seasons, [H]. */
  readonly seasonalMean: Float64Array;
  /** Mean of the last season. */
  readonly level: number;
  /** The last observed value; 0 without any observation. */
  readonly lastValue: number;
}

export interface LocationScaleOptions {
  readonly season: number;
  /** Number of seasons that the location averages: 1 is the seasonal naive forecast, 0 the last value. */
  readonly averagedSeasons: number;
  readonly horizon: number;
  /** Rows before the origin for which `recentLocation` is computed. Default: 0. */
  readonly recent?: number;
  /** Rows before the origin from which the scale is computed. */
  readonly scaleRows: number;
  /** Whether the location includes the mean change per season. */
  readonly drift: boolean;
}

/** Computed from the values before row `origin` only. NaN marks a missing value. */
export function locationScale(
  values: Float64Array,
  origin: number,
  { season, averagedSeasons, horizon, recent = 0, scaleRows, drift }: LocationScaleOptions,
): LocationScale {
  const { change, ...scale } = seasonalScale(values, origin, season, scaleRows);
  const lastRow = lastObserved(values, origin - 1, 1);
  const location = new Float64Array(horizon);
  const seasonalMean = new Float64Array(horizon);
  const seasonalRows = new Int32Array(horizon);
  /** Naive forecast of step h from the values at row `from`, one season before it, and so on. */
  const naiveForecast = (h: number, from: number) => {
    const seasonal = lastObserved(values, from, season);
    const [row, stride] = seasonal >= 0 ? [seasonal, season] : [lastRow, 1];
    const average =
      averagedSeasons > 0
        ? averageBack(values, row, stride, averagedSeasons)
        : averageBack(values, lastRow, 1, 1);
    const trend = drift && row >= 0 ? (change * (origin + h - average.row)) / season : 0;
    return { row, stride, value: average.value + trend };
  };
  for (let h = 0; h < horizon; h++) {
    const { row, stride, value } = naiveForecast(h, origin - season + (h % season));
    seasonalRows[h] = row;
    location[h] = value;
    seasonalMean[h] = averageBack(values, row, stride, MEAN_SEASONS).value;
  }
  const recentLocation = Float64Array.from({ length: recent }, (_, i) => {
    const h = i - recent;
    return naiveForecast(h, origin + h - season).value;
  });
  const level = meanOfLast(values, origin, Math.max(season, 4));
  const lastValue = lastRow >= 0 ? values[lastRow] : 0;
  return { location, recentLocation, seasonalMean, seasonalRows, ...scale, level, lastValue };
}

/**
 * (value − location) / scale at step h. NaN if the value differs from the location and the past determines no scale: a
 * multiple of the placeholder scale is not comparable with other values.
 */
export function standardise(
  { location, scale, scaleUndetermined }: LocationScale,
  h: number,
  value: number,
): number {
  const difference = value - location[h];
  return scaleUndetermined && difference !== 0 ? Number.NaN : difference / scale;
}

/** Seasons that `seasonalMean` averages. */
const MEAN_SEASONS = 8;

/** Mean of the last `count` observed values at row `from`, `from` − stride, …, and the mean of their rows. */
function averageBack(values: Float64Array, from: number, stride: number, count: number) {
  let [value, rows, found] = [0, 0, 0];
  for (let row = from; row >= 0 && found < count; row -= stride) {
    if (Number.isNaN(values[row])) continue;
    value += values[row];
    rows += row;
    found++;
  }
  return found > 0 ? { value: value / found, row: rows / found } : { value: 0, row: 0 };
}

/** The first observed row among `from`, `from` − stride, …; −1 if all are missing. */
function lastObserved(values: Float64Array, from: number, stride: number): number {
  let row = from;
  while (row >= 0 && Number.isNaN(values[row])) row -= stride;
  return Math.max(row, -1);
}

/**
 * Mean absolute seasonal difference, and the mean seasonal difference as `change`.
 *
 * Uses the first of these that is not zero: seasonal differences in the last `scaleRows` rows, in all rows, differences of
 * neighbouring rows, differences across gaps. A nearly constant window is a poor guide to the future, so the
 * scale is at least `LEAST_RATIO` of the scale of the entire past.
 */
function seasonalScale(values: Float64Array, origin: number, season: number, scaleRows: number) {
  for (const [first, lag] of [
    [origin - scaleRows, season],
    [0, season],
    [0, 1],
  ]) {
    let [size, sum, count] = [0, 0, 0];
    for (let row = Math.max(first, lag); row < origin; row++) {
      const difference = values[row] - values[row - lag];
      if (Number.isNaN(difference)) continue;
      size += Math.abs(difference);
      sum += difference;
      count++;
    }
    if (size === 0) continue;
    const overall = overallScale(values, origin, lag) || size / count;
    const scale = Math.max(size / count, LEAST_RATIO * overall);
    const change = lag === season ? sum / count : 0;
    return { scale, scaleUndetermined: false, logScaleRatio: Math.log(scale / overall), change };
  }
  const across = scaleAcrossGaps(values, origin);
  if (across > 0) return { scale: across, scaleUndetermined: false, logScaleRatio: 0, change: 0 };
  // All values are equal, so the differences determine no scale; any scale that is small compared with the values is
  // suitable.
  const last = lastObserved(values, origin - 1, 1);
  const scale = 1e-6 * (last >= 0 ? Math.abs(values[last]) : 0) || 1e-6;
  return { scale, scaleUndetermined: true, logScaleRatio: 0, change: 0 };
}

/** Mean absolute difference between each observed value and the observed value before it; 0 if there is no such pair. */
function scaleAcrossGaps(values: Float64Array, origin: number): number {
  let [size, count, previous] = [0, 0, Number.NaN];
  for (let row = 0; row < origin; row++) {
    if (Number.isNaN(values[row])) continue;
    if (!Number.isNaN(previous)) {
      size += Math.abs(values[row] - previous);
      count++;
    }
    previous = values[row];
  }
  return count > 0 ? size / count : 0;
}

/** The scale is at least this fraction of the scale of the entire past. */
const LEAST_RATIO = 0.2;
/** The scale of the entire past is computed from about this many rows. */
const OVERALL_ROWS = 256;

/** Mean absolute difference at the given lag, over rows spread evenly over the entire past. */
function overallScale(values: Float64Array, origin: number, lag: number): number {
  const stride = Math.max(1, Math.floor((origin - lag) / OVERALL_ROWS));
  let [size, count] = [0, 0];
  for (let row = origin - 1; row >= lag; row -= stride) {
    const difference = Math.abs(values[row] - values[row - lag]);
    if (Number.isNaN(difference)) continue;
    size += difference;
    count++;
  }
  return count > 0 ? size / count : 0;
}

/** Mean of the last `most` observed values; 0 without any. */
function meanOfLast(values: Float64Array, origin: number, most: number): number {
  let [sum, count] = [0, 0];
  for (let row = origin - 1; row >= 0 && count < most; row--) {
    if (Number.isNaN(values[row])) continue;
    sum += values[row];
    count++;
  }
  return count > 0 ? sum / count : 0;
}
