// The points of a metric over iterations, oracle calls or seconds. Points have iterations; calls and seconds come from the
// events that have them, linearly interpolated in between. Points before the first and after the last such event are left
// out, because nothing is known about them.

import type { MetricsData } from "./metric-store.ts";
import type { XAxis } from "./page-data.ts";
import type { Intervals, PointSeries } from "./point-series.ts";

/** Intervals over one x axis, at their middle. */
export interface Curve extends Intervals {
  readonly middle: Float64Array;
}

const EMPTY = new Float64Array(0);

/** The points of a metric over an axis; empty if the entry does not have them. `batch` is the number of objects of an
 * iteration, which counts the calls of an entry whose events do not. */
export function curveOf(data: MetricsData, metric: string, axis: XAxis, batch: number | null): Curve {
  const series = data.series.get(metric);
  if (!series) return slice(EMPTY_INTERVALS, EMPTY, EMPTY, 0, 0);
  const { intervals } = series;
  const { length } = intervals;
  if (axis === "iteration") return slice(intervals, intervals.x, intervals.end, 0, length);
  if (axis === "calls" && data.calls.points === 0) {
    const perIteration = batch ?? Number.NaN;
    if (Number.isNaN(perIteration)) return slice(EMPTY_INTERVALS, EMPTY, EMPTY, 0, 0);
    const scaled = (x: Float64Array) => x.subarray(0, length).map((iteration) => iteration * perIteration);
    return slice(intervals, scaled(intervals.x), scaled(intervals.end), 0, length);
  }
  const [x, end] = [intervals.x, intervals.end].map((values) => mapped(values, length, data[axis]));
  let [from, to] = [0, length];
  while (from < to && Number.isNaN(x[from])) from++;
  while (to > from && Number.isNaN(end[to - 1])) to--;
  return slice(intervals, x, end, from, to);
}

const EMPTY_INTERVALS: Intervals = {
  ...{ length: 0, x: EMPTY, end: EMPTY, low: EMPTY, high: EMPTY, mean: EMPTY, last: EMPTY, weight: null },
};

function slice(all: Intervals, x: Float64Array, end: Float64Array, from: number, to: number): Curve {
  const part = (values: Float64Array) => values.subarray(from, to);
  const [first, last] = [part(x), part(end)];
  return {
    length: to - from,
    x: first,
    end: last,
    low: part(all.low),
    high: part(all.high),
    mean: part(all.mean),
    last: part(all.last),
    weight: all.weight && part(all.weight),
    middle: x === end ? first : first.map((value, i) => (value + last[i]) / 2),
  };
}

/** The values of `knots` at ascending iterations; NaN outside of them. */
function mapped(iterations: Float64Array, length: number, knots: PointSeries): Float64Array {
  const { x, mean: value, length: count } = knots.intervals;
  const result = new Float64Array(length);
  let k = 0;
  for (let i = 0; i < length; i++) {
    const iteration = iterations[i];
    // The last knot at or before the iteration: of several at one iteration, the latest.
    while (k + 1 < count && x[k + 1] <= iteration) k++;
    if (count === 0 || iteration < x[0] || (k === count - 1 && iteration > x[k])) result[i] = Number.NaN;
    else if (iteration === x[k]) result[i] = value[k];
    else result[i] = value[k] + ((iteration - x[k]) / (x[k + 1] - x[k])) * (value[k + 1] - value[k]);
  }
  return result;
}
