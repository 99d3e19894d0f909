// Thins a curve to columns, about the pixels of a chart, with the smallest, the largest and the mean value of each. The mean
// of a column is that of all of its points.

import { columnTotals } from "./column-totals.ts";
import { numbersOf } from "./numbers.ts";
import { firstAfter, firstFrom } from "./sorted-search.ts";
import type { Curve } from "./x-axis.ts";

export interface ThinCurve {
  readonly x: number[];
  readonly low: number[];
  readonly high: number[];
  readonly mean: number[];
  /** Number of points in the range, before thinning. */
  readonly points: number;
}

/** The part of a curve whose x is in [from, to], in at most this many columns. A column without points is left out. */
export function thinCurve(curve: Curve, columns: number, from?: number, to?: number): ThinCurve {
  const [first, end] = rangeOf(curve, from, to);
  const { middle, low, high, mean, weight } = curve;
  if (end - first <= columns) {
    const part = (values: Float64Array) => numbersOf(values, first, end);
    const points = weight?.subarray(first, end).reduce((sum, count) => sum + count, 0) ?? end - first;
    return { x: part(middle), low: part(low), high: part(high), mean: part(mean), points };
  }
  const totals = columnTotals(curve, { first, end, from: middle[first], to: middle[end - 1], columns });
  const thin: ThinCurve & { points: number } = { x: [], low: [], high: [], mean: [], points: 0 };
  for (let column = 0, start = first; column < columns; column++) {
    const points = totals.points[column];
    if (points === 0) continue;
    const stop = totals.ends[column];
    thin.points += points;
    thin.x.push((middle[start] + middle[stop - 1]) / 2);
    thin.low.push(totals.low[column]);
    thin.high.push(totals.high[column]);
    thin.mean.push(totals.sum[column] / points);
    start = stop;
  }
  return thin;
}

/** Indices of the part of a curve in a range of x. */
export function rangeOf({ middle, length }: Curve, from?: number, to?: number): [first: number, end: number] {
  const first = from === undefined ? 0 : firstFrom(middle, from, 0, length);
  const end = to === undefined ? length : firstAfter(middle, to, 0, length);
  return [first, Math.max(first, end)];
}
