// Series: means and ranges of seeds against values worked out by hand.

import { expect, test } from "vitest";
import { curveOfSeeds, mean, type Point, standardDeviation, thinned } from "./series.ts";

const line = (slope: number, xs: readonly number[]): Point[] => xs.map((x) => ({ x, y: slope * x }));

test("seeds become their mean, with a band from the least to the largest", () => {
  const curve = curveOfSeeds({
    name: "m",
    runs: [line(1, [0, 1, 2]), line(2, [0, 1, 2]), line(6, [0, 1, 2])],
  });
  expect(curve.points).toEqual([
    { x: 0, y: 0 },
    { x: 1, y: 3 },
    { x: 2, y: 6 },
  ]);
  expect(curve.bands).toEqual([
    {
      points: [
        { x: 0, low: 0, high: 0 },
        { x: 1, low: 1, high: 6 },
        { x: 2, low: 2, high: 12 },
      ],
    },
  ]);
});

test("seeds with x of their own are joined by straight lines, where all of them are", () => {
  const curve = curveOfSeeds({ name: "m", runs: [line(1, [0, 4]), line(3, [1, 2, 8])] });
  expect(curve.points).toEqual([
    { x: 1, y: 2 },
    { x: 2, y: 4 },
    { x: 4, y: 8 },
  ]);
});

test("one seed has no band, and its points are put in order", () => {
  expect(curveOfSeeds({ name: "m", runs: [line(1, [2, 0, 1])] })).toEqual({
    name: "m",
    points: line(1, [0, 1, 2]),
    leftOut: 0,
  });
});

test("points that are not finite are left out and counted", () => {
  const broken = [...line(1, [0, 2]), { x: 1, y: Number.NaN }, { x: Number.POSITIVE_INFINITY, y: 1 }];
  expect(curveOfSeeds({ name: "m", runs: [broken] })).toMatchObject({ points: line(1, [0, 2]), leftOut: 2 });
  expect(curveOfSeeds({ name: "m", runs: [broken, line(1, [0, 1, 2])] })).toMatchObject({
    points: line(1, [0, 1, 2]),
    leftOut: 2,
  });
  expect(curveOfSeeds({ name: "m", runs: [[{ x: 0, y: Number.NaN }], []] })).toMatchObject({
    points: [],
    leftOut: 1,
  });
  expect(curveOfSeeds({ name: "m", runs: [] })).toMatchObject({ points: [] });
});

test("a long series becomes means of neighbours with their range", () => {
  const xs = Array.from({ length: 1000 }, (_, i) => i);
  const { points, bands } = thinned({ name: "m", points: line(2, xs) });
  expect(points).toHaveLength(100);
  expect(points[0]).toEqual({ x: 4.5, y: 9 });
  expect(bands?.[0].points[99]).toEqual({ x: 994.5, low: 1980, high: 1998 });
  expect(thinned({ name: "m", points: line(2, xs.slice(0, 200)) }).points).toHaveLength(200);
});

test("mean and standard deviation are those of a sample", () => {
  expect(mean([1, 2, 6])).toBe(3);
  expect(standardDeviation([1, 2, 6])).toBeCloseTo(Math.sqrt(7), 12);
  expect(standardDeviation([5])).toBeNaN();
  expect(mean([])).toBeNaN();
});
