// Tests totals of columns against sums over all points, and that they are kept in limited memory.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { columnTotals, totalsBytes } from "./column-totals.ts";
import type { MetricsData } from "./metric-store.ts";
import { PointSeries } from "./point-series.ts";
import { CurveCache, curveOf } from "./x-axis.ts";

/** Points at irregular places, several of them at the same one. */
function randomCurve(count: number, most?: number) {
  const random = RandomStream.fromSeed(count).split("points");
  const series = new PointSeries(most);
  let x = 0;
  for (let i = 0; i < count; i++) {
    x += Math.floor(random.uniform() ** 6 * 40);
    series.append(x, random.uniform() - 0.5);
  }
  const none = new PointSeries();
  const data: MetricsData = {
    ...{ position: { offset: 0, check: 0 }, series: new Map([["loss", series]]), calls: none, seconds: none },
    ...{ curves: new CurveCache(), limits: new Map(), uniforms: new Map() },
  };
  return curveOf(data, "loss", "iteration", null);
}

for (const [what, most] of [
  ["points", undefined],
  ["merged points", 256],
] as const) {
  test(`every column has the number, the sum and the extremes of its ${what}`, () => {
    const curve = randomCurve(3000, most);
    const { middle, mean, low, high, weight, length } = curve;
    for (const [first, end] of [
      [0, length],
      [17, length - 31],
    ]) {
      const [from, to, columns] = [middle[first], middle[end - 1], 40];
      const totals = columnTotals(curve, { first, end, from, to, columns });
      for (let column = 0; column < columns; column++) {
        const edge = (k: number) => from + ((to - from) * k) / columns;
        const inside = Array.from({ length: end - first }, (_, i) => first + i).filter(
          (i) => middle[i] >= edge(column) && (column === columns - 1 || middle[i] < edge(column + 1)),
        );
        const weights = inside.map((i) => weight?.[i] ?? 1);
        expect(totals.points[column]).toBe(weights.reduce((a, b) => a + b, 0));
        const sum = inside.reduce((total, i, k) => total + weights[k] * mean[i], 0);
        expect(totals.sum[column]).toBeCloseTo(sum, 9);
        if (inside.length === 0) continue;
        expect(totals.low[column]).toBe(Math.min(...inside.map((i) => low[i])));
        expect(totals.high[column]).toBe(Math.max(...inside.map((i) => high[i])));
        expect(totals.ends[column]).toBe(inside.at(-1)! + 1);
      }
    }
  });
}

test("the last totals of a curve are kept, older ones are not", () => {
  const curve = randomCurve(500);
  const range = { first: 0, end: 500, from: curve.middle[0], to: curve.middle[499] };
  const whole = columnTotals(curve, { ...range, columns: 10 });
  expect(columnTotals(curve, { ...range, columns: 10 })).toBe(whole);
  columnTotals(curve, { ...range, columns: 11 });
  const bytes = totalsBytes(curve);
  expect(bytes).toBe((10 + 11) * (4 + 4 * 8));
  columnTotals(curve, { ...range, columns: 10 });
  columnTotals(curve, { ...range, columns: 11 });
  expect(columnTotals(curve, { ...range, columns: 10 })).toBe(whole);
  columnTotals(curve, { ...range, columns: 9 });
  expect(totalsBytes(curve)).toBe((10 + 9) * (4 + 4 * 8));
});
