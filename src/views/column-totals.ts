// Number, sum and extremes of the points of a curve in columns of equal width. The entries of a group and the group itself
// often have the same columns, and so has a page that shows the whole range again: the last totals of a curve are kept.

import { firstFrom } from "./sorted-search.ts";
import type { Curve } from "./x-axis.ts";

/** Columns of equal width from one x to another, for the points between two indices. */
export interface Columns {
  readonly first: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
  readonly columns: number;
}

/** By column; the last one has the rest of the points. One without points has `points = 0`. */
export interface ColumnTotals {
  /** The index of the curve that each column ends before; it begins where the one before ends. */
  readonly ends: Uint32Array;
  readonly points: Float64Array;
  readonly sum: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Totals that are kept per curve: those of the whole range and of a part. */
const MOST_KEPT = 2;
const KEPT = new WeakMap<Curve, Map<string, ColumnTotals>>();

export function columnTotals(curve: Curve, columns: Columns): ColumnTotals {
  let kept = KEPT.get(curve);
  if (!kept) {
    kept = new Map();
    KEPT.set(curve, kept);
  }
  const key = Object.values(columns).join();
  const totals = kept.get(key) ?? computedTotals(curve, columns);
  kept.delete(key);
  kept.set(key, totals);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
  return totals;
}

/** Memory of the totals that are kept of a curve. */
export function totalsBytes(curve: Curve): number {
  const all = [...(KEPT.get(curve)?.values() ?? [])].flatMap((totals) => Object.values(totals));
  return all.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function computedTotals(curve: Curve, columns: Columns): ColumnTotals {
  const ends = columnEnds(curve.middle, columns);
  const [points, sum, low, high] = Array.from({ length: 4 }, () => new Float64Array(ends.length));
  const totals = { ends, points, sum, low, high };
  for (let column = 0, start = columns.first; column < ends.length; column++) {
    if (ends[column] > start) addTotal(totals, column, curve, start);
    start = ends[column];
  }
  return totals;
}

/** One loop over local variables: there are millions of points, and a page waits. */
function addTotal(
  totals: ColumnTotals,
  column: number,
  { mean, weight, low, high }: Curve,
  start: number,
): void {
  const stop = totals.ends[column];
  let points = 0;
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  if (weight === null) {
    // Each interval is a point, which is its own extreme.
    for (let i = start; i < stop; i++) {
      const value = mean[i];
      sum += value;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    points = stop - start;
  } else {
    for (let i = start; i < stop; i++) {
      points += weight[i];
      sum += weight[i] * mean[i];
      least = Math.min(least, low[i]);
      most = Math.max(most, high[i]);
    }
  }
  totals.points[column] = points;
  totals.sum[column] = sum;
  totals.low[column] = least;
  totals.high[column] = most;
}

function columnEnds(x: Float64Array, { first, end, from, to, columns }: Columns): Uint32Array {
  const ends = new Uint32Array(columns);
  let start = first;
  // The next end is about as far away as the last one was, so the search begins there.
  let stride = 1;
  for (let column = 0; column < columns - 1; column++) {
    const edge = from + ((to - from) * (column + 1)) / columns;
    let below = start;
    let above = Math.min(start + stride, end);
    while (above < end && x[above] < edge) {
      below = above + 1;
      above = Math.min(above + stride, end);
    }
    const found = firstFrom(x, edge, below, above);
    stride = Math.max(1, found - start);
    start = found;
    ends[column] = start;
  }
  ends[columns - 1] = end;
  return ends;
}
