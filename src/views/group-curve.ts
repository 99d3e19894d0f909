// Mean and sample standard deviation of a metric over the entries of a group. They come from all points of all entries,
// never from thinned curves, so that they do not depend on what a page shows.

import { mean, standardDeviation } from "../math/statistics.ts";
import { columnEnds, meanOf, rangeOf } from "./thin-curve.ts";
import type { Curve } from "./x-axis.ts";

export interface GroupCurve {
  readonly x: number[];
  readonly mean: number[];
  /** 0 where one entry has a value. */
  readonly deviation: number[];
  /** Number of entries with a value. */
  readonly count: number[];
}

/**
 * If the entries together have at most `columns` different x, the group has exactly these. Otherwise it has columns of equal
 * width, in which an entry counts with the mean of its points. Between its points, an entry is interpolated linearly; before
 * its first and after its last one it does not count.
 */
export function groupCurve(
  curves: readonly Curve[],
  columns: number,
  from?: number,
  to?: number,
): GroupCurve {
  const parts = curves.map((curve) => partOf(curve, from, to)).filter(({ middle }) => middle.length > 0);
  const all = parts.every(({ middle }) => middle.length <= columns)
    ? new Set(parts.flatMap(({ middle }) => [...middle]))
    : null;
  const { x, rows } =
    all && all.size <= columns
      ? atAll(
          parts,
          [...all].sort((a, b) => a - b),
        )
      : inColumns(parts, columns);
  const group: GroupCurve = { x: [], mean: [], deviation: [], count: [] };
  for (let i = 0; i < x.length; i++) {
    const values = rows.map((row) => row[i]).filter((value) => !Number.isNaN(value));
    if (values.length === 0) continue;
    group.x.push(x[i]);
    group.mean.push(mean(values));
    group.deviation.push(values.length > 1 ? standardDeviation(values) : 0);
    group.count.push(values.length);
  }
  return group;
}

type Part = Pick<Curve, "middle" | "mean" | "weight">;

interface Grid {
  readonly x: readonly number[];
  /** A value of each entry at each x; NaN where it has none. */
  readonly rows: readonly Float64Array[];
}

function partOf(curve: Curve, from?: number, to?: number): Part {
  const [first, end] = rangeOf(curve, from, to);
  const part = (values: Float64Array) => values.subarray(first, end);
  return {
    middle: part(curve.middle),
    mean: part(curve.mean),
    weight: curve.weight && part(curve.weight),
  };
}

function atAll(parts: readonly Part[], x: readonly number[]): Grid {
  return {
    x,
    rows: parts.map((part) => {
      const row = new Float64Array(x.length).fill(Number.NaN);
      let at = 0;
      for (let i = 0; i < part.middle.length; i++) {
        while (x[at] < part.middle[i]) at++;
        row[at] = part.mean[i]; // the latest of several points at one x
      }
      return interpolated(row, x);
    }),
  };
}

function inColumns(parts: readonly Part[], columns: number): Grid {
  const from = Math.min(...parts.map(({ middle }) => middle[0]));
  const to = Math.max(...parts.map(({ middle }) => middle[middle.length - 1]));
  const xSums = new Float64Array(columns);
  const xWeights = new Float64Array(columns);
  const rows = parts.map((part) => {
    const row = new Float64Array(columns).fill(Number.NaN);
    let start = 0;
    columnEnds(part.middle, 0, { from, to, columns }).forEach((stop, column) => {
      if (stop === start) return;
      const { points, x, value } = meanOf(part, start, stop);
      row[column] = value;
      xSums[column] += points * x;
      xWeights[column] += points;
      start = stop;
    });
    return row;
  });
  // A column in which no entry has a point is left out.
  const used = [...xWeights.keys()].filter((column) => xWeights[column] > 0);
  const x = used.map((column) => xSums[column] / xWeights[column]);
  return {
    x,
    rows: rows.map((row) =>
      interpolated(
        Float64Array.from(used, (column) => row[column]),
        x,
      ),
    ),
  };
}

/** Fills gaps between two values. */
function interpolated(row: Float64Array, x: readonly number[]): Float64Array {
  let before = -1;
  for (let i = 0; i < row.length; i++) {
    if (Number.isNaN(row[i])) continue;
    for (let gap = before + 1; before >= 0 && gap < i; gap++) {
      const share = (x[gap] - x[before]) / (x[i] - x[before]);
      row[gap] = row[before] + share * (row[i] - row[before]);
    }
    before = i;
  }
  return row;
}
