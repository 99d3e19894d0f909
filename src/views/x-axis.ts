// The points of a metric over iterations, oracle calls or seconds. Points have iterations; calls and seconds come from the
// events that have them, linearly interpolated in between. Points before the first and after the last such event are left
// out, because nothing is known about them.

import { totalsBytes } from "./column-totals.ts";
import type { MetricsData } from "./metric-store.ts";
import type { XAxis } from "./page-data.ts";
import { type Intervals, PointSeries } from "./point-series.ts";
import { firstFrom } from "./sorted-search.ts";

/** Intervals over one x axis, at their middle. */
export interface Curve extends Intervals {
  readonly middle: Float64Array;
  /** Whether `x` and `end` were computed for the curve; otherwise they are those of the points. */
  readonly own: boolean;
}

const EMPTY = new Float64Array(0);

/** The points of a metric over an axis; empty if the entry does not have them. `batch` is the number of objects of an
 * iteration, which counts the calls of an entry whose events do not. */
export function curveOf(data: MetricsData, metric: string, axis: XAxis, batch: number | null): Curve {
  const series = data.series.get(metric);
  if (!series) return EMPTY_CURVE;
  const points = [series.points, data.calls.points, data.seconds.points, batch].join();
  return data.curves.get(`${metric} ${axis}`, points, () => computedCurve(data, series, axis, batch));
}

/** Curves of one file. They are kept until it has more points, because a page that zooms asks for the same one again. */
export class CurveCache {
  readonly #curves = new Map<string, { readonly points: string; readonly curve: Curve }>();

  /** The curve of a name if it was computed from the same points, otherwise that of the function. */
  get(name: string, points: string, compute: () => Curve): Curve {
    const known = this.#curves.get(name);
    this.#curves.delete(name);
    const found = known?.points === points ? known : { points, curve: compute() };
    this.#curves.set(name, found);
    if (this.#curves.size > MOST_CURVES) this.#curves.delete(this.#curves.keys().next().value!);
    return found.curve;
  }

  /** Memory of what was computed, beside the points. */
  get bytes(): number {
    return [...this.#curves.values()].reduce((sum, { curve }) => sum + bytesOf(curve), 0);
  }
}

function bytesOf(curve: Curve): number {
  const { x, end, middle, own } = curve;
  const arrays = own ? [...new Set([x, end, middle])] : middle === x ? [] : [middle];
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, totalsBytes(curve));
}

/** Curves that are kept per file: the page of an entry shows six metrics. */
const MOST_CURVES = 8;

function computedCurve(data: MetricsData, series: PointSeries, axis: XAxis, batch: number | null): Curve {
  const { length, x, end } = series.intervals;
  if (axis === "iteration") return slice(series, { x, end, own: false }, 0, length);
  let placesOf: (iterations: Float64Array) => Float64Array;
  if (axis === "calls" && data.calls.points === 0) {
    if (batch === null) return EMPTY_CURVE;
    placesOf = (iterations) => scaled(iterations, length, batch);
  } else placesOf = (iterations) => mapped(iterations, length, data[axis]);
  const first = placesOf(x);
  const last = x === end ? first : placesOf(end);
  let [from, to] = [0, length];
  while (from < to && Number.isNaN(first[from])) from++;
  while (to > from && Number.isNaN(last[to - 1])) to--;
  return slice(series, { x: first, end: last, own: true }, from, to);
}

function slice(
  { intervals: all }: PointSeries,
  places: Pick<Curve, "x" | "end" | "own">,
  from: number,
  to: number,
): Curve {
  const part = (values: Float64Array) => values.subarray(from, to);
  const x = part(places.x);
  const end = places.x === places.end ? x : part(places.end);
  const low = part(all.low);
  return {
    length: to - from,
    ...{ x, end, own: places.own, low },
    high: all.high === all.low ? low : part(all.high),
    mean: all.mean === all.low ? low : part(all.mean),
    last: part(all.last),
    weight: all.weight && part(all.weight),
    middle: x === end ? x : middleOf(x, end),
  };
}

const EMPTY_CURVE: Curve = slice(new PointSeries(2), { x: EMPTY, end: EMPTY, own: false }, 0, 0);

function middleOf(x: Float64Array, end: Float64Array): Float64Array {
  const middle = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) middle[i] = (x[i] + end[i]) / 2;
  return middle;
}

function scaled(iterations: Float64Array, length: number, factor: number): Float64Array {
  const result = new Float64Array(length);
  for (let i = 0; i < length; i++) result[i] = factor * iterations[i];
  return result;
}

/** The values of `knots` at ascending iterations; NaN outside of them. */
function mapped(iterations: Float64Array, length: number, knots: PointSeries): Float64Array {
  const { x, mean: value, length: count } = knots.intervals;
  const result = new Float64Array(length);
  result.fill(Number.NaN);
  if (count === 0) return result;
  let i = firstFrom(iterations, x[0], 0, length);
  for (let k = 0; k + 1 < count; k++) {
    // Of several knots at one iteration, the latest counts.
    const [from, to, start] = [x[k], x[k + 1], value[k]];
    const rise = value[k + 1] - start;
    for (; i < length && iterations[i] < to; i++) {
      result[i] = start + ((iterations[i] - from) / (to - from)) * rise;
    }
  }
  for (; i < length && iterations[i] === x[count - 1]; i++) result[i] = value[count - 1];
  return result;
}
