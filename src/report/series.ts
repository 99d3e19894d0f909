// Curves of one or several seeds, downsampled to a drawable number of points.

import { mean } from "../math/statistics.ts";
import { extent } from "./axis.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A range from `low` to `high` over x. */
export interface Band {
  readonly points: readonly { readonly x: number; readonly low: number; readonly high: number }[];
}

/** A named line with bands around it, e.g. the range over seeds. */
export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
  readonly bands?: readonly Band[];
  /** Number of points omitted because they are not finite. */
  readonly omittedPoints?: number;
  /** Whether it is dashed like a reference line, which others are compared with. Default: false. */
  readonly isReference?: boolean;
}

/** A method with one run per seed. */
export interface SeedRuns {
  readonly name: string;
  readonly runs: readonly (readonly Point[])[];
}

/** Number of points of a downsampled curve. Curves with up to twice as many points are not downsampled. */
const MAX_POINTS = 100;

/**
 * The mean over seeds, with a band from the minimum to the maximum. Runs without common x values (e.g. over time) are
 * interpolated linearly on the range of x that all of them cover.
 */
export function meanCurve({ name, runs }: SeedRuns): Curve {
  if (runs.length === 1) return downsampledCurve({ name, points: runs[0] });
  const sorted = runs.map(finite).filter((run) => run.length > 0);
  const omittedPoints = runs.flat().length - sorted.flat().length;
  if (sorted.length === 0) return { name, points: [], omittedPoints };
  const from = Math.max(...sorted.map((run) => run[0].x));
  const to = Math.min(...sorted.map((run) => run[run.length - 1].x));
  const inside = (x: number) => from > to || (x >= from && x <= to);
  const xs = [...new Set(sorted.flatMap((run) => run.map(({ x }) => x)))].filter(inside).sort(ascending);
  const values = evenly(xs).map((x) => ({ x, ys: sorted.flatMap((run) => valueAt(run, x)) }));
  return {
    name,
    points: values.map(({ x, ys }) => ({ x, y: mean(ys) })),
    bands: [{ points: values.map(({ x, ys }) => band(x, ys)) }],
    omittedPoints,
  };
}

/** A long curve as means of neighbouring points, with a band from their minimum to their maximum. */
export function downsampledCurve({
  name,
  points,
}: {
  readonly name: string;
  readonly points: readonly Point[];
}): Curve {
  const sorted = finite(points);
  const omittedPoints = points.length - sorted.length;
  if (sorted.length <= 2 * MAX_POINTS) return { name, points: sorted, omittedPoints };
  const size = Math.ceil(sorted.length / MAX_POINTS);
  const groups = Array.from({ length: Math.ceil(sorted.length / size) }, (_, i) =>
    sorted.slice(i * size, (i + 1) * size),
  );
  const values = groups.map((group) => ({ x: mean(group.map(({ x }) => x)), ys: group.map(({ y }) => y) }));
  return {
    name,
    points: values.map(({ x, ys }) => ({ x, y: mean(ys) })),
    bands: [{ points: values.map(({ x, ys }) => band(x, ys)) }],
    omittedPoints,
  };
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

/** The value of a run at x, linearly interpolated; empty if x is outside the range of the run. */
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

/** Evenly spaced elements, including the first and the last. */
function evenly(xs: readonly number[]): readonly number[] {
  if (xs.length <= 2 * MAX_POINTS) return xs;
  return Array.from({ length: MAX_POINTS + 1 }, (_, i) => xs[Math.round((i * (xs.length - 1)) / MAX_POINTS)]);
}

function ascending(a: number, b: number): number {
  return a - b;
}
