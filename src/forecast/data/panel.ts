// From the rows of a table to a panel: each time once, regular steps where there are such, missing rows as NaN.

import type { Covariate, CovariateValues, Frequency, Panel, Series } from "../types.ts";
import { type Aggregate, complete, cut, type Draft, draftOf, joinEqual, resample } from "./draft.ts";
import { frequencyText, inferFrequency, inferSteps, seasonOf } from "./frequency.ts";
import type { CovariateColumn, Table } from "./table.ts";
import { quoted, TableError } from "./table-error.ts";
import { countsSteps, isoTime, timeGrid, writtenTime } from "./times.ts";

export interface PanelOptions {
  /** Told by the times if not given; null keeps the times as they are. */
  readonly frequency?: Frequency | null;
  /** Told by the frequency if not given. */
  readonly season?: number;
  /** What becomes of rows of one series with the same time; an error if not given. */
  readonly aggregate?: Aggregate;
  /** Gathers rows in steps of the calendar. */
  readonly resample?: { readonly every: Frequency; readonly aggregate: Aggregate };
}

/** What was done to one series. */
export interface SeriesReport {
  readonly id: string;
  /** Rows of the file. */
  readonly rows: number;
  /** Whether they stood in the order of time. */
  readonly ordered: boolean;
  /** Rows that had the time of an earlier one. */
  readonly duplicates: number;
  /** Rows that were put in because the file has none for their time. */
  readonly inserted: number;
  /** Longest run of steps without any target. */
  readonly longestGap: number;
}

export interface PanelResult {
  readonly panel: Panel;
  /** One per series, in order. */
  readonly reports: readonly SeriesReport[];
}

/** A grid may have so many times the rows of its series, and so many more, before the times count as irregular. */
const MOST_GROWTH = 20;
const MOST_ADDED = 1000;

/** The panel of a table, and what was done to get it. */
export function panelOf(table: Table, options: PanelOptions = {}): PanelResult {
  const { season } = options;
  if (season !== undefined && !(Number.isSafeInteger(season) && season >= 1)) {
    throw new TableError(`season must be a whole number of steps, at least 1, got ${season}`);
  }
  if (table.targets.every(({ values }) => values.every(Number.isNaN))) {
    throw new TableError(
      `No row has a value of ${table.targets.map(({ name }) => quoted(name)).join(" or ")}: all are missing`,
    );
  }
  const read = table.ids.map((_, s) => draftOf(table, s));
  const { resample: gather } = options;
  checkKind(table, options);
  const joined = read.map((draft) =>
    gather === undefined
      ? joinEqual(draft, options.aggregate, table.counted)
      : resample(draft, gather.every, gather.aggregate),
  );
  const frequency = frequencyOf(joined, table.counted, options);
  const drafts =
    frequency === null ? joined : joined.map((draft) => complete(draft, timeGrid(draft.times, frequency)));
  return {
    panel: {
      series: drafts.map((draft) => seriesOf(draft, table.covariates)),
      targets: table.targets.map(({ name }) => name),
      covariates: table.covariates.flatMap(covariateOf),
      frequency,
      season: season ?? seasonOf(frequency),
    },
    reports: drafts.map((draft, s) => reportOf(read[s], joined[s], draft)),
  };
}

/** Refuses steps of time between numbers that count, and the other way round. */
function checkKind({ counted, times }: Table, { frequency, resample }: PanelOptions): void {
  const given = resample?.every ?? frequency;
  if (given === undefined || (given !== null && countsSteps(given) === counted)) return;
  if (counted) {
    const got = given === null ? "irregular" : frequencyText(given);
    throw new TableError(
      `Times are whole numbers that count steps, so the frequency must be a number of them, got ${got}; ` +
        "set timeUnit to s or ms if they count time since 1970",
    );
  }
  if (given === null) return;
  throw new TableError(
    `A frequency of ${frequencyText(given)} is for times that are whole numbers, got ${isoTime(times[0])}; ` +
      "leave the frequency out, or resample",
  );
}

function frequencyOf(
  drafts: readonly Draft[],
  counted: boolean,
  { frequency, resample }: PanelOptions,
): Frequency | null {
  const series = drafts.map(({ times }) => times);
  const told = resample === undefined ? frequency : resample.every;
  if (told === null) return null;
  const given = told ?? (counted ? inferSteps(series) : undefined);
  if (given === undefined) {
    const inferred = inferFrequency(series);
    return inferred === null || drafts.some((draft) => isTooSparse(draft, inferred)) ? null : inferred;
  }
  for (const draft of drafts) {
    checkGrid(draft, given);
    if (isTooSparse(draft, given)) {
      throw new TableError(
        `Series ${quoted(draft.id)} has ${draft.rows.length} rows, too few for steps of ${frequencyText(given)} between its times`,
      );
    }
  }
  if (resample === undefined) checkFine(series, given);
  return given;
}

/** Refuses a step of which no two rows are only one apart: all others would be missing. */
function checkFine(series: readonly Float64Array[], frequency: Frequency): void {
  let [least, gaps] = [Number.POSITIVE_INFINITY, 0];
  for (const times of series) {
    const grid = timeGrid(times, frequency);
    for (let i = 1; i < times.length && least > 1; i++, gaps++) {
      least = Math.min(least, grid.stepOf(times[i])! - grid.stepOf(times[i - 1])!);
    }
  }
  // A single gap may well be one where rows are missing.
  if (gaps < 2 || least === 1) return;
  throw new TableError(
    `Steps of ${frequencyText(frequency)} are finer than all gaps between times, which are at least ${least} of them; ` +
      "leave the frequency out, or resample",
  );
}

function isTooSparse({ times }: Draft, frequency: Frequency): boolean {
  const steps = timeGrid(times, frequency).stepOf(times[times.length - 1]) ?? 0;
  return steps > times.length * MOST_GROWTH + MOST_ADDED;
}

function checkGrid({ id, rows, times }: Draft, frequency: Frequency): void {
  const grid = timeGrid(times, frequency);
  const at = times.findIndex((time) => grid.stepOf(time) === null);
  if (at < 0) return;
  throw new TableError(
    `Row ${rows[at]} of series ${quoted(id)} is at ${writtenTime(times[at], frequency)}, which is no step of ${frequencyText(frequency)} ` +
      `from ${writtenTime(times[0], frequency)}; leave the frequency out, or resample`,
  );
}

/** Rows at the end that have no target but covariates known ahead are the future. */
function seriesOf(draft: Draft, columns: readonly CovariateColumn[]): Series {
  const { id, times, targets } = draft;
  const count = times.length;
  const ahead = columns.some(({ role }) => role === "known");
  const observed = lastObserved(targets) + 1;
  const end = ahead && observed > 0 ? observed : count;
  const valuesOf = (wanted: (column: CovariateColumn) => boolean, from: number, to: number) =>
    Object.fromEntries(
      columns.flatMap((column, i): [string, CovariateValues][] =>
        wanted(column) ? [[column.name, cut(draft.covariates[i], from, to)]] : [],
      ),
    );
  const series = {
    id,
    times: times.subarray(0, end),
    targets: targets.map((values) => values.subarray(0, end)),
    covariates: valuesOf(({ role }) => role !== "static", 0, end),
    statics: Object.fromEntries(
      columns.flatMap((column, i) =>
        column.role === "static" ? [[column.name, staticOf(draft, column.name, draft.covariates[i])]] : [],
      ),
    ),
  };
  if (end === count) return series;
  const covariates = valuesOf(({ role }) => role === "known", end, count);
  return { ...series, future: { times: times.subarray(end), covariates } };
}

function covariateOf({ name, kind, role }: CovariateColumn): Covariate[] {
  return role === "static" ? [] : [{ name, kind, known: role === "known" }];
}

/** The one value that a static column has in a series. */
function staticOf({ id, rows }: Draft, name: string, values: CovariateValues): number | string | null {
  const isThere = (value: number | string | null) => value !== null && !Number.isNaN(value);
  const all: readonly (number | string | null)[] = Array.from<number | string | null>(values);
  const value = all.find(isThere) ?? null;
  const other = all.findIndex((one) => isThere(one) && one !== value);
  if (other < 0) return value;
  throw new TableError(
    `Row ${rows[other]}, column ${quoted(name)}: a static column has one value per series, ` +
      `got ${all[other]} after ${value} in series ${quoted(id)}`,
  );
}

function reportOf(read: Draft, joined: Draft, final: Draft): SeriesReport {
  const equal = read.times.reduce(
    (count, time, i) => count + (i > 0 && time === read.times[i - 1] ? 1 : 0),
    0,
  );
  let [longestGap, gap] = [0, 0];
  for (let i = 0; i <= lastObserved(final.targets); i++) {
    gap = final.targets.every((values) => Number.isNaN(values[i])) ? gap + 1 : 0;
    longestGap = Math.max(longestGap, gap);
  }
  return {
    id: read.id,
    rows: read.rows.length,
    // Rows are sorted by time, so those of an ordered file still rise.
    ordered: read.rows.every((row, i) => i === 0 || row > read.rows[i - 1]),
    duplicates: equal,
    inserted: final.rows.length - joined.rows.length,
    longestGap,
  };
}

/** The last row with any target; -1 if there is none. */
function lastObserved(targets: readonly Float64Array[]): number {
  return Math.max(-1, ...targets.map((values) => values.findLastIndex((value) => !Number.isNaN(value))));
}
