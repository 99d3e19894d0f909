// Tests the points of a metric: exact up to a number, then intervals that lose no point.

import { expect, test } from "vitest";
import { PointSeries } from "./point-series.ts";

test("a series is exact up to its number of points", () => {
  const series = new PointSeries(128);
  for (let i = 0; i < 128; i++) series.append(i, i * i);
  const { length, x, mean, weight } = series.intervals;
  expect([length, weight, series.points, series.last]).toEqual([128, null, 128, 127 * 127]);
  expect([...mean.subarray(0, 3), x[127]]).toEqual([0, 1, 4, 127]);
});

test("beyond it, intervals keep the number, the sum and the extremes of all points", () => {
  const series = new PointSeries(8);
  const values = Array.from({ length: 1003 }, (_, i) => Math.sin(i) * 10);
  values.forEach((value, i) => {
    series.append(10 * i, value);
  });
  const { length, x, end, low, high, mean, last, weight } = series.intervals;
  expect(length).toBeLessThanOrEqual(8);
  let first = 0;
  for (let i = 0; i < length; i++) {
    const points = values.slice(first, first + weight![i]);
    expect([x[i], end[i], last[i]]).toEqual([10 * first, 10 * (first + points.length - 1), points.at(-1)]);
    expect([low[i], high[i]]).toEqual([Math.min(...points), Math.max(...points)]);
    expect(mean[i]).toBeCloseTo(points.reduce((a, b) => a + b) / points.length, 10);
    first += points.length;
  }
  expect(first).toBe(1003);
  expect([series.low, series.high]).toEqual([Math.min(...values), Math.max(...values)]);
});

test("the memory of a series does not grow with its points", () => {
  const series = new PointSeries(64);
  for (let i = 0; i < 200; i++) series.append(i, i);
  const { bytes } = series;
  for (let i = 200; i < 20_000; i++) series.append(i, i);
  expect(series.bytes).toBe(bytes);
  expect(series.points).toBe(20_000);
});

test("a point that goes back is left out", () => {
  const series = new PointSeries();
  for (const [x, value] of [
    [1, 1],
    [3, 2],
    [2, 9],
    [3, 4],
  ])
    series.append(x, value);
  expect([...series.intervals.mean.subarray(0, series.intervals.length)]).toEqual([1, 2, 4]);
});
