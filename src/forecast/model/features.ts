// What a model reads of a panel: which columns, how numbers are scaled, which levels there are. Fitted once, on the
// panel given for training, and kept with the model.

import { calendarWaves, calendarWidth } from "../data/calendar.ts";
import { type AffineNormalisation, fitNormaliser, type Normalisation } from "../data/normalise.ts";
import { nextTimes } from "../data/times.ts";
import { missingCode, unknownCode } from "../network/context-encoder.ts";
import type { Frequency, Panel, Series } from "../types.ts";
import {
  fitTargets,
  type NormalisedTargets,
  normalisedTargets,
  type TargetNormalisers,
} from "./normalised.ts";
import type { Lag } from "./settings.ts";

/** A column of numbers: how it is scaled, and whether it is known ahead. Statics are columns that never change. */
export interface NumericColumn {
  readonly name: string;
  readonly static: boolean;
  readonly known: boolean;
  /** What counts as 0; the mean unless another normaliser was asked for. */
  readonly mean: number;
  readonly scale: number;
}

export interface CategoryColumn {
  readonly name: string;
  readonly static: boolean;
  readonly known: boolean;
  readonly levels: readonly string[];
}

/** Everything that was learned of the panel's columns; plain data. */
export interface Features {
  readonly targets: readonly string[];
  readonly frequency: Frequency | null;
  readonly season: number;
  /** Milliseconds, or steps, between two times, as a rule. */
  readonly gap: number;
  readonly numeric: readonly NumericColumn[];
  readonly categories: readonly CategoryColumn[];
  readonly lags: readonly Lag[];
  /** Not there where targets are read as they are. */
  readonly normalisers?: TargetNormalisers;
}

/** A series as a model reads it, with `ahead` rows after its last. */
export interface ReadSeries extends NormalisedTargets {
  readonly id: string;
  /** Rows whose targets are there. */
  readonly rows: number;
  readonly times: Float64Array; // [rows + ahead]
  readonly calendar: Float32Array; // [rows + ahead, A]
  /** Scaled value and whether it is known, of each numeric column, [rows + ahead, 2 Q]. */
  readonly numbers: Float32Array;
  readonly codes: Int32Array; // [rows + ahead, G]
  /** log(1 + gap before the row in usual gaps), [rows + ahead]. */
  readonly gaps: Float32Array;
  /** Rows back to the same date a year earlier, where rows are one day each, [rows + ahead]; empty if nobody looks. */
  readonly lastYear: Int32Array;
}

export interface FeatureOptions {
  readonly season?: number;
  readonly horizon: number;
  readonly lags?: readonly Lag[];
  /** Of the targets; none unless told. */
  readonly normaliser?: Normalisation | "none";
  /** Of all other numbers; standard unless told. */
  readonly columnNormaliser?: AffineNormalisation;
}

export function fitFeatures(panel: Panel, options: FeatureOptions): Features {
  const { targets, frequency } = panel;
  if (panel.series.length === 0)
    throw new RangeError("forecast: the panel must hold at least one series, got none");
  if (targets.length === 0)
    throw new RangeError("forecast: the panel must have at least one target, got none");
  const season = options.season ?? panel.season;
  const longest = panel.series.reduce((most, { times }) => Math.max(most, times.length), 0);
  const lags = options.lags ?? usualLags(frequency, season);
  const { normaliser = "none", columnNormaliser = "standard" } = options;
  return {
    targets,
    frequency,
    season,
    gap: usualGap(panel),
    ...columnsOf(panel, columnNormaliser),
    // A lag that training never sees to the full would only be zeros; one that the horizon reaches is not known.
    lags: lags.filter((lag) => {
      const steps = lag === "year" ? 366 : lag;
      return steps >= options.horizon && steps + season + options.horizon < longest;
    }),
    ...(normaliser !== "none" && { normalisers: fitTargets(panel, normaliser, season) }),
  };
}

/** A series read by the columns that were fitted. What it lacks is missing; what was never seen is unknown. */
export function readSeries(features: Features, series: Series, ahead: number): ReadSeries {
  const { targets, frequency, gap } = features;
  if (series.targets.length !== targets.length) {
    throw new RangeError(
      `forecast: series ${series.id} must have the targets ${targets.join(", ")}, got ${series.targets.length} targets`,
    );
  }
  const rows = series.times.length;
  const times = new Float64Array(rows + ahead);
  times.set(series.times);
  times.set(timesAhead(series, frequency, gap, ahead), rows);
  const gaps = Float32Array.from(times, (time, row) =>
    Math.log1p(row > 0 ? Math.max(0, time - times[row - 1]) / gap : 1),
  );
  return {
    id: series.id,
    rows,
    times,
    ...normalisedTargets(features.normalisers, series, targets, features.season),
    calendar: calendarWaves(frequency, times),
    numbers: numbersOf(features, series, times.length),
    codes: codesOf(features, series, times.length),
    gaps,
    lastYear: features.lags.includes("year") ? Int32Array.from(times, daysSinceLastYear) : new Int32Array(),
  };
}

/** Times after the last, as given or else as the series would go on; irregular ones at their usual gap. */
export function timesAhead(
  { times, future }: Series,
  frequency: Frequency | null,
  gap: number,
  count: number,
): Float64Array {
  const last = times[times.length - 1];
  const ahead =
    frequency && times.length > 0
      ? nextTimes(times, frequency, count)
      : Float64Array.from({ length: count }, (_, h) => (last ?? 0) + (h + 1) * gap);
  if (future) ahead.set(future.times.subarray(0, count));
  return ahead; // [ahead]
}

function daysSinceLastYear(time: number): number {
  const date = new Date(time);
  date.setUTCFullYear(date.getUTCFullYear() - 1);
  return Math.round((time - date.getTime()) / 86_400_000);
}

/** Numbers of a row that tell the calendar. */
export function calendarOf(features: Features): number {
  return calendarWidth(features.frequency);
}

function numbersOf({ numeric }: Features, series: Series, length: number): Float32Array {
  const width = 2 * numeric.length;
  const numbers = new Float32Array(length * width);
  numeric.forEach((column, q) => {
    const at = valueAt(series, column);
    for (let row = 0; row < length; row++) {
      const value = at(row);
      const scaled = (typeof value === "number" ? value - column.mean : Number.NaN) / column.scale;
      if (!Number.isFinite(scaled)) continue;
      numbers[row * width + 2 * q] = Math.max(-LARGEST, Math.min(LARGEST, scaled));
      numbers[row * width + 2 * q + 1] = 1;
    }
  });
  return numbers;
}

/** Scaled covariates stay within this, so that one odd value cannot drown all others. */
const LARGEST = 10;

function codesOf({ categories }: Features, series: Series, length: number): Int32Array {
  const codes = new Int32Array(length * categories.length);
  categories.forEach((column, g) => {
    const codeOf = new Map(column.levels.map((level, code) => [level, code]));
    const at = valueAt(series, column);
    for (let row = 0; row < length; row++) {
      const value = at(row);
      codes[row * categories.length + g] =
        value === null || value === undefined
          ? missingCode(column.levels.length)
          : (codeOf.get(String(value)) ?? unknownCode(column.levels.length));
    }
  });
  return codes;
}

/** The value of a column in a row, ahead too if it is known there. */
function valueAt(series: Series, { name, static: fixed, known }: NumericColumn | CategoryColumn) {
  if (fixed) return () => series.statics[name];
  const past = series.covariates[name];
  const future = known ? series.future?.covariates[name] : undefined;
  const rows = series.times.length;
  return (row: number): number | string | null | undefined =>
    row < rows ? past?.[row] : future?.[row - rows];
}

function columnsOf(panel: Panel, kind: AffineNormalisation): Pick<Features, "numeric" | "categories"> {
  const numeric: NumericColumn[] = [];
  const categories: CategoryColumn[] = [];
  const add = (name: string, fixed: boolean, known: boolean, values: readonly Iterable<unknown>[]) => {
    const levels = new Set<string>();
    const numbers: number[] = [];
    for (const part of values) {
      for (const value of part) {
        if (typeof value === "string") levels.add(value);
        if (typeof value === "number" && Number.isFinite(value)) numbers.push(value);
      }
    }
    if (levels.size > 0) categories.push({ name, static: fixed, known, levels: [...levels].sort() });
    if (levels.size > 0 || numbers.length === 0) return;
    const { shift: mean, scale } = fitNormaliser(kind, Float64Array.from(numbers));
    numeric.push({ name, static: fixed, known, mean, scale });
  };
  for (const { name, known } of panel.covariates) {
    add(
      name,
      false,
      known,
      panel.series.map(({ covariates }) => (covariates[name] ?? []) as Iterable<unknown>),
    );
  }
  const statics = new Set(panel.series.flatMap(({ statics }) => Object.keys(statics)));
  for (const name of [...statics].sort()) {
    add(
      name,
      true,
      true,
      panel.series.map(({ statics }) => [statics[name]]),
    );
  }
  return { numeric, categories };
}

/** The median gap of the first series that has one. */
export function usualGap({ series }: Panel): number {
  for (const { times } of series) {
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    if (gaps.length > 0) return gaps.sort()[gaps.length >> 1] || 1;
  }
  return 1;
}

/** A week for hours, a year for days (by weekday and by date) and for weeks. */
function usualLags(frequency: Frequency | null, season: number): readonly Lag[] {
  if (frequency?.count !== 1) return [];
  if (frequency.unit === "hour" && season === 24) return [168];
  if (frequency.unit === "day") return [364, "year"];
  if (frequency.unit === "week" && season !== 52) return [52];
  if (frequency.unit === "month" && season !== 12) return [12];
  return [];
}
