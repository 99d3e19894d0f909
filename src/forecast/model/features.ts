// The columns of a panel as inputs of a model: which columns exist, how numbers are scaled, which levels categories have.
// Features are fitted once, to the training panel, and stored with the model.

import { UserError } from "../../issues.ts";
import { calendarFeatures } from "../data/calendar-features.ts";
import { type AffineNormalisation, fitNormaliser, type Normalisation } from "../data/normalise.ts";
import { timesAfter } from "../data/time-grid.ts";
import { missingCode, unknownCode } from "../network/context-encoder.ts";
import type { Frequency, Panel, Series } from "../types.ts";
import type { Lag } from "./settings.ts";
import {
  fitTargetNormalisers,
  type NormalisedTargets,
  normaliseTargets,
  type TargetNormalisers,
} from "./target-normalisation.ts";

/** A numeric column with its scaling: (value − mean) / scale. A static column has one value per series. */
export interface NumericColumn {
  readonly name: string;
  readonly static: boolean;
  /** Whether future values are known when a forecast is made. */
  readonly knownInFuture: boolean;
  /** The value that is scaled to 0. With the normaliser `standard` it is the mean of the column. */
  readonly mean: number;
  readonly scale: number;
}

export interface CategoricalColumn {
  readonly name: string;
  readonly static: boolean;
  /** Whether future values are known when a forecast is made. */
  readonly knownInFuture: boolean;
  readonly levels: readonly string[];
}

/** Everything that was fitted to the columns of a panel, as plain data. */
export interface Features {
  readonly targets: readonly string[];
  readonly frequency: Frequency | null;
  readonly season: number;
  /** Median gap between neighbouring times, in milliseconds or steps. */
  readonly medianGap: number;
  /** True if times are irregular: future steps then have their time gaps as inputs. Absent if all gaps are equal. */
  readonly timeGaps?: true;
  readonly numeric: readonly NumericColumn[];
  readonly categories: readonly CategoricalColumn[];
  readonly lags: readonly Lag[];
  /** Absent if targets are not normalised. */
  readonly normalisers?: TargetNormalisers;
}

/** A series as arrays, extended by the `future` rows after its last one. */
export interface EncodedSeries extends NormalisedTargets {
  readonly id: string;
  /** Number of rows that have targets. */
  readonly rows: number;
  readonly times: Float64Array; // [rows + future]
  readonly calendar: Float32Array; // [rows + future, A]
  /** Scaled value of each numeric column, and 1 if it is known or 0 if it is missing, [rows + future, 2 Q]. */
  readonly numbers: Float32Array;
  readonly codes: Int32Array; // [rows + future, G]
  /** log(1 + gap before the row / median gap), [rows + future]. */
  readonly logGaps: Float32Array;
  /** Rows back to the same date of the previous year, for daily rows, [rows + future]; empty without a "year" lag. */
  readonly rowsToLastYear: Int32Array;
}

export interface FeatureOptions {
  /** Default: the season of the panel. */
  readonly season?: number;
  readonly horizon: number;
  /** Default: depends on the frequency. */
  readonly lags?: readonly Lag[];
  /** Normaliser of the targets. Default: "none". */
  readonly normaliser?: Normalisation | "none";
  /** Normaliser of all other numeric columns. Default: "standard". */
  readonly columnNormaliser?: AffineNormalisation;
}

export function fitFeatures(panel: Panel, options: FeatureOptions): Features {
  const { targets, frequency } = panel;
  if (panel.series.length === 0) throw new UserError("the panel must have at least one series, got none");
  if (targets.length === 0) throw new UserError("the panel must have at least one target, got none");
  const season = options.season ?? panel.season;
  const longest = panel.series.reduce((most, { times }) => Math.max(most, times.length), 0);
  const lags = options.lags ?? [
    ...new Set([
      ...(panel.furtherSeasons ?? []).map((further) => lagBeyond(options.horizon, further)),
      ...defaultLags(frequency, season),
    ]),
  ];
  const { normaliser = "none", columnNormaliser = "standard" } = options;
  return {
    targets,
    frequency,
    season,
    medianGap: medianGap(panel),
    ...(frequency === null && hasUnequalGaps(panel) && { timeGaps: true as const }),
    ...fitColumns(panel, columnNormaliser),
    // A lag shorter than the horizon would need future values, and one longer than the series would always be missing.
    lags: lags.filter((lag) => {
      const steps = lag === "year" ? 366 : lag;
      return steps >= options.horizon && steps + season + options.horizon < longest;
    }),
    ...(normaliser !== "none" && { normalisers: fitTargetNormalisers(panel, normaliser, season) }),
  };
}

/**
 * Encodes a series with features that were fitted before. A value that the series lacks becomes "missing", a level that
 * training did not see becomes "unknown".
 */
export function encodeSeries(features: Features, series: Series, future: number): EncodedSeries {
  const { targets, frequency } = features;
  if (series.targets.length !== targets.length) {
    throw new UserError(
      `series ${series.id} must have the targets ${targets.join(", ")}, got ${series.targets.length} targets`,
    );
  }
  const rows = series.times.length;
  const times = new Float64Array(rows + future);
  times.set(series.times);
  times.set(futureTimes(series, frequency, features.medianGap, future), rows);
  const logGaps = Float32Array.from(times, (time, row) =>
    Math.log1p(row > 0 ? Math.max(0, time - times[row - 1]) / features.medianGap : 1),
  );
  return {
    id: series.id,
    rows,
    times,
    ...normaliseTargets(features.normalisers, series, targets, features.season),
    calendar: calendarFeatures(frequency, times),
    numbers: encodeNumbers(features, series, times.length),
    codes: encodeCategories(features, series, times.length),
    logGaps,
    rowsToLastYear: features.lags.includes("year")
      ? Int32Array.from(times, daysToLastYear)
      : new Int32Array(),
  };
}

/**
 * The times after the last one: those given by the series, continued at its frequency or, if irregular, at its median
 * gap.
 */
export function futureTimes(
  { times, future }: Series,
  frequency: Frequency | null,
  gap: number,
  count: number,
): Float64Array {
  const given = future?.times.subarray(0, count) ?? new Float64Array();
  const last = given.at(-1) ?? times.at(-1) ?? 0;
  const ahead =
    frequency && times.length > 0
      ? timesAfter(times, frequency, count)
      : Float64Array.from({ length: count }, (_, h) => last + (h + 1 - given.length) * gap);
  ahead.set(given);
  return ahead; // [count]
}

function daysToLastYear(time: number): number {
  const date = new Date(time);
  date.setUTCFullYear(date.getUTCFullYear() - 1);
  return Math.round((time - date.getTime()) / 86_400_000);
}

function encodeNumbers({ numeric }: Features, series: Series, length: number): Float32Array {
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

/** Scaled covariates are clipped to this magnitude, so that an outlier does not dominate. */
const LARGEST = 10;

function encodeCategories({ categories }: Features, series: Series, length: number): Int32Array {
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

/** The value of a column by row. Rows after the last one have a value only if the column is known in the future. */
function valueAt(
  series: Series,
  { name, static: isStatic, knownInFuture }: NumericColumn | CategoricalColumn,
) {
  if (isStatic) return () => series.statics[name];
  const past = series.covariates[name];
  const future = knownInFuture ? series.future?.covariates[name] : undefined;
  const rows = series.times.length;
  return (row: number): number | string | null | undefined =>
    row < rows ? past?.[row] : future?.[row - rows];
}

/** A column with any text value is categorical, one with finite numbers only is numeric, an empty one is left out. */
function fitColumns(panel: Panel, kind: AffineNormalisation): Pick<Features, "numeric" | "categories"> {
  const numeric: NumericColumn[] = [];
  const categories: CategoricalColumn[] = [];
  const add = (
    column: Omit<CategoricalColumn, "levels">,
    valuesBySeries: readonly (Iterable<unknown> | undefined)[],
  ) => {
    const levels = new Set<string>();
    const numbers: number[] = [];
    for (const values of valuesBySeries) {
      for (const value of values ?? []) {
        if (typeof value === "string") levels.add(value);
        if (typeof value === "number" && Number.isFinite(value)) numbers.push(value);
      }
    }
    if (levels.size > 0) categories.push({ ...column, levels: [...levels].sort() });
    if (levels.size > 0 || numbers.length === 0) return;
    const { shift: mean, scale } = fitNormaliser(kind, Float64Array.from(numbers));
    numeric.push({ ...column, mean, scale });
  };
  for (const { name, knownInFuture } of panel.covariates) {
    add(
      { name, static: false, knownInFuture },
      panel.series.map(({ covariates }) => covariates[name]),
    );
  }
  const statics = new Set(panel.series.flatMap(({ statics }) => Object.keys(statics)));
  for (const name of [...statics].sort()) {
    add(
      { name, static: true, knownInFuture: true },
      panel.series.map(({ statics }) => [statics[name]]),
    );
  }
  return { numeric, categories };
}

/** The median gap between neighbouring times of the first series that has two times; 1 if no series has. */
export function medianGap({ series }: Panel): number {
  for (const { times } of series) {
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    if (gaps.length > 0) return gaps.sort()[gaps.length >> 1] || 1;
  }
  return 1;
}

/** Whether the gaps between neighbouring times differ, within a series or between series. */
function hasUnequalGaps({ series }: Panel): boolean {
  const first = series.find(({ times }) => times.length > 1)?.times;
  return series.some(({ times }) =>
    times.some((time, row) => row > 0 && time - times[row - 1] !== first![1] - first![0]),
  );
}

/** The smallest multiple of a season that a path does not reach, so that the value is known at every step. */
function lagBeyond(horizon: number, season: number): number {
  return season * Math.ceil(horizon / season);
}

/** One week for hourly rows; one year for daily (by weekday and by date), weekly and monthly rows. */
function defaultLags(frequency: Frequency | null, season: number): readonly Lag[] {
  if (frequency?.count !== 1) return [];
  if (frequency.unit === "hour" && season === 24) return [168];
  if (frequency.unit === "day") return [364, "year"];
  if (frequency.unit === "week" && season !== 52) return [52];
  if (frequency.unit === "month" && season !== 12) return [12];
  return [];
}
