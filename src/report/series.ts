// Series of points: of one seed or of many, made short enough to be drawn.

import { extent } from "./axis.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** From where to where something lies along x. */
export interface Band {
  readonly points: readonly { readonly x: number; readonly low: number; readonly high: number }[];
}

/** A line with a name, and any number of bands around it, as the range of seeds. */
export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
  readonly bands?: readonly Band[];
  /** Points that are missing in it because they are not finite. */
  readonly leftOut?: number;
}

/** A method that ran several times, once per seed. */
export interface Seeds {
  readonly name: string;
  readonly runs: readonly (readonly Point[])[];
}

/** About as many points as can be told apart. */
const DRAWN = 100;

/**
 * The mean of the seeds, with a band from the least to the largest. Where seeds have no common x, as with the clock, they
 * are joined by straight lines, over the part of x that all of them have.
 */
export function curveOfSeeds({ name, runs }: Seeds): Curve {
  if (runs.length === 1) return thinned({ name, points: runs[0] });
  const sorted = runs.map(finite).filter((run) => run.length > 0);
  const leftOut = sum(runs.map(({ length }) => length)) - sum(sorted.map(({ length }) => length));
  if (sorted.length === 0) return { name, points: [], leftOut };
  const from = Math.max(...sorted.map((run) => run[0].x));
  const to = Math.min(...sorted.map((run) => run[run.length - 1].x));
  const inside = (x: number) => from > to || (x >= from && x <= to);
  const places = [...new Set(sorted.flatMap((run) => run.map(({ x }) => x)))].filter(inside).sort(ascending);
  const values = evenly(places).map((x) => ({ x, ys: sorted.flatMap((run) => valueAt(run, x)) }));
  return {
    name,
    points: values.map(({ x, ys }) => ({ x, y: mean(ys) })),
    bands: [{ points: values.map(({ x, ys }) => band(x, ys)) }],
    leftOut,
  };
}

/** A long series as means of neighbours, with a band from the least to the largest of them. */
export function thinned({
  name,
  points,
}: {
  readonly name: string;
  readonly points: readonly Point[];
}): Curve {
  const sorted = finite(points);
  const leftOut = points.length - sorted.length;
  if (sorted.length <= 2 * DRAWN) return { name, points: sorted, leftOut };
  const size = Math.ceil(sorted.length / DRAWN);
  const groups = Array.from({ length: Math.ceil(sorted.length / size) }, (_, i) =>
    sorted.slice(i * size, (i + 1) * size),
  );
  const values = groups.map((group) => ({ x: mean(group.map(({ x }) => x)), ys: group.map(({ y }) => y) }));
  return {
    name,
    points: values.map(({ x, ys }) => ({ x, y: mean(ys) })),
    bands: [{ points: values.map(({ x, ys }) => band(x, ys)) }],
    leftOut,
  };
}

/** NaN if there are none. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Of a sample (n − 1); NaN of fewer than two. */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values);
  if (values.length < 2) return Number.NaN;
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function finite(points: readonly Point[]): Point[] {
  return points
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
    .sort((a, b) => ascending(a.x, b.x));
}

function band(x: number, ys: readonly number[]) {
  const [low, high] = extent(ys);
  return { x, low, high };
}

/** On the straight line between neighbours; nothing outside of the run. */
function valueAt(run: readonly Point[], x: number): number[] {
  let [left, right] = [0, run.length - 1];
  if (x < run[left].x || x > run[right].x) return [];
  while (right - left > 1) {
    const middle = (left + right) >> 1;
    if (run[middle].x <= x) left = middle;
    else right = middle;
  }
  const [a, b] = [run[left], run[right]];
  if (x === a.x) return [a.y];
  return [b.x === a.x ? b.y : a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y)];
}

/** The first, the last, and not too many between. */
function evenly(places: readonly number[]): readonly number[] {
  if (places.length <= 2 * DRAWN) return places;
  return Array.from({ length: DRAWN + 1 }, (_, i) => places[Math.round((i * (places.length - 1)) / DRAWN)]);
}

function ascending(a: number, b: number): number {
  return a - b;
}
