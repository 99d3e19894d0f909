// Where lines and bands lie on the canvas of a chart, in its pixels.
//
// A browser without a graphics processor takes seconds to draw wide lines that go up and down in every pixel. Such lines are
// recognised by how far they travel up and down, and drawn in a way that takes milliseconds.

import { firstFrom } from "../../src/views/sorted-search.ts";

/** The pixels of an axis: `from` and `to` are the values at its two ends. */
export interface PixelAxis {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly isLog: boolean;
}

/** The pixels of values; NaN where a value is not finite or not on a logarithmic axis. */
export function pixelsOf(
  values: readonly number[],
  { from, to, start, end, isLog }: PixelAxis,
): Float64Array {
  const pixels = new Float64Array(values.length);
  const first = isLog ? Math.log10(from) : from;
  const scale = (end - start) / ((isLog ? Math.log10(to) : to) - first);
  for (let i = 0; i < values.length; i++) {
    // The logarithm of a value that is not positive is NaN or infinite.
    const position = start + ((isLog ? Math.log10(values[i]) : values[i]) - first) * scale;
    pixels[i] = Number.isFinite(position) ? position : Number.NaN;
  }
  return pixels;
}

/** How far a line goes up and down in all. */
export function travelOf(y: Float64Array): number {
  let travel = 0;
  for (let i = 1; i < y.length; i++) {
    const step = Math.abs(y[i] - y[i - 1]);
    if (step > 0) travel += step;
  }
  return travel;
}

/** The part of a band in each column of pixels, from the first one on. */
export interface BandColumns {
  readonly first: number;
  readonly top: Float64Array;
  readonly bottom: Float64Array;
}

/** The columns between two pixels that a band covers; x ascends. */
export function bandColumns(
  { x, top, bottom }: { readonly x: Float64Array; readonly top: Float64Array; readonly bottom: Float64Array },
  from: number,
  to: number,
): BandColumns {
  const first = Math.max(Math.floor(from), Math.floor(x[0]));
  const count = Math.max(0, Math.min(Math.ceil(to), Math.floor(x[x.length - 1]) + 1) - first);
  const columns = {
    first,
    top: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    bottom: new Float64Array(count).fill(Number.NEGATIVE_INFINITY),
  };
  const widen = (column: number, share: number, i: number) => {
    const j = share > 0 ? i + 1 : i;
    columns.top[column] = Math.min(columns.top[column], top[i] + share * (top[j] - top[i]));
    columns.bottom[column] = Math.max(columns.bottom[column], bottom[i] + share * (bottom[j] - bottom[i]));
  };
  for (let i = Math.max(0, firstFrom(x, first, 0, x.length) - 1); i < x.length; i++) {
    const column = Math.floor(x[i]) - first;
    if (column >= count) break;
    if (column >= 0) widen(column, 0, i);
    if (i + 1 === x.length) break;
    // The borders of columns that lie before the next point belong to both sides.
    for (let border = Math.max(column + 1, 0); border <= count && first + border <= x[i + 1]; border++) {
      const share = (first + border - x[i]) / (x[i + 1] - x[i]);
      if (border > 0) widen(border - 1, share, i);
      if (border < count) widen(border, share, i);
    }
  }
  return columns;
}

/** Whether a dash pattern draws at a distance from the start of a line. */
export function isDash(dash: readonly number[], distance: number): boolean {
  if (dash.length === 0) return true;
  const [on, off] = dash;
  return distance % (on + off) < on;
}
