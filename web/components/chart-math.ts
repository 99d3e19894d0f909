// Numbers behind the charts: ranges of axes, values under the cursor, moving averages.

import { type Scale, scaleOf } from "../../src/report/axis.ts";

/** A line of a chart, with an optional band around it. */
export interface ChartLine {
  readonly id: string;
  readonly label: string;
  /** CSS variable of the colour. */
  readonly colour: string;
  readonly dash: readonly number[];
  readonly width: number;
  readonly opacity: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly low?: readonly number[];
  readonly high?: readonly number[];
}

/** A horizontal line with a label. */
export interface ChartReference {
  readonly label: string;
  readonly value: number;
}

export interface ChartScales {
  readonly x: Scale;
  readonly y: Scale;
}

/** A logarithmic axis goes down to a reference, or to the end of a band, only if it is at most this many times below the
 * smallest value of the lines. */
const FAR_BELOW = { reference: 1000, band: 2 };

/** The axes that show all lines, and the references that are not far away from them. */
export function scalesOf(
  lines: readonly ChartLine[],
  references: readonly ChartReference[],
  { scale, zoom }: { readonly scale: "linear" | "log"; readonly zoom: readonly [number, number] | null },
): ChartScales {
  const xs = rangeOf(lines.map(({ x }) => x));
  const [xStart, xEnd] = zoom ?? xs ?? [0, 1];
  // A single point stands in the middle.
  const [xFrom, xTo] = xEnd > xStart ? [xStart, xEnd] : [0, 2 * Math.abs(xEnd) || 1];
  const least = scale === "linear" ? -Infinity : 0;
  const ys = rangeOf(
    lines.map(({ y }) => y),
    least,
  );
  const leastNear = (factor: number) => (scale === "linear" || ys === null ? least : ys[0] / factor);
  const bands = rangeOf(
    lines.flatMap(({ low, high }) => [low ?? [], high ?? []]),
    leastNear(FAR_BELOW.band),
  );
  const near = references.map(({ value }) => value).filter((value) => value > leastNear(FAR_BELOW.reference));
  const all = [...(ys ?? []), ...(bands ?? []), ...near];
  const values = all.length === 0 ? [0.1, 1] : all;
  return {
    x: { ...scaleOf({ label: "" }, "linear", [xFrom, xTo], { room: 0, count: 6 }), domain: [xFrom, xTo] },
    y: scaleOf({ label: "" }, scale, values, { room: 0.05, count: 6 }),
  };
}

/** Pixels of a digit of a tick's text, and between two texts. */
const [DIGIT, GAP] = [7.5, 10];

/** Every tick, or every second, third and so on, so that their texts do not touch on an axis of this many pixels. */
export function fittingTicks<T extends { readonly text: string }>(ticks: readonly T[], pixels: number): T[] {
  const widest = Math.max(0, ...ticks.map(({ text }) => text.length)) * DIGIT + GAP;
  const step = Math.max(1, Math.ceil((ticks.length * widest) / Math.max(1, pixels)));
  return ticks.filter((_, i) => i % step === 0);
}

/** The smallest and the largest finite value of several arrays, among those above `above`. */
function rangeOf(
  arrays: readonly (readonly number[])[],
  above = Number.NEGATIVE_INFINITY,
): [number, number] | null {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const array of arrays) {
    for (let i = 0; i < array.length; i++) {
      const value = array[i];
      if (!(value > above && value < Number.POSITIVE_INFINITY)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return least <= most ? [least, most] : null;
}

/** Index of the value that is nearest to `at` in an increasing array; -1 if it is empty. */
export function nearestIndex(values: readonly number[], at: number): number {
  let [from, to] = [0, values.length - 1];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (values[middle] <= at) from = middle;
    else to = middle;
  }
  if (to < 0) return -1;
  return Math.abs(values[from] - at) <= Math.abs(values[to] - at) ? from : to;
}

/** The mean of up to `width` values around each; near the ends the window is smaller on both sides. */
export function movingAverage(values: readonly number[], width: number): readonly number[] {
  if (width < 2) return values;
  const { length } = values;
  const sums = new Float64Array(length + 1);
  for (let i = 0; i < length; i++) sums[i + 1] = sums[i] + values[i];
  const half = Math.floor(width / 2);
  const averages = new Array<number>(length);
  for (let i = 0; i < length; i++) {
    const reach = Math.min(half, i, length - 1 - i);
    averages[i] = (sums[i + reach + 1] - sums[i - reach]) / (2 * reach + 1);
  }
  return averages;
}

/** A part of a chart: from left to right and from the lower to the upper value. */
export interface ChartBox {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/** Whether a line passes through a box. `heightOf` is the place of a value on the axis, in the unit of the box. */
export function crossesBox(
  { x, y }: Pick<ChartLine, "x" | "y">,
  box: ChartBox,
  heightOf: (value: number) => number,
): boolean {
  const [from, to] = box.x;
  const first = Math.max(0, nearestIndex(x, from) - 1);
  for (let i = first; i + 1 < x.length && x[i] <= to; i++) {
    if (x[i + 1] < from || !Number.isFinite(y[i]) || !Number.isFinite(y[i + 1])) continue;
    const [a, b] = [heightOf(y[i]), heightOf(y[i + 1])];
    const width = x[i + 1] - x[i];
    const at = (place: number) => (width === 0 ? b : a + ((b - a) * (place - x[i])) / width);
    const [left, right] = [at(Math.max(from, x[i])), at(Math.min(to, x[i + 1]))];
    if (Math.max(left, right) >= box.y[0] && Math.min(left, right) <= box.y[1]) return true;
  }
  return false;
}
