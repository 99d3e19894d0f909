import { describe, expect, test } from "vitest";
import {
  type ChartLine,
  crossesBox,
  fittingTicks,
  movingAverage,
  nearestIndex,
  scalesOf,
} from "./chart-math.ts";

const line = (x: number[], y: number[], band: Partial<ChartLine> = {}): ChartLine => ({
  ...{ id: "a", label: "a", colour: "--series-1", dash: [], width: 1, opacity: 1, x, y },
  ...band,
});

describe("scales", () => {
  test("include lines, bands and references", () => {
    const lines = [line([0, 10], [2, 4], { low: [1, 1], high: [5, 6] }), line([5, 20], [3, 3])];
    const { x, y } = scalesOf(lines, [{ label: "limit", value: 0 }], { scale: "linear", zoom: null });
    expect(x.domain).toEqual([0, 20]);
    expect(y.domain[0]).toBeLessThanOrEqual(0);
    expect(y.domain[1]).toBeGreaterThanOrEqual(6);
  });

  test("of a logarithmic axis leave out values that are not positive, and references far below", () => {
    const lines = [line([0, 1, 2], [0.5, 0.1, 0.2], { low: [-1, 0.06, 1e-5], high: [0.5, 0.1, 0.2] })];
    const references = [
      { label: "limit", value: 1e-8 },
      { label: "uniform", value: 0.9 },
    ];
    const { y } = scalesOf(lines, references, { scale: "log", zoom: null });
    expect(y.domain[0]).toBeGreaterThan(0.01);
    expect(y.domain[0]).toBeLessThanOrEqual(0.06);
    expect(y.domain[1]).toBeGreaterThanOrEqual(0.9);
  });

  test("follow the zoom, and exist without data", () => {
    expect(scalesOf([line([0, 9], [1, 2])], [], { scale: "linear", zoom: [3, 4] }).x.domain).toEqual([3, 4]);
    expect(scalesOf([line([7], [1])], [], { scale: "linear", zoom: null }).x.domain).toEqual([0, 14]);
    const { x, y } = scalesOf([], [], { scale: "log", zoom: null });
    for (const value of [...x.domain, ...y.domain]) expect(value).toSatisfy(Number.isFinite);
  });
});

test("the nearest index is found in arrays of any length", () => {
  expect(nearestIndex([], 3)).toBe(-1);
  expect(nearestIndex([5], 3)).toBe(0);
  const values = [0, 1, 4, 9, 16, 25];
  for (const at of [-1, 0, 0.4, 0.6, 2.4, 2.6, 12, 13, 25, 99]) {
    const best = values.reduce((i, value, k) => (Math.abs(value - at) < Math.abs(values[i] - at) ? k : i), 0);
    expect(nearestIndex(values, at), String(at)).toBe(best);
  }
});

test("a moving average keeps straight lines and the ends", () => {
  const straight = Array.from({ length: 50 }, (_, i) => 3 * i + 1);
  movingAverage(straight, 15).forEach((value, i) => {
    expect(value).toBeCloseTo(straight[i], 9);
  });
  expect(movingAverage([0, 3, 0, 3, 0], 3)).toEqual([0, 1, 2, 1, 0]);
  const values = [1, 2];
  expect(movingAverage(values, 0)).toBe(values);
});

test("a line crosses a box if a part of it lies inside, between its points too", () => {
  const crosses = (x: number[], y: number[], box: { x: [number, number]; y: [number, number] }) =>
    crossesBox(line(x, y), box, (value) => value);
  expect(crosses([0, 10], [0, 10], { x: [4, 6], y: [4.5, 5.5] })).toBe(true);
  expect(crosses([0, 10], [0, 10], { x: [4, 6], y: [7, 9] })).toBe(false);
  expect(crosses([0, 10], [0, 10], { x: [8, 12], y: [9, 20] })).toBe(true);
  expect(crosses([0, 10], [0, 10], { x: [11, 12], y: [0, 20] })).toBe(false);
  expect(crosses([0, 5, 10], [1, Number.NaN, 1], { x: [2, 8], y: [0, 2] })).toBe(false);
  expect(crosses([3], [1], { x: [2, 8], y: [0, 2] })).toBe(false);
  const many = Array.from({ length: 1001 }, (_, i) => i);
  const flat = many.map((i) => (i === 700 ? 5 : 0));
  expect(crosses(many, flat, { x: [690, 710], y: [4, 6] })).toBe(true);
  expect(crosses(many, flat, { x: [710, 900], y: [4, 6] })).toBe(false);
});

test("ticks are left out where their texts would touch", () => {
  const ticks = ["0", "500", "1000", "1500", "2000"].map((text) => ({ text }));
  const shown = (pixels: number) => fittingTicks(ticks, pixels).map(({ text }) => text);
  expect(shown(400)).toEqual(["0", "500", "1000", "1500", "2000"]);
  expect(shown(150)).toEqual(["0", "1000", "2000"]);
  expect(shown(0)).toEqual(["0"]);
  expect(fittingTicks([], 100)).toEqual([]);
});
