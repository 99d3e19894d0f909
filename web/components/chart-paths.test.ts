import { describe, expect, test } from "vitest";
import { bandColumns, isDash, pixelsOf, travelOf } from "./chart-paths.ts";

describe("pixels", () => {
  test("of a linear axis are between its ends, and beyond", () => {
    const axis = { from: 10, to: 20, start: 100, end: 300, isLog: false };
    expect([...pixelsOf([10, 15, 20, 25], axis)]).toEqual([100, 200, 300, 400]);
  });

  test("of a logarithmic axis are equal for equal ratios; values that are not positive have none", () => {
    const axis = { from: 0.01, to: 100, start: 400, end: 0, isLog: true };
    const pixels = pixelsOf([0.01, 0.1, 1, 100, 0, -1, Number.NaN], axis);
    for (const [i, expected] of [400, 300, 200, 0].entries()) expect(pixels[i]).toBeCloseTo(expected, 9);
    expect([...pixels.subarray(4)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});

test("the travel of a line counts ways up and down, and no gaps", () => {
  expect(travelOf(Float64Array.of(0, 10, 0, 10))).toBe(30);
  expect(travelOf(Float64Array.of(0, 10, Number.NaN, 50, 45))).toBe(15);
  expect(travelOf(new Float64Array(0))).toBe(0);
});

describe("the columns of a band", () => {
  const band = (x: number[], top: number[], bottom: number[]) => ({
    ...{ x: Float64Array.from(x), top: Float64Array.from(top), bottom: Float64Array.from(bottom) },
  });

  test("have the extremes of several points in one pixel", () => {
    const { first, top, bottom } = bandColumns(
      band([2.1, 2.5, 2.9, 3.5], [5, 1, 5, 5], [6, 7, 20, 6]),
      0,
      100,
    );
    expect(first).toBe(2);
    expect(top[0]).toBe(1);
    expect(bottom[0]).toBe(20);
    expect(top).toHaveLength(2);
  });

  test("are interpolated between points that are farther apart than a pixel, without a gap", () => {
    const { first, top, bottom } = bandColumns(band([0.5, 4.5], [0, 40], [100, 100]), 0, 100);
    expect([first, ...top]).toEqual([0, 0, 5, 15, 25, 35]);
    expect([...bottom]).toEqual([100, 100, 100, 100, 100]);
  });

  test("end at the borders of the chart", () => {
    const { first, top, bottom } = bandColumns(band([0, 10, 20], [0, 10, 20], [50, 50, 50]), 8, 12);
    expect(first).toBe(8);
    expect([...top]).toEqual([8, 9, 10, 11]);
    expect([...bottom]).toEqual([50, 50, 50, 50]);
    expect(bandColumns(band([0, 1], [0, 0], [1, 1]), 50, 60).top).toHaveLength(0);
  });

  test("of one point is one column", () => {
    const { first, top, bottom } = bandColumns(band([7.3], [1], [2]), 0, 100);
    expect([first, ...top, ...bottom]).toEqual([7, 1, 2]);
  });
});

test("dashes are measured along the line; no pattern is one long dash", () => {
  expect([0, 6.9, 7, 10.9, 11, 18].map((at) => isDash([7, 4], at))).toEqual([
    ...[true, true, false, false, true, false],
  ]);
  expect(isDash([], 1234)).toBe(true);
});
