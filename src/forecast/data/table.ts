// A table of time series in memory: rows sorted by series and time, column by column.
//
// It is what was read, not yet a panel: times may appear twice, and there may be gaps.

import type { CovariateValues } from "../types.ts";
import { TableError } from "./table-error.ts";

export interface TargetColumn {
  readonly name: string;
  /** NaN where missing. */
  readonly values: Float64Array; // [N]
}

export interface CovariateColumn {
  readonly name: string;
  readonly kind: "numeric" | "categorical";
  /** Past: seen with the targets; known: ahead, too; static: one value per series. */
  readonly role: "past" | "known" | "static";
  readonly values: CovariateValues; // [N]
}

export interface Table {
  /** In the order in which they first appear. */
  readonly ids: readonly string[]; // [S]
  /** Rows of series s go from starts[s] up to starts[s + 1]. */
  readonly starts: readonly number[]; // [S + 1]
  /** Where each row stood in the file; the first below the header is 1. */
  readonly rows: Int32Array; // [N]
  /** Milliseconds since 1970 in UTC, or numbers that count steps; rising or equal within a series. */
  readonly times: Float64Array; // [N]
  /** Whether times count steps, and are no moments. */
  readonly counted: boolean;
  readonly targets: readonly TargetColumn[];
  readonly covariates: readonly CovariateColumn[];
  /** Columns of the file that were not asked for. */
  readonly ignored: readonly string[];
}

/** Columns as a program has them, in any order of rows. */
export interface TableInput {
  /** Left out for a single series. */
  readonly ids?: readonly string[]; // [N]
  readonly times: ArrayLike<number>; // [N]
  /** See `Table`; moments if not given. */
  readonly counted?: boolean;
  readonly targets: Readonly<Record<string, ArrayLike<number>>>; // each [N]
  readonly covariates?: readonly CovariateColumn[];
}

/** The name of a series that has none. */
export const SINGLE_SERIES = "series";

/** A table of columns in memory: sorted, and checked as a file is. */
export function tableOf({ ids, times, counted = false, targets, covariates = [] }: TableInput): Table {
  const count = times.length;
  if (count === 0) throw new TableError("A table needs at least one row, got none");
  const named = [
    ...(ids === undefined ? [] : [{ name: "ids", values: ids }]),
    ...Object.entries(targets).map(([name, values]) => ({ name, values })),
    ...covariates,
  ];
  for (const { name, values } of named) {
    if (values.length !== count) {
      throw new TableError(`Column ${name} must have ${count} rows as times have, got ${values.length}`);
    }
  }
  if (Object.keys(targets).length === 0) throw new TableError("A table needs at least one target, got none");
  checkFinite("times", times, false);
  if (counted) checkWhole(times);
  for (const [name, values] of Object.entries(targets)) checkFinite(name, values, true);
  for (const { name, values } of covariates)
    if (values instanceof Float64Array) checkFinite(name, values, true);

  const order = new Map<string, number>();
  const series = Int32Array.from({ length: count }, (_, i) => {
    const id = ids?.[i] ?? SINGLE_SERIES;
    if (!order.has(id)) order.set(id, order.size);
    return order.get(id)!;
  }); // [N]
  const rows = Int32Array.from({ length: count }, (_, i) => i + 1); // [N]
  rows.sort((a, b) => series[a - 1] - series[b - 1] || times[a - 1] - times[b - 1] || a - b);
  const sizes = new Array<number>(order.size).fill(0);
  for (const s of series) sizes[s] += 1;
  const pick = (values: ArrayLike<number>) => Float64Array.from(rows, (row) => values[row - 1]); // [N]
  return {
    ids: [...order.keys()],
    starts: startsOf(sizes),
    rows,
    times: pick(times),
    counted,
    targets: Object.entries(targets).map(([name, values]) => ({ name, values: pick(values) })),
    covariates: covariates.map((column) => ({
      ...column,
      values:
        column.values instanceof Float64Array
          ? pick(column.values)
          : Array.from(rows, (row) => column.values[row - 1] as string | null),
    })),
    ignored: [],
  };
}

/** Where each block of rows starts, and where the last one ends. */
export function startsOf(sizes: readonly number[]): number[] {
  const starts = [0];
  for (const size of sizes) starts.push(starts[starts.length - 1] + size);
  return starts;
}

function checkWhole(times: ArrayLike<number>): void {
  const at = Array.prototype.findIndex.call(times, (time: number) => !Number.isSafeInteger(time));
  if (at < 0) return;
  throw new TableError(`Row ${at + 1}: times that count steps must be whole numbers, got ${times[at]}`);
}

function checkFinite(name: string, values: ArrayLike<number>, missing: boolean): void {
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i]) || (missing && Number.isNaN(values[i]))) continue;
    throw new TableError(`Row ${i + 1}, column ${name}: a finite number is needed, got ${values[i]}`);
  }
}
