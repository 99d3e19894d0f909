// Thins a curve to columns, about the pixels of a chart, with the smallest, the largest and the mean value of each. The mean
// of a column is that of all of its points.

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
  const { middle, low, high } = curve;
  const thin: ThinCurve & { points: number } = { x: [], low: [], high: [], mean: [], points: 0 };
  const ends =
    end - first <= columns
      ? Uint32Array.from({ length: end - first }, (_, i) => first + i + 1)
      : columnEnds(middle.subarray(0, end), first, { from: middle[first], to: middle[end - 1], columns });
  let start = first;
  for (const stop of ends) {
    if (stop === start) continue;
    const { points, x, value } = meanOf(curve, start, stop);
    thin.points += points;
    thin.x.push(x);
    thin.low.push(extreme(low, start, stop, (a, b) => a < b));
    thin.high.push(extreme(high, start, stop, (a, b) => a > b));
    thin.mean.push(value);
    start = stop;
  }
  return thin;
}

function extreme(
  values: Float64Array,
  start: number,
  stop: number,
  isBeyond: (a: number, b: number) => boolean,
): number {
  let found = values[start];
  for (let i = start + 1; i < stop; i++) if (isBeyond(values[i], found)) found = values[i];
  return found;
}

/** Number of points and mean value of a part of a curve, and the middle of its x. */
export function meanOf(
  { middle, mean, weight }: Pick<Curve, "middle" | "mean" | "weight">,
  start: number,
  stop: number,
): { readonly points: number; readonly x: number; readonly value: number } {
  const x = (middle[start] + middle[stop - 1]) / 2;
  let sum = 0;
  if (weight === null) {
    for (let i = start; i < stop; i++) sum += mean[i];
    return { points: stop - start, x, value: sum / (stop - start) };
  }
  let points = 0;
  for (let i = start; i < stop; i++) {
    points += weight[i];
    sum += weight[i] * mean[i];
  }
  return { points, x, value: sum / points };
}

/** Columns of equal width from one x to another. */
export interface Columns {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
}

/** Where each column ends in ascending x, from an index on. The last column has the rest. */
export function columnEnds(x: Float64Array, first: number, { from, to, columns }: Columns): Uint32Array {
  const ends = new Uint32Array(columns);
  let start = first;
  for (let column = 0; column < columns - 1; column++) {
    const edge = from + ((to - from) * (column + 1)) / columns;
    start = firstIndex(x, start, x.length, (value) => value >= edge);
    ends[column] = start;
  }
  ends[columns - 1] = x.length;
  return ends;
}

/** Indices of the part of a curve in a range of x. */
export function rangeOf({ middle, length }: Curve, from?: number, to?: number): [first: number, end: number] {
  const first = from === undefined ? 0 : firstIndex(middle, 0, length, (x) => x >= from);
  const end = to === undefined ? length : firstIndex(middle, 0, length, (x) => x > to);
  return [first, Math.max(first, end)];
}

/** The first index of ascending values, in a range of indices, for which a condition holds that stays true from there on. */
function firstIndex(values: Float64Array, first: number, end: number, holds: (x: number) => boolean): number {
  let [below, above] = [first, end];
  while (below < above) {
    const middle = (below + above) >>> 1;
    if (holds(values[middle])) above = middle;
    else below = middle + 1;
  }
  return below;
}
