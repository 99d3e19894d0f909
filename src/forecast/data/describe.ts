// What a table holds, for people to look at before anything is learned from it.

import type { Panel, Series } from "../types.ts";
import { frequencyText } from "./frequency.ts";
import type { PanelResult } from "./panel.ts";
import type { Table } from "./table.ts";
import { listed } from "./table-error.ts";
import { writtenTime } from "./times.ts";

export interface CovariateDescription {
  readonly name: string;
  readonly kind: "numeric" | "categorical";
  readonly role: "past" | "known" | "static";
  /** How many different levels, of a categorical one. */
  readonly levels: number | null;
  /** Rows without a value. */
  readonly missing: number;
}

export interface Description {
  readonly series: number;
  /** Rows of the file. */
  readonly rows: number;
  readonly targets: readonly string[];
  /** First and last time of a target, in ISO form; as numbers where times count steps. */
  readonly from: string | number;
  readonly to: string | number;
  /** As 1h, D, or 1 where times count steps; null where times are irregular. */
  readonly frequency: string | null;
  readonly season: number;
  /** Steps of the shortest and of the longest series. */
  readonly shortest: number;
  readonly longest: number;
  /** Target values that are not there, those of inserted rows too; and their share. */
  readonly missing: number;
  readonly missingShare: number;
  /** Rows put in where the file had none. */
  readonly inserted: number;
  readonly longestGap: number;
  readonly duplicates: number;
  /** Rows ahead, of which only covariates are known. */
  readonly future: number;
  /** Ids of series whose rows were not in the order of time. */
  readonly unordered: readonly string[];
  /** Ids of series with a target that never changes. */
  readonly constant: readonly string[];
  /** Ids of series with a target that is never there. */
  readonly empty: readonly string[];
  readonly covariates: readonly CovariateDescription[];
  readonly ignored: readonly string[];
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** A share of missing values that is worth a warning. */
const MANY_MISSING = 0.2;

/** Describes a table and the panel made of it. */
export function describeTable(table: Table, { panel, reports }: PanelResult): Description {
  const { series } = panel;
  const lengths = series.map(({ times }) => times.length);
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  const values = total(lengths) * panel.targets.length;
  const missing = total(series.flatMap(({ targets }) => targets.map(missingIn)));
  const idsOf = (wanted: (one: Series) => boolean) => series.filter(wanted).map(({ id }) => id);
  const written = (time: number) => writtenTime(time, panel.frequency);
  const facts = {
    series: series.length,
    rows: table.times.length,
    targets: panel.targets,
    from: written(series.reduce((least, { times }) => Math.min(least, times[0]), Number.POSITIVE_INFINITY)),
    to: written(
      series.reduce((most, { times }) => Math.max(most, times[times.length - 1]), Number.NEGATIVE_INFINITY),
    ),
    frequency: panel.frequency === null ? null : frequencyText(panel.frequency),
    season: panel.season,
    shortest: lengths.reduce((a, b) => Math.min(a, b)),
    longest: lengths.reduce((a, b) => Math.max(a, b)),
    missing,
    missingShare: missing / values,
    inserted: total(reports.map(({ inserted }) => inserted)),
    longestGap: reports.reduce((most, { longestGap }) => Math.max(most, longestGap), 0),
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
    ignored: table.ignored,
  };
  return { ...facts, warnings: warningsOf(facts, panel) };
}

function warningsOf(facts: Omit<Description, "warnings">, { season, series }: Panel): string[] {
  const { constant, empty, unordered } = facts;
  const short = series.filter(({ times }) => season > 1 && times.length < 2 * season).map(({ id }) => id);
  const single = series.filter(({ times }) => times.length === 1).map(({ id }) => id);
  const said: [boolean, string][] = [
    [facts.frequency === null, "Times are irregular: steps have no fixed length, and there is no season."],
    [single.length > 0, `With one row only: ${listed(single)}.`],
    [short.length > 0, `Shorter than two seasons of ${season} steps: ${listed(short)}.`],
    [empty.length > 0, `Without any value of a target: ${listed(empty)}.`],
    [constant.length > 0, `With a target that never changes: ${listed(constant)}.`],
    [unordered.length > 0, `Rows were not in the order of time, and were sorted: ${listed(unordered)}.`],
    [
      facts.duplicates > 0,
      `${facts.duplicates} rows had the time of another row of their series, and were joined.`,
    ],
    [
      facts.missingShare >= MANY_MISSING,
      `${Math.round(facts.missingShare * 100)} % of the target values are missing.`,
    ],
    [facts.ignored.length > 0, `Columns that were not used: ${listed(facts.ignored)}.`],
  ];
  return said.flatMap(([holds, sentence]) => (holds ? [sentence] : []));
}

function missingIn(values: Float64Array): number {
  return values.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
}

/** Whether at least two values are there and all are the same. */
function isConstant(values: Float64Array): boolean {
  const there = values.filter((value) => !Number.isNaN(value));
  return there.length > 1 && there.every((value) => value === there[0]);
}
