// Turns a table into a panel: merges duplicate times, finds the frequency, and inserts missing steps as NaN.

import { quote, TableError } from "../../formats/tables/table-error.ts";
import { optionIssues, seasonsKind } from "../option-kinds.ts";
import type { Covariate, CovariateValues, Frequency, Panel, Series } from "../types.ts";
import { formatFrequency, inferFrequency, inferStepFrequency } from "./frequency.ts";
import type { Aggregate } from "./option-names.ts";
import { checkStepCount } from "./read-limits.ts";
import { panelSeasons, type SeasonOption } from "./seasons.ts";
import {
  insertMissingSteps,
  mergeDuplicates,
  resample,
  type SeriesRows,
  seriesRows,
  sliceValues,
} from "./series-rows.ts";
import type { CovariateColumn, Table } from "./table.ts";
import { formatTime, isoTime, isStepIndexed, timeGrid } from "./time-grid.ts";

/** Options of `panelFromTable`. */
export interface PanelOptions {
  /** Default: inferred from the times. Null keeps irregular times unchanged. */
  readonly frequency?: Frequency | null;
  /** Steps of a season, or of several. Default: depends on the frequency. */
  readonly season?: SeasonOption;
  /** How rows of one series with equal times are merged. Default: such rows are an error. */
  readonly duplicates?: Aggregate;
  /** Aggregates rows to longer calendar steps. */
  readonly resample?: { readonly every: Frequency; readonly aggregate: Aggregate };
}

/** How the rows of one series were changed. */
export interface SeriesReport {
  readonly id: string;
  /** Number of rows in the file. */
  readonly rows: number;
  /** Whether the rows of the file were sorted by time. */
  readonly ordered: boolean;
  /** Number of rows with the same time as an earlier row. */
  readonly duplicates: number;
  /** Number of rows that were inserted for missing steps. */
  readonly inserted: number;
  /** Longest run of steps without any target value. */
  readonly longestGap: number;
}

/** A panel with a report on each series. */
export interface PanelResult {
  readonly panel: Panel;
  /** One report per series, in the same order. */
  readonly reports: readonly SeriesReport[];
}

/** Times are irregular if their grid has more steps than MAX_GROWTH times the rows plus MAX_ADDED. */
const MAX_GROWTH = 20;
const MAX_ADDED = 1000;

/** Creates the panel of a table, and a report of the changes to each series. */
export function panelFromTable(table: Table, options: PanelOptions = {}): PanelResult {
  const { season } = options;
  const [wrongSeason] = optionIssues("season", seasonsKind, season);
  if (wrongSeason) throw new TableError(wrongSeason.message, wrongSeason);
  if (table.targets.every(({ values }) => values.every(Number.isNaN))) {
    throw new TableError(
      `No row has a value of ${table.targets.map(({ name }) => quote(name)).join(" or ")}: all are missing`,
    );
  }
  checkTimeKind(table, options);
  const original = table.ids.map((_, s) => seriesRows(table, s));
  const merged = original.map((rows) => mergedRows(rows, table.timesAreSteps, options));
  const frequency = panelFrequency(merged, table.timesAreSteps, options);
  if (frequency !== null) {
    const steps = merged.reduce((sum, { times }) => sum + gridLength(times, frequency), 0);
    checkStepCount(steps, formatFrequency(frequency));
  }
  return completedPanel(table, original, merged, {
    frequency,
    ...panelSeasons(season, frequency),
  });
}

/** The panel of a part of a table, of which the whole was checked: its frequency is known to fit. */
export function panelOfPart(
  table: Table,
  options: Omit<PanelOptions, "season"> & Pick<Panel, "frequency" | "season" | "furtherSeasons">,
): PanelResult {
  const original = table.ids.map((_, s) => seriesRows(table, s));
  const merged = original.map((rows) => mergedRows(rows, table.timesAreSteps, options));
  return completedPanel(table, original, merged, options);
}

/** The rows of a series after duplicate times were merged, or rows were aggregated to longer steps. */
export function mergedRows(
  rows: SeriesRows,
  timesAreSteps: boolean,
  { duplicates, resample: resampling }: Pick<PanelOptions, "duplicates" | "resample">,
): SeriesRows {
  return resampling === undefined
    ? mergeDuplicates(rows, duplicates, timesAreSteps)
    : resample(rows, resampling.every, resampling.aggregate);
}

/** Inserts the missing steps. */
function completedPanel(
  table: Table,
  original: readonly SeriesRows[],
  merged: readonly SeriesRows[],
  { frequency, season, furtherSeasons }: Pick<Panel, "frequency" | "season" | "furtherSeasons">,
): PanelResult {
  const completed =
    frequency === null
      ? merged
      : merged.map((rows) => insertMissingSteps(rows, timeGrid(rows.times, frequency)));
  return {
    panel: {
      series: completed.map((rows) => seriesFrom(rows, table.covariates, frequency)),
      targets: table.targets.map(({ name }) => name),
      covariates: table.covariates.flatMap(covariateOf),
      ...{ frequency, season },
      ...(furtherSeasons && { furtherSeasons }),
    },
    reports: completed.map((rows, s) => reportOf(original[s], merged[s], rows)),
  };
}

/** Throws if the frequency counts steps but the times are timestamps, or the reverse. */
export function checkTimeKind(
  { timesAreSteps, times }: Pick<Table, "timesAreSteps" | "times">,
  { frequency, resample }: PanelOptions,
): void {
  const path = resample === undefined ? "frequency" : "resample";
  const step = resample?.every ?? frequency;
  if (step === undefined || (step !== null && isStepIndexed(step) === timesAreSteps)) return;
  if (timesAreSteps) {
    throw new TableError(
      `must be a number of steps, because the times are whole numbers that count steps, ` +
        `got ${step === null ? "irregular" : formatFrequency(step)}`,
      { path, code: "conflict", remedy: "give the time unit, s or ms, if they are timestamps" },
    );
  }
  if (step === null) return;
  throw new TableError(
    `a number of steps, ${formatFrequency(step)}, needs times that are whole numbers, got ${isoTime(times[0])}`,
    { path, code: "conflict", remedy: CHANGE_FREQUENCY },
  );
}

const CHANGE_FREQUENCY = "omit the frequency, or resample";

function panelFrequency(
  all: readonly SeriesRows[],
  timesAreSteps: boolean,
  { frequency, resample }: PanelOptions,
): Frequency | null {
  const times = all.map((rows) => rows.times);
  const requested = resample === undefined ? frequency : resample.every;
  if (requested === null) return null;
  const step = requested ?? (timesAreSteps ? inferStepFrequency(times) : undefined);
  if (step === undefined) {
    const inferred = inferFrequency(times);
    return inferred === null || all.some((rows) => isTooSparse(rows, inferred)) ? null : inferred;
  }
  for (const rows of all) checkFrequency(rows, step);
  if (resample === undefined) checkNotTooFine(times, step);
  return step;
}

/** Throws if no two rows are one step apart: the other steps would all be missing. */
function checkNotTooFine(series: readonly Float64Array[], frequency: Frequency): void {
  const gaps = new GapCheck(frequency);
  for (const times of series) gaps.add(times);
  gaps.check();
}

/** Checks that some gap between times is a single step. */
export class GapCheck {
  readonly #frequency: Frequency;
  #smallest = Number.POSITIVE_INFINITY;
  #gaps = 0;

  constructor(frequency: Frequency) {
    this.#frequency = frequency;
  }

  /** Adds the times of a series, which are on the grid. */
  add(times: Float64Array): void {
    const grid = timeGrid(times, this.#frequency);
    for (let i = 1; i < times.length && this.#smallest > 1; i++, this.#gaps++) {
      this.#smallest = Math.min(this.#smallest, grid.stepOf(times[i])! - grid.stepOf(times[i - 1])!);
    }
  }

  check(): void {
    // A single gap may consist of missing rows.
    if (this.#gaps < 2 || this.#smallest === 1) return;
    throw new TableError(
      `steps of ${formatFrequency(this.#frequency)} are finer than all gaps between times, which have at least ${this.#smallest} steps`,
      { path: "frequency", code: "frequency", remedy: CHANGE_FREQUENCY },
    );
  }
}

/** Throws if the times of a series are not on the grid of a frequency, or fill too little of it. */
export function checkFrequency(rows: SeriesRows, frequency: Frequency): void {
  checkOnGrid(rows, frequency);
  if (!isTooSparse(rows, frequency)) return;
  throw new TableError(
    `series ${quote(rows.id)} has ${rows.fileRows.length} rows, too few for steps of ${formatFrequency(frequency)} between its times`,
    { path: "frequency", code: "frequency" },
  );
}

/** Whether the grid of a series has far more steps than the series has rows. */
export function isTooSparse({ times }: Pick<SeriesRows, "times">, frequency: Frequency): boolean {
  return gridLength(times, frequency) - 1 > times.length * MAX_GROWTH + MAX_ADDED;
}

/** Number of steps from the first time to the last. */
function gridLength(times: Float64Array, frequency: Frequency): number {
  return (timeGrid(times, frequency).stepOf(times[times.length - 1]) ?? 0) + 1;
}

function checkOnGrid({ id, fileRows, times }: SeriesRows, frequency: Frequency): void {
  const grid = timeGrid(times, frequency);
  const at = times.findIndex((time) => grid.stepOf(time) === null);
  if (at < 0) return;
  throw new TableError(
    `row ${fileRows[at]} of series ${quote(id)} has the time ${formatTime(times[at], frequency)}, which is not a whole number of ` +
      `steps of ${formatFrequency(frequency)} after ${formatTime(times[0], frequency)}`,
    { path: "frequency", code: "frequency", remedy: CHANGE_FREQUENCY },
  );
}

/**
 * Trailing rows without targets become the future, if the table has known-future covariates, or if times are irregular:
 * then the rows tell the times to forecast.
 */
function seriesFrom(
  rows: SeriesRows,
  columns: readonly CovariateColumn[],
  frequency: Frequency | null,
): Series {
  const { id, times, targets } = rows;
  const count = times.length;
  const hasFuture = frequency === null || columns.some(({ role }) => role === "known-future");
  const observed = lastObserved(targets) + 1;
  const end = hasFuture && observed > 0 ? observed : count;
  const covariateValues = (includes: (column: CovariateColumn) => boolean, from: number, to: number) =>
    Object.fromEntries(
      columns.flatMap((column, i): [string, CovariateValues][] =>
        includes(column) ? [[column.name, sliceValues(rows.covariates[i], from, to)]] : [],
      ),
    );
  const series = {
    id,
    times: times.subarray(0, end),
    targets: targets.map((values) => values.subarray(0, end)),
    covariates: covariateValues(({ role }) => role !== "static", 0, end),
    statics: Object.fromEntries(
      columns.flatMap((column, i) =>
        column.role === "static" ? [[column.name, staticValue(rows, column.name, rows.covariates[i])]] : [],
      ),
    ),
  };
  if (end === count) return series;
  const covariates = covariateValues(({ role }) => role === "known-future", end, count);
  return { ...series, future: { times: times.subarray(end), covariates } };
}

function covariateOf({ name, kind, role }: CovariateColumn): Covariate[] {
  return role === "static" ? [] : [{ name, kind, knownInFuture: role === "known-future" }];
}

/** The single value of a static column in a series; null if all are missing. */
function staticValue(
  { id, fileRows }: SeriesRows,
  name: string,
  values: CovariateValues,
): number | string | null {
  const isObserved = (value: number | string | null) => value !== null && !Number.isNaN(value);
  const all: readonly (number | string | null)[] = Array.from<number | string | null>(values);
  const value = all.find(isObserved) ?? null;
  const other = all.findIndex((one) => isObserved(one) && one !== value);
  if (other < 0) return value;
  throw new TableError(
    `Row ${fileRows[other]}, column ${quote(name)}: a static column must have one value per series, ` +
      `got ${all[other]} after ${value} in series ${quote(id)}`,
  );
}

function reportOf(original: SeriesRows, merged: SeriesRows, completed: SeriesRows): SeriesReport {
  const duplicates = original.times.reduce(
    (count, time, i) => count + (i > 0 && time === original.times[i - 1] ? 1 : 0),
    0,
  );
  let [longestGap, gap] = [0, 0];
  for (let i = 0; i <= lastObserved(completed.targets); i++) {
    gap = completed.targets.every((values) => Number.isNaN(values[i])) ? gap + 1 : 0;
    longestGap = Math.max(longestGap, gap);
  }
  return {
    id: original.id,
    rows: original.fileRows.length,
    // The rows are sorted by time, so their numbers increase if the file was sorted.
    ordered: original.fileRows.every((row, i) => i === 0 || row > original.fileRows[i - 1]),
    duplicates,
    inserted: completed.fileRows.length - merged.fileRows.length,
    longestGap,
  };
}

/** Index of the last row with any target value; -1 if there is none. */
function lastObserved(targets: readonly Float64Array[]): number {
  return Math.max(-1, ...targets.map((values) => values.findLastIndex((value) => !Number.isNaN(value))));
}
