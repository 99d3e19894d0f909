// Mean and sample standard deviation of a metric over the entries of a group. They come from all points of all entries,
// never from thinned curves, so that they do not depend on what a page shows.

import { mean, standardDeviation } from "../math/statistics.ts";
import { columnTotals } from "./column-totals.ts";
import { rangeOf } from "./thin-curve.ts";
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
  const all = commonPlaces(parts, columns);
  const { x, rows } = all ? atAll(parts, all) : inColumns(parts, columns);
  const group: GroupCurve = { x: [], mean: [], deviation: [], count: [] };
  const values = new Float64Array(rows.length);
  for (let i = 0; i < x.length; i++) {
    let count = 0;
    for (const row of rows) if (!Number.isNaN(row[i])) values[count++] = row[i];
    if (count === 0) continue;
    const present = values.subarray(0, count);
    group.x.push(x[i]);
    group.mean.push(mean(present));
    group.deviation.push(count > 1 ? standardDeviation(present) : 0);
    group.count.push(count);
  }
  return group;
}

/** All different x of the entries in ascending order; null if they are more than the columns. */
function commonPlaces(parts: readonly Part[], columns: number): ArrayLike<number> | null {
  if (parts.length === 0 || parts.some(({ middle }) => middle.length > columns)) return null;
  const [{ middle: first }] = parts;
  // Most groups have the same x in all entries.
  const isCommon = ({ middle }: Part) => {
    if (middle.length !== first.length) return false;
    for (let i = 0; i < middle.length; i++) {
      if (middle[i] !== first[i] || middle[i] === first[i - 1]) return false;
    }
    return true;
  };
  if (parts.every(isCommon)) return first;
  const all = new Set(parts.flatMap(({ middle }) => [...middle]));
  return all.size > columns ? null : Float64Array.from(all).sort();
}

/** The part of a curve that is in the range, by its indices and by its values. */
interface Part extends Pick<Curve, "middle" | "mean"> {
  readonly curve: Curve;
  readonly first: number;
  readonly end: number;
}

interface Grid {
  readonly x: ArrayLike<number>;
  /** A value of each entry at each x; NaN where it has none. */
  readonly rows: readonly Float64Array[];
}

function partOf(curve: Curve, from?: number, to?: number): Part {
  const [first, end] = rangeOf(curve, from, to);
  const part = (values: Float64Array) => values.subarray(first, end);
  return { curve, first, end, middle: part(curve.middle), mean: part(curve.mean) };
}

function atAll(parts: readonly Part[], x: ArrayLike<number>): Grid {
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
  const rows = parts.map(({ curve, first, end }) => {
    const row = new Float64Array(columns).fill(Number.NaN);
    const { ends, points, sum } = columnTotals(curve, { first, end, from, to, columns });
    for (let column = 0, start = first; column < columns; column++) {
      const count = points[column];
      if (count === 0) continue;
      row[column] = sum[column] / count;
      xSums[column] += (count * (curve.middle[start] + curve.middle[ends[column] - 1])) / 2;
      xWeights[column] += count;
      start = ends[column];
    }
    return row;
  });
  // A column in which no entry has a point is left out.
  const used = [...xWeights.keys()].filter((column) => xWeights[column] > 0);
  const x = used.map((column) => xSums[column] / xWeights[column]);
  return { x, rows: rows.map((row) => interpolated(chosen(row, used), x)) };
}

function chosen(row: Float64Array, columns: readonly number[]): Float64Array {
  const values = new Float64Array(columns.length);
  for (let i = 0; i < columns.length; i++) values[i] = row[columns[i]];
  return values;
}

/** Fills gaps between two values. */
function interpolated(row: Float64Array, x: ArrayLike<number>): Float64Array {
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
