// A table of time series in memory: columns of rows that are sorted by series and time.
//
// A table is the raw content of a file. Times may be duplicated and rows may be missing; `panelFromTable` turns it into
// a panel.

import { TableError } from "../../formats/tables/table-error.ts";
import type { CovariateValues } from "../types.ts";

/** A column to forecast. */
export interface TargetColumn {
  readonly name: string;
  /** NaN where missing. */
  readonly values: Float64Array; // [N]
}

/** A column that helps to forecast the targets. */
export interface CovariateColumn {
  readonly name: string;
  readonly kind: "numeric" | "categorical";
  readonly role: CovariateRole;
  readonly values: CovariateValues; // [N]
}

/** When a covariate is known: only up to the cutoff, also in the future, or as one value per series. */
export type CovariateRole = "past" | "known-future" | "static";

/** The rows of a file, sorted by series and time. */
export interface Table {
  /** Names of the series, in the order of their first rows. */
  readonly ids: readonly string[]; // [S]
  /** Series s has the rows from offsets[s] up to offsets[s + 1]. */
  readonly offsets: readonly number[]; // [S + 1]
  /** Row number in the file, counted from 1 below the header. */
  readonly fileRows: Int32Array; // [N]
  /** Milliseconds since 1970 in UTC, or step numbers; not decreasing within a series. */
  readonly times: Float64Array; // [N]
  /** True if times are integers that count steps, false if they are timestamps. */
  readonly timesAreSteps: boolean;
  readonly targets: readonly TargetColumn[];
  readonly covariates: readonly CovariateColumn[];
  /** Columns of the file that were not read. */
  readonly ignoredColumns: readonly string[];
  /** One sentence per choice that was made for the user, without a capital letter and a full stop. */
  readonly notes: readonly string[];
}

/** Columns of a table that a program provides. Rows may have any order. */
export interface TableInput {
  /** Name of the series of each row. Omit for a single series. */
  readonly ids?: readonly string[]; // [N]
  readonly times: ArrayLike<number>; // [N]
  /** True if times are integers that count steps. Default: false, timestamps in milliseconds since 1970. */
  readonly timesAreSteps?: boolean;
  readonly targets: Readonly<Record<string, ArrayLike<number>>>; // each [N]
  readonly covariates?: readonly CovariateColumn[];
}

/** Name of the only series of a table without a column of series names. */
export const DEFAULT_SERIES_ID = "series";

/**
 * Creates a table from columns in memory: checks them and sorts the rows.
 *
 * @example
 * ```ts
 * import { data } from "gflownet/forecast";
 *
 * const table = data.tableFromColumns({ times: [3, 1, 2], timesAreSteps: true, targets: { y: [30, 10, 20] } });
 * const { panel } = data.panelFromTable(table);
 * console.log(panel.series[0].targets[0].join(" ")); // 10 20 30
 * ```
 */
export function tableFromColumns({
  ids,
  times,
  timesAreSteps = false,
  targets,
  covariates = [],
}: TableInput): Table {
  const count = times.length;
  if (count === 0) throw new TableError("A table needs at least one row, got none");
  const columns = [
    ...(ids === undefined ? [] : [{ name: "ids", values: ids }]),
    ...Object.entries(targets).map(([name, values]) => ({ name, values })),
    ...covariates,
  ];
  for (const { name, values } of columns) {
    if (values.length !== count) {
      throw new TableError(`Column ${name} must have ${count} rows as times have, got ${values.length}`);
    }
  }
  if (Object.keys(targets).length === 0) throw new TableError("A table needs at least one target, got none");
  checkFinite("times", times, { allowMissing: false });
  if (timesAreSteps) checkIntegers(times);
  for (const [name, values] of Object.entries(targets)) checkFinite(name, values, { allowMissing: true });
  for (const { name, values } of covariates)
    if (values instanceof Float64Array) checkFinite(name, values, { allowMissing: true });

  const order = new Map<string, number>();
  const series = Int32Array.from({ length: count }, (_, i) => {
    const id = ids?.[i] ?? DEFAULT_SERIES_ID;
    if (!order.has(id)) order.set(id, order.size);
    return order.get(id)!;
  }); // [N]
  const fileRows = Int32Array.from({ length: count }, (_, i) => i + 1); // [N]
  fileRows.sort((a, b) => series[a - 1] - series[b - 1] || times[a - 1] - times[b - 1] || a - b);
  const sizes = new Array<number>(order.size).fill(0);
  for (const s of series) sizes[s] += 1;
  const sorted = (values: ArrayLike<number>) => Float64Array.from(fileRows, (row) => values[row - 1]); // [N]
  return {
    ids: [...order.keys()],
    offsets: rowOffsets(sizes),
    fileRows,
    times: sorted(times),
    timesAreSteps,
    targets: Object.entries(targets).map(([name, values]) => ({ name, values: sorted(values) })),
    covariates: covariates.map((column) => ({
      ...column,
      values:
        column.values instanceof Float64Array
          ? sorted(column.values)
          : Array.from(fileRows, (row) => column.values[row - 1] as string | null),
    })),
    ignoredColumns: [],
    notes: [],
  };
}

/** Start of each block of rows, and the end of the last block: [blocks + 1]. */
export function rowOffsets(sizes: readonly number[]): number[] {
  const offsets = [0];
  for (const size of sizes) offsets.push(offsets[offsets.length - 1] + size);
  return offsets;
}

function checkIntegers(times: ArrayLike<number>): void {
  const at = Array.prototype.findIndex.call(times, (time: number) => !Number.isSafeInteger(time));
  if (at < 0) return;
  throw new TableError(`Row ${at + 1}: times that count steps must be whole numbers, got ${times[at]}`);
}

function checkFinite(
  name: string,
  values: ArrayLike<number>,
  { allowMissing }: { readonly allowMissing: boolean },
): void {
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i]) || (allowMissing && Number.isNaN(values[i]))) continue;
    throw new TableError(`Row ${i + 1}, column ${name}: a finite number is needed, got ${values[i]}`);
  }
}
