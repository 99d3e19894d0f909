// The hypervolume of a set of points: the volume of the region between a reference point and the points, all of whose
// coordinates are to be maximised. It is exact: by a sweep for one to three coordinates, otherwise by the recursion of
// While, Bradstreet and Barone (WFG, 2012), whose time grows exponentially, so that the front may have at most 100 points.

import { firstIndexWhere } from "./bisection.ts";
import { checkPoints, type Point, paretoFront } from "./pareto-front.ts";

/** Most points of a front with four or more coordinates. */
export const MOST_RECURSIVE = 100;

/**
 * The volume that the points dominate above the reference point. A point that is not above it in every coordinate adds
 * nothing. Throws a RangeError if there are four or more coordinates and more than 100 points are on the front.
 *
 * @example
 * ```ts
 * import { hypervolume } from "gflownet/gfn";
 *
 * console.log(hypervolume([[1, 3], [2, 2], [3, 1]], [0, 0])); // 6
 * ```
 */
export function hypervolume(points: readonly Point[], reference: Point): number {
  checkPoints([reference, ...points]);
  const size = reference.length;
  const above = points
    .map((point) => Array.from(point, (value, i) => value - reference[i]))
    .filter((point) => point.every((value) => value > 0));
  const front = distinctFront(above);
  if (size <= 2) return areaOf(front);
  if (size === 3) return volumeOf(front);
  if (front.length > MOST_RECURSIVE) {
    throw new RangeError(
      `hypervolume: a front with ${size} coordinates must have at most ${MOST_RECURSIVE} points, got ${front.length}`,
    );
  }
  return recursiveVolume(front);
}

/** The points of the front, each once. */
function distinctFront(points: readonly number[][]): number[][] {
  const front = paretoFront(points).map((i) => points[i]);
  return [...new Map(front.map((point) => [point.join(" "), point])).values()];
}

/** One or two coordinates: strips between neighbours of the front. */
function areaOf(front: readonly number[][]): number {
  let area = 0;
  let height = 0;
  for (const [x, y = 1] of front.toSorted((a, b) => b[0] - a[0])) {
    if (y <= height) continue;
    area += x * (y - height);
    height = y;
  }
  return area;
}

/** Three coordinates: slices along the last one, each as large as the area of the points above it. The corners of the area
 * are kept in the order of y, where x falls, so that one more point changes a few neighbours. */
function volumeOf(front: readonly number[][]): number {
  const down = front.toSorted((a, b) => b[2] - a[2]);
  const [xs, ys]: [number[], number[]] = [[], []];
  let area = 0;
  let volume = 0;
  for (const [i, [x, y, z]] of down.entries()) {
    const next = firstIndexWhere(ys.length, (at) => ys[at] >= y);
    // A corner that is at least as far in both directions covers the point already.
    if (!(next < ys.length && xs[next] >= x)) {
      const end = next < ys.length && ys[next] === y ? next + 1 : next;
      let start = next;
      while (start > 0 && xs[start - 1] <= x) start--;
      const below = start > 0 ? ys[start - 1] : 0;
      let covered = 0;
      for (let at = start, lower = below; lower < y; at++) {
        const upper = Math.min(ys[at] ?? y, y);
        covered += (xs[at] ?? 0) * (upper - lower);
        lower = upper;
      }
      area += x * (y - below) - covered;
      xs.splice(start, end - start, x);
      ys.splice(start, end - start, y);
    }
    volume += area * (z - (down[i + 1]?.[2] ?? 0));
  }
  return volume;
}

/** The sum of what each point adds to the points after it: its own box without what they share with it. */
function recursiveVolume(front: readonly number[][]): number {
  // What later points share with a point has their own, smaller first coordinates, so much of it is dominated.
  const points = front.toSorted((a, b) => b[0] - a[0]);
  return points.reduce((sum, point, i) => {
    const shared = points.slice(i + 1).map((other) => other.map((value, j) => Math.min(value, point[j])));
    const box = point.reduce((product, value) => product * value, 1);
    return sum + box - recursiveVolume(distinctFront(shared));
  }, 0);
}
