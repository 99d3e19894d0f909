// Tests of curves: means and ranges over seeds equal values computed by hand.

import { expect, test } from "vitest";
import { downsampledCurve, meanCurve, type Point } from "./series.ts";

const line = (slope: number, xs: readonly number[]): Point[] => xs.map((x) => ({ x, y: slope * x }));

test("several seeds become their mean with a band from minimum to maximum", () => {
  const curve = meanCurve({
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

test("seeds with different x values are interpolated on their common range", () => {
  const curve = meanCurve({ name: "m", runs: [line(1, [0, 4]), line(3, [1, 2, 8])] });
  expect(curve.points).toEqual([
    { x: 1, y: 2 },
    { x: 2, y: 4 },
    { x: 4, y: 8 },
  ]);
});

test("one seed has no band, and its points are sorted", () => {
  expect(meanCurve({ name: "m", runs: [line(1, [2, 0, 1])] })).toEqual({
    name: "m",
    points: line(1, [0, 1, 2]),
    omittedPoints: 0,
  });
});

test("points that are not finite are omitted and counted", () => {
  const broken = [...line(1, [0, 2]), { x: 1, y: Number.NaN }, { x: Number.POSITIVE_INFINITY, y: 1 }];
  expect(meanCurve({ name: "m", runs: [broken] })).toMatchObject({
    points: line(1, [0, 2]),
    omittedPoints: 2,
  });
  expect(meanCurve({ name: "m", runs: [broken, line(1, [0, 1, 2])] })).toMatchObject({
    points: line(1, [0, 1, 2]),
    omittedPoints: 2,
  });
  expect(meanCurve({ name: "m", runs: [[{ x: 0, y: Number.NaN }], []] })).toMatchObject({
    points: [],
    omittedPoints: 1,
  });
  expect(meanCurve({ name: "m", runs: [] })).toMatchObject({ points: [] });
});

test("a long curve becomes means of neighbours with their range", () => {
  const xs = Array.from({ length: 1000 }, (_, i) => i);
  const { points, bands } = downsampledCurve({ name: "m", points: line(2, xs) });
  expect(points).toHaveLength(100);
  expect(points[0]).toEqual({ x: 4.5, y: 9 });
  expect(bands?.[0].points[99]).toEqual({ x: 994.5, low: 1980, high: 1998 });
  expect(downsampledCurve({ name: "m", points: line(2, xs.slice(0, 200)) }).points).toHaveLength(200);
});
