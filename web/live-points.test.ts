import { expect, test } from "vitest";
import type { Series, StreamMessage, StreamPoint } from "../src/views/page-data.ts";
import { afterMessage, extended } from "./live-points.ts";

const point = (iteration: number): StreamPoint => [iteration, null, iteration / 10, 1 / iteration];
const points = (...iterations: number[]): StreamMessage => ({
  entry: "a",
  kind: "points",
  points: { loss: iterations.map(point) },
});

const SERIES: Series = {
  entry: "a",
  x: [10, 20],
  low: [1, 2],
  high: [3, 4],
  mean: [2, 3],
  points: 20,
  limit: 0,
  uniform: null,
};

test("points that are sent again after a reconnection are kept once", () => {
  let live = afterMessage({}, points(10, 20));
  live = afterMessage(live, points(20, 30));
  live = afterMessage(live, points(10, 20, 30, 40));
  expect(live.loss.map(([iteration]) => iteration)).toEqual([10, 20, 30, 40]);
});

test("metrics are kept apart, and a restart drops all points", () => {
  const live = afterMessage(afterMessage({}, points(10)), {
    entry: "a",
    kind: "points",
    points: { tv: [point(5)] },
  });
  expect(Object.keys(live)).toEqual(["loss", "tv"]);
  expect(afterMessage(live, { entry: "a", kind: "restart" })).toEqual({});
  expect(afterMessage(live, { entry: "a", kind: "state", state: "finished" })).toEqual(live);
});

test("the number of points is bounded, and the newest stay", () => {
  let live = {};
  for (let i = 0; i < 12; i++)
    live = afterMessage(live, points(...Array.from({ length: 1000 }, (_, k) => i * 1000 + k + 1)));
  const kept = (live as { loss: StreamPoint[] }).loss;
  expect(kept).toHaveLength(5000);
  expect(kept[4999][0]).toBe(12000);
});

test("a series grows by the points after its end only", () => {
  const longer = extended(SERIES, [point(15), point(20), point(25), point(30)], "iteration");
  expect(longer.x).toEqual([10, 20, 25, 30]);
  expect(longer.mean).toEqual([2, 3, 1 / 25, 1 / 30]);
  expect(longer.low).toEqual([1, 2, 1 / 25, 1 / 30]);
  expect(longer.points).toBe(22);
  expect(extended(longer, [point(25), point(30)], "iteration")).toBe(longer);
});

test("other axes use their own numbers, and points without one are left out", () => {
  expect(extended(SERIES, [point(300)], "seconds").x).toEqual([10, 20, 30]);
  expect(extended(SERIES, [point(300)], "calls")).toBe(SERIES);
  expect(extended({ ...SERIES, x: [], low: [], high: [], mean: [] }, [point(1)], "iteration").x).toEqual([1]);
});
