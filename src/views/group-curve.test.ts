// Tests curves of groups, thinned curves and x axes against values computed by hand.

import { expect, test } from "vitest";
import { groupCurve } from "./group-curve.ts";
import type { MetricsData } from "./metric-store.ts";
import { PointSeries } from "./point-series.ts";
import { thinCurve } from "./thin-curve.ts";
import { CurveCache, curveOf } from "./x-axis.ts";

type Points = readonly (readonly [x: number, value: number])[];

const seriesOf = (points: Points, most?: number) => {
  const series = new PointSeries(most);
  for (const [x, value] of points) series.append(x, value);
  return series;
};
const dataOf = (
  points: Points,
  { seconds = [], calls = [], most }: { seconds?: Points; calls?: Points; most?: number } = {},
): MetricsData => ({
  position: { offset: 0, check: 0 },
  series: new Map([["loss", seriesOf(points, most)]]),
  calls: seriesOf(calls),
  seconds: seriesOf(seconds),
  curves: new CurveCache(),
  limits: new Map(),
  uniforms: new Map(),
});
const curve = (points: Points) => curveOf(dataOf(points), "loss", "iteration", null);

test("seeds with the same iterations have mean and sample deviation at each of them", () => {
  const group = groupCurve(
    [
      curve([
        [0, 1],
        [10, 2],
      ]),
      curve([
        [0, 3],
        [10, 8],
      ]),
      curve([[0, 5]]),
    ],
    100,
  );
  expect(group).toEqual({
    x: [0, 10],
    mean: [3, 5],
    deviation: [2, Math.sqrt(18)],
    count: [3, 2],
  });
});

test("an entry is interpolated between its points and does not count outside of them", () => {
  const [a, b] = [
    curve([
      [0, 0],
      [4, 4],
    ]),
    curve([
      [1, 10],
      [2, 20],
    ]),
  ];
  const { x, mean, count } = groupCurve([a, b], 100);
  expect(x).toEqual([0, 1, 2, 4]);
  expect(mean).toEqual([0, 5.5, 11, 4]);
  expect(count).toEqual([1, 2, 2, 1]);
});

test("in columns, an entry counts with the mean of all of its points", () => {
  const one = curve(Array.from({ length: 1000 }, (_, i) => [i, i] as const));
  const other = curve(Array.from({ length: 500 }, (_, i) => [2 * i, 7] as const));
  const { mean, deviation, count } = groupCurve([one, other], 10);
  // The first column has the iterations 0 to 99: mean 49.5 of the first entry, 7 of the second.
  expect(mean).toHaveLength(10);
  expect([mean[0], count[0]]).toEqual([(49.5 + 7) / 2, 2]);
  expect(deviation[0]).toBeCloseTo((49.5 - 7) / Math.SQRT2, 10);
});

test("the curve of a group does not depend on the thinning of its entries", () => {
  const points = Array.from({ length: 5000 }, (_, i) => [i, Math.sin(i)] as const);
  const [all] = [groupCurve([curve(points)], 50)];
  const thin = thinCurve(curve(points), 50);
  all.mean.forEach((value, i) => {
    expect(value).toBeCloseTo(thin.mean[i], 10);
  });
  const last = points.slice(4900).reduce((sum, [, value]) => sum + value, 0) / 100;
  expect(all.mean.at(-1)).toBeCloseTo(last, 10);
});

test("few points are not thinned", () => {
  const thin = thinCurve(
    curve([
      [1, 5],
      [2, 6],
    ]),
    2,
  );
  expect(thin).toEqual({ x: [1, 2], low: [5, 6], high: [5, 6], mean: [5, 6], points: 2 });
});

test("columns have the extremes of their points, and a range leaves out the others", () => {
  const points = Array.from({ length: 100 }, (_, i) => [i, i % 10] as const);
  expect(thinCurve(curve(points), 10)).toMatchObject({
    low: Array(10).fill(0),
    high: Array(10).fill(9),
    points: 100,
  });
  const part = thinCurve(curve(points), 10, 40, 44);
  expect(part).toMatchObject({ x: [40, 41, 42, 43, 44], mean: [0, 1, 2, 3, 4], points: 5 });
});

test("seconds are interpolated between events that have them, and unknown outside", () => {
  const data = dataOf(
    [
      [5, 1],
      [10, 2],
      [15, 3],
      [30, 4],
      [40, 5],
    ],
    {
      seconds: [
        [10, 100],
        [30, 300],
      ],
    },
  );
  const { x, mean } = curveOf(data, "loss", "seconds", null);
  expect([[...x], [...mean]]).toEqual([
    [100, 150, 300],
    [2, 3, 4],
  ]);
});

test("of several events at one iteration, the latest counts", () => {
  const seconds: Points = [
    [0, 0],
    [10, 5],
    [10, 7],
    [20, 27],
  ];
  const points = [0, 5, 10, 15, 20, 21].map((x) => [x, x] as const);
  const { x } = curveOf(dataOf(points, { seconds }), "loss", "seconds", null);
  expect([...x]).toEqual([0, 2.5, 7, 17, 27]);
});

test("calls are those of the events, else iterations times the batch", () => {
  const points: Points = [
    [1, 1],
    [2, 2],
  ];
  const counted = dataOf(points, {
    calls: [
      [1, 7],
      [2, 9],
    ],
  });
  expect([...curveOf(counted, "loss", "calls", 16).x]).toEqual([7, 9]);
  expect([...curveOf(dataOf(points), "loss", "calls", 16).x]).toEqual([16, 32]);
  expect(curveOf(dataOf(points), "loss", "calls", null).length).toBe(0);
  expect(curveOf(dataOf(points), "tv", "iteration", null).length).toBe(0);
});

test("merged points keep their weight in columns", () => {
  const points = Array.from({ length: 4096 }, (_, i) => [i, i < 2048 ? 0 : 1] as const);
  const merged = curveOf(dataOf(points, { most: 64 }), "loss", "iteration", null);
  const { mean, points: count } = thinCurve(merged, 4);
  expect([mean, count]).toEqual([[0, 0, 1, 1], 4096]);
  expect(groupCurve([merged], 4).mean).toEqual([0, 0, 1, 1]);
});
