// Rows of one series on their way from a table to a panel: equal times joined, gaps filled with rows that are missing.

import type { CovariateValues, Frequency } from "../types.ts";
import type { Table } from "./table.ts";
import { quoted, TableError } from "./table-error.ts";
import { floorTime, isoTime, type TimeGrid } from "./times.ts";

export const AGGREGATES = ["mean", "sum", "last", "first"] as const;
/** What becomes of several values at one time; missing ones are left out. */
export type Aggregate = (typeof AGGREGATES)[number];

export interface Draft {
  readonly id: string;
  /** Where each row stood in the file. */
  readonly rows: Int32Array; // [T]
  readonly times: Float64Array; // [T]
  readonly targets: readonly Float64Array[]; // each [T]
  /** One per covariate of the table, static ones too. */
  readonly covariates: readonly CovariateValues[]; // each [T]
}

/** The rows of one series of a table, not copied. */
export function draftOf({ ids, starts, rows, times, targets, covariates }: Table, s: number): Draft {
  const [from, to] = [starts[s], starts[s + 1]];
  return {
    id: ids[s],
    rows: rows.subarray(from, to),
    times: times.subarray(from, to),
    targets: targets.map(({ values }) => values.subarray(from, to)),
    covariates: covariates.map(({ values }) => cut(values, from, to)),
  };
}

/** Rows of one time made one; without a way to do so, they are an error. */
export function joinEqual(draft: Draft, aggregate: Aggregate | undefined, counted = false): Draft {
  const { id, rows, times } = draft;
  const at = times.findIndex((time, i) => i > 0 && time === times[i - 1]);
  if (at < 0) return draft;
  if (aggregate === undefined) {
    throw new TableError(
      `Row ${rows[at]} has the same time as row ${rows[at - 1]} in series ${quoted(id)}, ${counted ? times[at] : isoTime(times[at])}; ` +
        `set aggregate to one of ${AGGREGATES.join(", ")} to join them`,
    );
  }
  return join(draft, times, aggregate);
}

/** Rows gathered in steps of the calendar, each at its start. */
export function resample(draft: Draft, every: Frequency, aggregate: Aggregate): Draft {
  return join(
    draft,
    draft.times.map((time) => floorTime(time, every)),
    aggregate,
  );
}

/** Rows for all steps between the first and the last; new ones hold nothing. */
export function complete(draft: Draft, grid: TimeGrid): Draft {
  const { times } = draft;
  const steps = grid.stepOf(times[times.length - 1])! + 1;
  if (steps === times.length) return draft;
  const places = Int32Array.from(times, (time) => grid.stepOf(time)!); // [T]
  const spread = (values: Float64Array) => {
    const all = new Float64Array(steps).fill(Number.NaN); // [steps]
    for (const [i, place] of places.entries()) all[place] = values[i];
    return all;
  };
  const rows = new Int32Array(steps); // [steps]
  for (const [i, place] of places.entries()) rows[place] = draft.rows[i];
  return {
    id: draft.id,
    rows,
    times: Float64Array.from({ length: steps }, (_, step) => grid.at(step)),
    targets: draft.targets.map(spread),
    covariates: draft.covariates.map((values) => {
      if (values instanceof Float64Array) return spread(values);
      const all = new Array<string | null>(steps).fill(null);
      for (const [i, place] of places.entries()) all[place] = values[i];
      return all;
    }),
  };
}

/** Rows from one place up to another. */
export function cut<T extends CovariateValues>(values: T, from: number, to: number): T {
  return (values instanceof Float64Array ? values.subarray(from, to) : values.slice(from, to)) as T;
}

function join({ id, rows, targets, covariates }: Draft, times: Float64Array, aggregate: Aggregate): Draft {
  const starts = Array.from(times.keys()).filter((i) => i === 0 || times[i] !== times[i - 1]);
  const ends = [...starts.slice(1), times.length];
  // The sum of prices or temperatures means nothing.
  const beside = aggregate === "sum" ? "mean" : aggregate;
  const joined = (values: Float64Array, how: Aggregate) =>
    Float64Array.from(starts, (start, i) => aggregated(values.subarray(start, ends[i]), how));
  return {
    id,
    rows: Int32Array.from(starts, (start) => rows[start]),
    times: Float64Array.from(starts, (start) => times[start]),
    targets: targets.map((values) => joined(values, aggregate)),
    covariates: covariates.map((values) => {
      if (values instanceof Float64Array) return joined(values, beside);
      return starts.map((start, i) => {
        const levels = values.slice(start, ends[i]).filter((level) => level !== null);
        return levels[aggregate === "first" ? 0 : levels.length - 1] ?? null;
      });
    }),
  };
}

function aggregated(values: Float64Array, how: Aggregate): number {
  const there = values.filter((value) => !Number.isNaN(value));
  if (there.length === 0) return Number.NaN;
  const sum = there.reduce((total, value) => total + value, 0);
  switch (how) {
    case "mean":
      return sum / there.length;
    case "sum":
      return sum;
    case "first":
      return there[0];
    case "last":
      return there[there.length - 1];
    default:
      return how satisfies never;
  }
}
