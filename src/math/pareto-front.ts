// The Pareto front of a set of points, all of whose coordinates are to be maximised.

/** A point with one coordinate per objective. */
export type Point = ArrayLike<number>;

/** Whether `a` is at least as large as `b` in every coordinate, and larger in one. */
export function dominates(a: Point, b: Point): boolean {
  let isLarger = false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] < b[i]) return false;
    if (a[i] > b[i]) isLarger = true;
  }
  return isLarger;
}

/**
 * The indices of the points that no other point dominates, in ascending order. Equal points are all on the front. Negate
 * a coordinate that is to be minimised.
 *
 * @example
 * ```ts
 * import { paretoFront } from "gflownet/gfn";
 *
 * console.log(paretoFront([[1, 3], [2, 2], [1, 2], [3, 1]]).join(" ")); // 0 1 3
 * ```
 */
export function paretoFront(points: readonly Point[]): number[] {
  checkPoints(points);
  // In descending order of the coordinates, a point can only be dominated by an earlier one, and equal points follow each
  // other. With one or two coordinates, the last point of the front is the only one that can dominate it.
  const order = points.map((_, i) => i).sort((a, b) => compareDown(points[a], points[b]) || a - b);
  const isShort = (points[0]?.length ?? 0) <= 2;
  const front: number[] = [];
  const distinct: Point[] = [];
  for (const i of order) {
    const point = points[i];
    const last = distinct.at(-1);
    if (last && compareDown(last, point) === 0) front.push(i);
    else if (!(isShort ? distinct.slice(-1) : distinct).some((kept) => dominates(kept, point))) {
      front.push(i);
      distinct.push(point);
    }
  }
  return front.sort((a, b) => a - b);
}

/** Throws a RangeError unless all points have the same number of finite coordinates, at least one. */
export function checkPoints(points: readonly Point[]): void {
  const size = points[0]?.length ?? 1;
  const wrong = points.findIndex(
    (point) => point.length !== size || size === 0 || !Array.from(point).every(Number.isFinite),
  );
  if (wrong < 0) return;
  throw new RangeError(
    `points must have the same number of finite coordinates, at least one; got ${Array.from(points[wrong]).join(", ") || "none"} for point ${wrong}`,
  );
}

function compareDown(a: Point, b: Point): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return b[i] - a[i];
  return 0;
}
