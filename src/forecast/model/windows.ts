// Windows of series as arrays: a context of T rows before an origin, and what is known of the P = H·M steps ahead.
//
// Everything in a window but its truth comes from rows before the origin, or is known ahead. The steps ahead are in order
// of time, and the M targets of a time one after the other.

import { type Centring, centring } from "./centring.ts";
import { calendarOf, type Features, type ReadSeries } from "./features.ts";

export interface WindowShape {
  /** T */
  readonly context: number;
  /** L: steps just before the origin that paths go on from. */
  readonly recent: number;
  /** H */
  readonly horizon: number;
  /** Rows by which the unit of differences is found. */
  readonly scaleRows: number;
  readonly drift: boolean;
  /** Seasons whose mean is expected to come again; 0 for the last value. */
  readonly seasons: number;
}

/** Sizes of what a window is written as. */
export interface WindowSizes {
  /** C: numbers of a row of the context. */
  readonly channels: number;
  /** A: numbers that tell the calendar of a row. */
  readonly calendar: number;
  /** D: numbers that are known of a step ahead. */
  readonly known: number;
  /** L: steps just before the origin that paths go on from. */
  readonly recent: number;
  /** P = H·M: steps of a path. */
  readonly steps: number;
  /** Known levels of each category that the context has. */
  readonly categories: readonly number[];
  /** And of each category that is known ahead. */
  readonly knownCategories: readonly number[];
}

/** Arrays of B windows, as the programs take them. */
export interface WindowArrays {
  readonly numbers: Float32Array; // [B, T, C]
  readonly present: Float32Array; // [B, T]
  readonly times: Float32Array; // [B, T]
  readonly codes: Int32Array; // [B, T, G]
  /** How the steps just before differed from what was expected of them, as steps ahead do; `MISSING` where not known. */
  readonly recent: Float32Array; // [B, L]
  readonly known: Float32Array; // [B, P, D]
  readonly knownCodes: Int32Array; // [B, P, Gk]
}

/** Seasons back that each step sees. */
const SEASONS = 4;
/** Numbers per season or lag: see `writeLags`. */
const SEASON_NUMBERS = 2;
/** What is usual at the step, what was in the last season at all, what was last, and how restless the series is. */
const USUAL_NUMBERS = 4;
const LAG_NUMBERS = 4;

export function windowSizes(features: Features, { horizon, recent }: WindowShape): WindowSizes {
  const { targets, numeric, categories, lags } = features;
  const M = targets.length;
  const A = calendarOf(features);
  const knownNumeric = numeric.filter(({ known }) => known).length;
  return {
    channels: 3 * M + 1 + A + 2 * numeric.length,
    calendar: A,
    known:
      SEASONS * SEASON_NUMBERS +
      USUAL_NUMBERS +
      lags.length * LAG_NUMBERS +
      A +
      2 * knownNumeric +
      (M > 1 ? M : 0),
    recent,
    steps: horizon * M,
    categories: categories.map(({ levels }) => levels.length),
    knownCategories: categories.filter(({ known }) => known).map(({ levels }) => levels.length),
  };
}

export function windowArrays(batch: number, { context: T }: WindowShape, sizes: WindowSizes): WindowArrays {
  const { channels, known, steps, recent, categories, knownCategories } = sizes;
  return {
    numbers: new Float32Array(batch * T * channels),
    present: new Float32Array(batch * T),
    times: new Float32Array(batch * T),
    codes: new Int32Array(batch * T * categories.length),
    recent: new Float32Array(batch * recent),
    known: new Float32Array(batch * steps * known),
    knownCodes: new Int32Array(batch * steps * knownCategories.length),
  };
}

/** What windows are read by. */
export interface WindowPlan {
  readonly features: Features;
  readonly shape: WindowShape;
  readonly sizes: WindowSizes;
}

/** Where a window stands. */
export interface WindowPlace {
  readonly series: ReadSeries;
  /** Row of the first step ahead. */
  readonly origin: number;
}

/** Writes a window as number `index` of the arrays. Gives a centring per target. */
export function writeWindow(
  plan: WindowPlan,
  place: WindowPlace,
  arrays: WindowArrays,
  index: number,
): readonly Centring[] {
  const { shape, sizes } = plan;
  const { season, targets } = plan.features;
  const { series, origin } = place;
  const centrings = series.targets.map((values) =>
    centring(values, origin, {
      season,
      horizon: shape.horizon,
      rows: shape.scaleRows,
      drift: shape.drift,
      seasons: shape.seasons,
      recent: Math.ceil(shape.recent / targets.length),
    }),
  );
  writeContext(plan, place, arrays, index, centrings);
  writeRecent(plan, place, arrays, index, centrings);
  const M = targets.length;
  for (let h = 0; h < shape.horizon; h++) {
    for (let j = 0; j < M; j++) {
      const step = index * sizes.steps + h * M + j;
      writeAhead(plan, place, { h, j, centring: centrings[j] }, arrays, step);
    }
  }
  return centrings;
}

function writeContext(
  { features, shape, sizes }: WindowPlan,
  { series, origin }: WindowPlace,
  { numbers, present, times, codes }: WindowArrays,
  index: number,
  centrings: readonly Centring[],
): void {
  const { season, gap } = features;
  const { channels: C, calendar: A, categories } = sizes;
  const T = shape.context;
  const Q = 2 * features.numeric.length;
  const G = categories.length;
  for (let t = 0; t < T; t++) {
    const row = origin - T + t;
    const step = index * T + t;
    let at = step * C;
    present[step] = row >= 0 ? 1 : 0;
    times[step] = row >= 0 ? (series.times[row] - series.times[Math.max(origin - 1, 0)]) / gap : 0;
    if (row < 0) {
      numbers.fill(0, at, at + C);
      codes.fill(0, step * G, (step + 1) * G);
      continue;
    }
    series.targets.forEach((values, j) => {
      const { level, scale } = centrings[j];
      const value = values[row];
      const before = row >= season ? values[row - season] : Number.NaN;
      numbers[at++] = tamed((value - level) / scale);
      numbers[at++] = tamed((value - before) / scale);
      numbers[at++] = Number.isNaN(value) ? 0 : 1;
    });
    numbers[at++] = series.gaps[row];
    numbers.set(series.calendar.subarray(row * A, (row + 1) * A), at);
    numbers.set(series.numbers.subarray(row * Q, (row + 1) * Q), at + A);
    codes.set(series.codes.subarray(row * G, (row + 1) * G), step * G);
  }
}

/** No difference at all is as low as this. */
export const MISSING = -1e9;

/** The last steps of the past in the order of a path, the last one last. */
function writeRecent(
  { features, sizes }: WindowPlan,
  { series, origin }: WindowPlace,
  { recent }: WindowArrays,
  index: number,
  centrings: readonly Centring[],
): void {
  const [L, M] = [sizes.recent, features.targets.length];
  for (let i = 0; i < L; i++) {
    // Steps are counted back from the origin, the last target of the last row being −1.
    const step = i - L;
    const [h, j] = [Math.floor(step / M), ((step % M) + M) % M];
    const { before, scale } = centrings[j];
    const expected = before[before.length + h];
    const x = origin + h >= 0 ? (series.targets[j][origin + h] - expected) / scale : Number.NaN;
    recent[index * L + i] = Number.isFinite(x) ? Math.max(x, MISSING / 2) : MISSING;
  }
}

/** One target of one step ahead. */
interface StepAhead {
  readonly h: number;
  readonly j: number;
  readonly centring: Centring;
}

function writeAhead(
  { features, sizes }: WindowPlan,
  place: WindowPlace,
  ahead: StepAhead,
  { known, knownCodes }: WindowArrays,
  step: number,
): void {
  const { numeric, categories, targets } = features;
  const { known: D, calendar: A, knownCategories } = sizes;
  const { series } = place;
  const row = place.origin + ahead.h;
  let at = writeLags(features, place, ahead, known, step * D);
  known.set(series.calendar.subarray(row * A, (row + 1) * A), at);
  at += A;
  numeric.forEach(({ known: isKnown }, q) => {
    if (!isKnown) return;
    known[at++] = series.numbers[(row * numeric.length + q) * 2];
    known[at++] = series.numbers[(row * numeric.length + q) * 2 + 1];
  });
  if (targets.length > 1) for (let i = 0; i < targets.length; i++) known[at++] = i === ahead.j ? 1 : 0;
  let code = step * knownCategories.length;
  categories.forEach(({ known: isKnown }, g) => {
    if (isKnown) knownCodes[code++] = series.codes[row * categories.length + g];
  });
}

/** Values of earlier seasons and lags as a step sees them, in its unit; rows at or after the origin are not looked at. */
function writeLags(
  { season, lags }: Features,
  { series, origin }: WindowPlace,
  { h, j, centring: { centre, usual, rows, scale, level, last, unrest } }: StepAhead,
  known: Float32Array,
  start: number,
): number {
  const values = series.targets[j];
  const valueAt = (row: number) => (row >= 0 && row < origin ? values[row] : Number.NaN);
  const write = (at: number, difference: number) => {
    known[at] = tamed(difference / scale);
  };
  let at = start;
  for (let k = 0; k < SEASONS; k++, at += SEASON_NUMBERS) {
    const value = rows[h] >= 0 ? valueAt(rows[h] - k * season) : Number.NaN;
    write(at, value - centre[h]);
    known[at + 1] = Number.isNaN(value) ? 0 : 1;
  }
  write(at, usual[h] - centre[h]);
  write(at + 1, level - centre[h]);
  write(at + 2, last - centre[h]);
  known[at + 3] = unrest;
  at += USUAL_NUMBERS;
  for (const lag of lags) {
    const back = lag === "year" ? series.lastYear[origin + h] : lag;
    const row = origin + h - back;
    const value = valueAt(row);
    // How this step differed from what was expected of it, how it stood out of its neighbours, and how it was.
    write(at, value - valueAt(rows[h] - back));
    write(at + 1, value - (valueAt(row - season) + valueAt(row + season)) / 2);
    write(at + 2, value - centre[h]);
    known[at + 3] = Number.isNaN(value) ? 0 : 1;
    at += LAG_NUMBERS;
  }
  return at;
}

/** Small numbers as they are, large ones about as their logarithm, and 0 for what is missing. */
function tamed(x: number): number {
  return Number.isNaN(x) ? 0 : 4 * Math.asinh(x / 4);
}
