// What a simple mind expects of the steps ahead, and in what unit it errs: the value one season before, the mean of
// several such or the last value, and how much values usually differ from those one season before. Tokens say how the
// truth differs from that, in that unit.

export interface Centring {
  /** What is expected of each step ahead, [H]. */
  readonly centre: Float64Array;
  /** What was expected of each row just before the origin, had it been asked for a season before, [recent]. */
  readonly before: Float64Array;
  /** The last known row of the same place in the season, or else the last known, −1 if there is none, [H]. */
  readonly rows: Int32Array;
  /** Unit of differences, above 0. */
  readonly scale: number;
  /** Whether nothing in the past says what the unit is, since it has no two values or all are the same. */
  readonly guessed: boolean;
  /** Logarithm of the unit, beside that of the whole past. */
  readonly unrest: number;
  /** Mean of the same step over many seasons, [H]. */
  readonly usual: Float64Array;
  /** Mean of the last season. */
  readonly level: number;
  /** The last known value, 0 if there is none. */
  readonly last: number;
}

export interface CentringOptions {
  readonly season: number;
  /** How many seasons the expectation is the mean of; 1 is the seasonal naive forecast, 0 the last value. */
  readonly seasons: number;
  readonly horizon: number;
  /** Rows before the origin of which expectations are wanted, too; none unless told. */
  readonly recent?: number;
  /** Rows before the origin by which the unit is found. */
  readonly rows: number;
  readonly drift: boolean;
}

/** Looks at values before row `origin` only; NaN is missing. */
export function centring(
  values: Float64Array,
  origin: number,
  { season, seasons, horizon, recent = 0, rows: window, drift }: CentringOptions,
): Centring {
  const { scale, guessed, unrest, change } = differences(values, origin, season, window);
  const last = lastKnown(values, origin - 1, 1);
  const centre = new Float64Array(horizon);
  const usual = new Float64Array(horizon);
  const rows = new Int32Array(horizon);
  /** Of step h, by values from row `from` back. */
  const expect = (h: number, from: number) => {
    const seasonal = lastKnown(values, from, season);
    const [row, stride] = seasonal >= 0 ? [seasonal, season] : [last, 1];
    const near = seasons > 0 ? meanBefore(values, row, stride, seasons) : meanBefore(values, last, 1, 1);
    const moved = drift && row >= 0 ? (change * (origin + h - near.row)) / season : 0;
    return { row, stride, value: near.value + moved };
  };
  for (let h = 0; h < horizon; h++) {
    const { row, stride, value } = expect(h, origin - season + (h % season));
    rows[h] = row;
    centre[h] = value;
    usual[h] = meanBefore(values, row, stride, USUAL_SEASONS).value;
  }
  const before = Float64Array.from({ length: recent }, (_, i) => {
    const h = i - recent;
    return expect(h, origin + h - season).value;
  });
  const level = levelOf(values, origin, season);
  return { centre, before, usual, rows, scale, guessed, unrest, level, last: last >= 0 ? values[last] : 0 };
}

/** How a value at step h differs from what was expected, in the unit; NaN where it differs and there is no unit to speak of,
 * for no number that came of it could be set beside others. */
export function differenceFrom({ centre, scale, guessed }: Centring, h: number, value: number): number {
  const difference = value - centre[h];
  return guessed && difference !== 0 ? Number.NaN : difference / scale;
}

const USUAL_SEASONS = 8;

/** Mean of the last `count` known values at this row and before it, in strides, and the mean of their rows. */
function meanBefore(values: Float64Array, from: number, stride: number, count: number) {
  let [value, rows, found] = [0, 0, 0];
  for (let row = from; row >= 0 && found < count; row -= stride) {
    if (Number.isNaN(values[row])) continue;
    value += values[row];
    rows += row;
    found++;
  }
  return found > 0 ? { value: value / found, row: rows / found } : { value: 0, row: 0 };
}

/** The last row at or before this one, in strides, whose value is known; −1 if none is. */
function lastKnown(values: Float64Array, from: number, stride: number): number {
  let row = from;
  while (row >= 0 && Number.isNaN(values[row])) row -= stride;
  return Math.max(row, -1);
}

/**
 * Mean size and mean of seasonal differences: over the window, else over all rows before it, else of neighbours, else of
 * neighbours across gaps, else next to nothing. A window in which next to nothing moved says little of what may come, so
 * the size is never far below that of the whole past.
 */
function differences(values: Float64Array, origin: number, season: number, window: number) {
  for (const [first, lag] of [
    [origin - window, season],
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
    const usual = usualSize(values, origin, lag) || size / count;
    const scale = Math.max(size / count, LEAST_SHARE * usual);
    const change = lag === season ? sum / count : 0;
    return { scale, guessed: false, unrest: Math.log(scale / usual), change };
  }
  const across = sizeAcrossGaps(values, origin);
  if (across > 0) return { scale: across, guessed: false, unrest: 0, change: 0 };
  // All values are the same: differences of theirs have no unit, so any that is small beside them will do.
  const last = lastKnown(values, origin - 1, 1);
  const scale = 1e-6 * (last >= 0 ? Math.abs(values[last]) : 0) || 1e-6;
  return { scale, guessed: true, unrest: 0, change: 0 };
}

/** Mean size of differences between a known value and the one known before it; 0 if there is none. */
function sizeAcrossGaps(values: Float64Array, origin: number): number {
  let [size, count, before] = [0, 0, Number.NaN];
  for (let row = 0; row < origin; row++) {
    if (Number.isNaN(values[row])) continue;
    if (!Number.isNaN(before)) {
      size += Math.abs(values[row] - before);
      count++;
    }
    before = values[row];
  }
  return count > 0 ? size / count : 0;
}

/** The unit is at least this share of that of the whole past. */
const LEAST_SHARE = 0.2;
/** Rows of the whole past that are looked at. */
const USUAL_ROWS = 256;

/** Mean size of differences over rows spread evenly over all that is before the origin. */
function usualSize(values: Float64Array, origin: number, lag: number): number {
  const every = Math.max(1, Math.floor((origin - lag) / USUAL_ROWS));
  let [size, count] = [0, 0];
  for (let row = origin - 1; row >= lag; row -= every) {
    const difference = Math.abs(values[row] - values[row - lag]);
    if (Number.isNaN(difference)) continue;
    size += difference;
    count++;
  }
  return count > 0 ? size / count : 0;
}

function levelOf(values: Float64Array, origin: number, season: number): number {
  let [sum, count] = [0, 0];
  const wanted = Math.max(season, 4);
  for (let row = origin - 1; row >= 0 && count < wanted; row--) {
    if (Number.isNaN(values[row])) continue;
    sum += values[row];
    count++;
  }
  return count > 0 ? sum / count : 0;
}
