// Pareto fronts: the definition by all pairs, ties, and wrong points.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { dominates, paretoFront } from "./pareto-front.ts";

/** Points on a small grid, so that many are equal or dominated. */
function gridPoints(count: number, size: number, seed: number): number[][] {
  const stream = RandomStream.fromSeed(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: size }, () => Math.floor(4 * stream.uniform())),
  );
}

test("a point dominates another if it is nowhere smaller and somewhere larger", () => {
  expect(dominates([2, 1], [1, 1])).toBe(true);
  expect(dominates([1, 1], [1, 1])).toBe(false);
  expect(dominates([2, 0], [1, 1])).toBe(false);
});

test("the front has exactly the points that no other point dominates", () => {
  for (let seed = 0; seed < 20; seed++) {
    for (const size of [1, 2, 3, 5]) {
      const points = gridPoints(30, size, seed);
      const expected = points.flatMap((point, i) =>
        points.some((other) => dominates(other, point)) ? [] : [i],
      );
      expect(paretoFront(points)).toEqual(expected);
    }
  }
});

test("the front of no points is empty, and of one coordinate all largest points", () => {
  expect(paretoFront([])).toEqual([]);
  expect(paretoFront([[1], [3], [2], [3]])).toEqual([1, 3]);
});

test("a hundred thousand points of two coordinates, all on the front, are not compared in pairs", () => {
  const points = Array.from({ length: 100_000 }, (_, i) => [i, -i]);
  const equal = points.map(([x]) => [x % 7, -(x % 7), 1]);
  const start = performance.now();
  expect(paretoFront(points)).toHaveLength(points.length);
  expect(paretoFront(equal)).toHaveLength(points.length);
  // All pairs would take minutes.
  expect(performance.now() - start).toBeLessThan(10_000);
});

test("points of different sizes and coordinates that are not finite are refused", () => {
  expect(() => paretoFront([[1, 2], [1]])).toThrow(/got 1 for point 1$/);
  expect(() => paretoFront([[1, Number.NaN]])).toThrow(/finite coordinates/);
  expect(() => paretoFront([[]])).toThrow(/got none for point 0$/);
});
