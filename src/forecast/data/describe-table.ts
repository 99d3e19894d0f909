// Describes the content of a table: sizes, time range, missing values, covariates, and warnings.

import { nameList } from "../../formats/tables/table-error.ts";
import type { Panel, Series } from "../types.ts";
import { formatFrequency } from "./frequency.ts";
import type { PanelResult } from "./panel.ts";
import type { CovariateRole, Table } from "./table.ts";
import { formatTime } from "./time-grid.ts";

/** A covariate in the description of a table. */
export interface CovariateDescription {
  readonly name: string;
  readonly kind: "numeric" | "categorical";
  readonly role: CovariateRole;
  /** Number of distinct levels of a categorical covariate; null for a numeric one. */
  readonly levels: number | null;
  /** Rows without a value. */
  readonly missing: number;
}

/** A summary of a file of time series. */
export interface TableDescription {
  readonly series: number;
  /** Rows of the file. */
  readonly rows: number;
  readonly targets: readonly string[];
  /** First and last time of a target: an ISO date, or a number if times are step numbers. */
  readonly from: string | number;
  readonly to: string | number;
  /** Such as 1h, D, or 1 for step numbers; null if times are irregular. */
  readonly frequency: string | null;
  readonly season: number;
  /** Lengths of longer seasonal patterns. */
  readonly furtherSeasons: readonly number[];
  /** Number of steps of the shortest and of the longest series. */
  readonly shortest: number;
  readonly longest: number;
  /** Missing target values, including those of inserted rows, and their share of all target values. */
  readonly missing: number;
  readonly missingShare: number;
  /** Rows that were inserted for missing steps. */
  readonly inserted: number;
  readonly longestGap: number;
  readonly duplicates: number;
  /** Future rows, which have covariates but no targets. */
  readonly future: number;
  /** Ids of series whose rows were not sorted by time. */
  readonly unordered: readonly string[];
  /** Ids of series with a constant target. */
  readonly constant: readonly string[];
  /** Ids of series with a target that has no value. */
  readonly empty: readonly string[];
  readonly covariates: readonly CovariateDescription[];
  readonly ignored: readonly string[];
  /** One sentence per warning. */
  readonly warnings: readonly string[];
}

/** Share of missing values from which a warning is given. */
const MANY_MISSING = 0.2;

/** Describes a table and the panel created from it. */
export function describeTable(table: Table, { panel, reports }: PanelResult): TableDescription {
  const { series } = panel;
  const lengths = series.map(({ times }) => times.length);
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  const values = total(lengths) * panel.targets.length;
  const missing = total(series.flatMap(({ targets }) => targets.map(missingIn)));
  const idsOf = (wanted: (series: Series) => boolean) => series.filter(wanted).map(({ id }) => id);
  const format = (time: number) => formatTime(time, panel.frequency);
  const facts = {
    series: series.length,
    rows: table.times.length,
    targets: panel.targets,
    from: format(series.reduce((first, { times }) => Math.min(first, times[0]), Number.POSITIVE_INFINITY)),
    to: format(
      series.reduce((last, { times }) => Math.max(last, times[times.length - 1]), Number.NEGATIVE_INFINITY),
    ),
    frequency: panel.frequency === null ? null : formatFrequency(panel.frequency),
    ...{ season: panel.season, furtherSeasons: panel.furtherSeasons ?? [] },
    shortest: lengths.reduce((a, b) => Math.min(a, b)),
    longest: lengths.reduce((a, b) => Math.max(a, b)),
    missing,
    missingShare: missing / values,
    inserted: total(reports.map(({ inserted }) => inserted)),
    longestGap: reports.reduce((longest, { longestGap }) => Math.max(longest, longestGap), 0),
    duplicates: total(reports.map(({ duplicates }) => duplicates)),
    future: total(series.map(({ future }) => future?.times.length ?? 0)),
    unordered: reports.filter(({ ordered }) => !ordered).map(({ id }) => id),
    constant: idsOf(({ targets }) => targets.some(isConstant)),
    empty: idsOf(({ targets }) => targets.some((target) => target.every(Number.isNaN))),
    covariates: table.covariates.map(({ name, kind, role, values }) => ({
      ...{ name, kind, role },
      levels: values instanceof Float64Array ? null : new Set(values.filter((level) => level !== null)).size,
      missing:
        values instanceof Float64Array ? missingIn(values) : values.filter((level) => level === null).length,
    })),
    ignored: table.ignoredColumns,
  };
  return { ...facts, warnings: [...table.notes.map(sentence), ...warningsOf(facts, panel)] };
}

function warningsOf(facts: Omit<TableDescription, "warnings">, { season, series }: Panel): string[] {
  const { constant, empty, unordered } = facts;
  const short = series.filter(({ times }) => season > 1 && times.length < 2 * season).map(({ id }) => id);
  const single = series.filter(({ times }) => times.length === 1).map(({ id }) => id);
  const warnings: [boolean, string][] = [
    [facts.frequency === null, "Times are irregular: steps have no fixed length, and there is no season."],
    [single.length > 0, `Series with a single row: ${nameList(single)}.`],
    [short.length > 0, `Series shorter than two seasons of ${season} steps: ${nameList(short)}.`],
    [empty.length > 0, `Series with a target that has no value: ${nameList(empty)}.`],
    [constant.length > 0, `Series with a constant target: ${nameList(constant)}.`],
    [
      unordered.length > 0,
      `Series whose rows were not sorted by time, and were sorted: ${nameList(unordered)}.`,
    ],
    [
      facts.duplicates > 0,
      `${facts.duplicates} rows had the same time as another row of their series, and were merged.`,
    ],
    [
      facts.missingShare >= MANY_MISSING,
      `${Math.round(facts.missingShare * 100)} % of the target values are missing.`,
    ],
    [facts.ignored.length > 0, `Unused columns: ${nameList(facts.ignored)}.`],
  ];
  return warnings.flatMap(([applies, sentence]) => (applies ? [sentence] : []));
}

/** A note with a capital letter and a full stop. */
function sentence(note: string): string {
  return `${note[0].toUpperCase()}${note.slice(1)}.`;
}

function missingIn(values: Float64Array): number {
  return values.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
}

/** Whether at least two values are observed and all are equal. */
function isConstant(values: Float64Array): boolean {
  const observed = values.filter((value) => !Number.isNaN(value));
  return observed.length > 1 && observed.every((value) => value === observed[0]);
}
