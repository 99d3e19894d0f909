// The rows of one series between table and panel: duplicate times merged, rows aggregated to longer steps, and missing
// steps inserted.

import { quote, TableError } from "../../formats/tables/table-error.ts";
import type { CovariateValues, Frequency } from "../types.ts";
import { AGGREGATES, type Aggregate } from "./option-names.ts";
import type { Table } from "./table.ts";
import { floorTime, isoTime, type TimeGrid } from "./time-grid.ts";

export interface SeriesRows {
  readonly id: string;
  /** Row number of each row in the file. */
  readonly fileRows: Int32Array; // [T]
  readonly times: Float64Array; // [T]
  readonly targets: readonly Float64Array[]; // each [T]
  /** One array per covariate of the table, static ones included. */
  readonly covariates: readonly CovariateValues[]; // each [T]
}

/** The rows of series s of a table, as views without a copy. */
export function seriesRows(
  { ids, offsets, fileRows, times, targets, covariates }: Table,
  s: number,
): SeriesRows {
  const [from, to] = [offsets[s], offsets[s + 1]];
  return {
    id: ids[s],
    fileRows: fileRows.subarray(from, to),
    times: times.subarray(from, to),
    targets: targets.map(({ values }) => values.subarray(from, to)),
    covariates: covariates.map(({ values }) => sliceValues(values, from, to)),
  };
}

/** Merges rows with equal times. Throws if there are such rows and no aggregate is given. */
export function mergeDuplicates(
  rows: SeriesRows,
  aggregate: Aggregate | undefined,
  timesAreSteps = false,
): SeriesRows {
  const { id, fileRows, times } = rows;
  const at = times.findIndex((time, i) => i > 0 && time === times[i - 1]);
  if (at < 0) return rows;
  if (aggregate === undefined) {
    const time = timesAreSteps ? times[at] : isoTime(times[at]);
    throw new TableError(
      `row ${fileRows[at]} has the same time as row ${fileRows[at - 1]} in series ${quote(id)}, ${time}; ` +
        `choose one of ${AGGREGATES.join(", ")} to merge them`,
      { path: "duplicates", code: "duplicate" },
    );
  }
  return mergeEqualTimes(rows, times, aggregate);
}

/** Aggregates rows to calendar steps; each step has the time of its start. */
export function resample(rows: SeriesRows, every: Frequency, aggregate: Aggregate): SeriesRows {
  return mergeEqualTimes(
    rows,
    rows.times.map((time) => floorTime(time, every)),
    aggregate,
  );
}

/** Adds rows of missing values, so that every step from the first time to the last has a row. */
export function insertMissingSteps(rows: SeriesRows, grid: TimeGrid): SeriesRows {
  const { times } = rows;
  const steps = grid.stepOf(times[times.length - 1])! + 1;
  if (steps === times.length) return rows;
  const stepNumbers = Int32Array.from(times, (time) => grid.stepOf(time)!); // [T]
  const onGrid = (values: Float64Array) => {
    const all = new Float64Array(steps).fill(Number.NaN); // [steps]
    for (const [i, step] of stepNumbers.entries()) all[step] = values[i];
    return all;
  };
  const fileRows = new Int32Array(steps); // [steps]
  for (const [i, step] of stepNumbers.entries()) fileRows[step] = rows.fileRows[i];
  return {
    id: rows.id,
    fileRows,
    times: Float64Array.from({ length: steps }, (_, step) => grid.at(step)),
    targets: rows.targets.map(onGrid),
    covariates: rows.covariates.map((values) => {
      if (values instanceof Float64Array) return onGrid(values);
      const all = new Array<string | null>(steps).fill(null);
      for (const [i, step] of stepNumbers.entries()) all[step] = values[i];
      return all;
    }),
  };
}

/** Values from one index up to another, without a copy where possible. */
export function sliceValues<T extends CovariateValues>(values: T, from: number, to: number): T {
  return (values instanceof Float64Array ? values.subarray(from, to) : values.slice(from, to)) as T;
}

/** Merges consecutive rows whose new times are equal. */
function mergeEqualTimes(
  { id, fileRows, targets, covariates }: SeriesRows,
  times: Float64Array,
  aggregate: Aggregate,
): SeriesRows {
  const starts = Array.from(times.keys()).filter((i) => i === 0 || times[i] !== times[i - 1]);
  const ends = [...starts.slice(1), times.length];
  // A sum of covariates such as prices or temperatures is meaningless, so they get the mean.
  const covariateAggregate = aggregate === "sum" ? "mean" : aggregate;
  const merged = (values: Float64Array, method: Aggregate) =>
    Float64Array.from(starts, (start, i) => aggregateValues(values.subarray(start, ends[i]), method));
  return {
    id,
    fileRows: Int32Array.from(starts, (start) => fileRows[start]),
    times: Float64Array.from(starts, (start) => times[start]),
    targets: targets.map((values) => merged(values, aggregate)),
    covariates: covariates.map((values) => {
      if (values instanceof Float64Array) return merged(values, covariateAggregate);
      return starts.map((start, i) => {
        const levels = values.slice(start, ends[i]).filter((level) => level !== null);
        return levels[aggregate === "first" ? 0 : levels.length - 1] ?? null;
      });
    }),
  };
}

function aggregateValues(values: Float64Array, method: Aggregate): number {
  const observed = values.filter((value) => !Number.isNaN(value));
  if (observed.length === 0) return Number.NaN;
  const sum = observed.reduce((total, value) => total + value, 0);
  switch (method) {
    case "mean":
      return sum / observed.length;
    case "sum":
      return sum;
    case "first":
      return observed[0];
    case "last":
      return observed[observed.length - 1];
    default:
      return method satisfies never;
  }
}
