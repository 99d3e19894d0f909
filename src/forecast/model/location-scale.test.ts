import { expect, test } from "vitest";
import { locationScale, standardise } from "./location-scale.ts";

const options = { season: 3, averagedSeasons: 1, horizon: 5, scaleRows: 100, drift: false };
const values = Float64Array.of(1, 5, 9, 2, 7, 8, 3, 6, 10, 99, 99);

test("the location repeats the last season, and the scale is the mean absolute seasonal difference", () => {
  const { location, seasonalRows, scale, level } = locationScale(values, 9, options);
  expect([...location]).toEqual([3, 6, 10, 3, 6]);
  expect([...seasonalRows]).toEqual([6, 7, 8, 6, 7]);
  expect(scale).toBeCloseTo((1 + 2 + 1 + 1 + 1 + 2) / 6, 12);
  expect(level).toBeCloseTo((3 + 6 + 10 + 8) / 4, 12);
});

test("drift adds the mean change per season: a straight line is continued exactly", () => {
  const line = Float64Array.from({ length: 30 }, (_, t) => 4 + 0.5 * t);
  const { location } = locationScale(line, 30, { ...options, drift: true });
  location.forEach((value, h) => {
    expect(value).toBeCloseTo(4 + 0.5 * (30 + h), 12);
  });
});

test("the location can average several seasons, and drift still continues a straight line", () => {
  const { location, seasonalMean } = locationScale(values, 9, { ...options, averagedSeasons: 2 });
  expect([...location]).toEqual([2.5, 6.5, 9, 2.5, 6.5]);
  expect([...seasonalMean]).toEqual([2, 6, 9, 2, 6]);
  const line = Float64Array.from({ length: 30 }, (_, t) => 4 + 0.5 * t);
  const drifting = { ...options, averagedSeasons: 3, drift: true };
  expect(locationScale(line, 30, drifting).location[4]).toBeCloseTo(21, 12);
});

test("with no averaged season the location is the last value", () => {
  const { location, seasonalRows, lastValue } = locationScale(values, 9, { ...options, averagedSeasons: 0 });
  expect([...location]).toEqual([10, 10, 10, 10, 10]);
  expect([...seasonalRows]).toEqual([6, 7, 8, 6, 7]);
  expect(lastValue).toBe(10);
});

test("the recent location is the naive forecast of the rows just before the origin", () => {
  const recentLocation = (averagedSeasons: number, recent: number) => [
    ...locationScale(values, 9, { ...options, averagedSeasons, recent }).recentLocation,
  ];
  expect(recentLocation(1, 2)).toEqual([7, 8]);
  expect(recentLocation(2, 1)).toEqual([8.5]);
  expect(recentLocation(0, 1)).toEqual([10]);
});

test("a missing value is replaced by the value one season earlier, then by the last value, then by 0", () => {
  const gaps = values.map((x, row) => (row === 7 ? Number.NaN : x));
  expect([...locationScale(gaps, 9, options).location]).toEqual([3, 7, 10, 3, 7]);
  expect([...locationScale(Float64Array.of(4), 1, options).location]).toEqual([4, 4, 4, 4, 4]);
  const none = locationScale(new Float64Array(6).fill(Number.NaN), 6, options);
  expect([...none.location]).toEqual([0, 0, 0, 0, 0]);
  expect(none.scale).toBeGreaterThan(0);
});

test("values from the origin on have no effect", () => {
  const other = values.map((x, row) => (row >= 9 ? -1e6 : x));
  expect(locationScale(other, 9, options)).toEqual(locationScale(values, 9, options));
});

test("the scale of a constant series is small and positive; that of a constant window comes from earlier rows", () => {
  expect(locationScale(new Float64Array(20).fill(500), 20, options).scale).toBeCloseTo(5e-4, 12);
  expect(locationScale(new Float64Array(20), 20, options).scale).toBe(1e-6);
  const calm = Float64Array.from({ length: 40 }, (_, t) => (t < 20 ? t : 19));
  expect(locationScale(calm, 40, { ...options, scaleRows: 5 }).scale).toBeGreaterThan(0.5);
});

test("the scale is at least a fifth of the scale of the entire past", () => {
  const calm = Float64Array.from({ length: 40 }, (_, t) => (t < 20 ? t : 19 + 1e-6 * t));
  // Of the 37 seasonal differences, 17 are 3, three lie across the change at row 20, and the others are almost 0.
  const overall = (17 * 3 + 3 + 2 + 1 - 3) / 37;
  const { scale, logScaleRatio } = locationScale(calm, 40, { ...options, scaleRows: 5 });
  expect(scale).toBeCloseTo(0.2 * overall, 4);
  expect(logScaleRatio).toBeCloseTo(Math.log(0.2), 8);
});

test("the scale uses differences across gaps if no neighbours and no seasonal pairs are observed", () => {
  const sparse = Float64Array.from({ length: 12 }, (_, row) => (row % 2 === 0 ? row ** 2 / 4 : Number.NaN));
  // 0, 1, 4, 9, 16, 25 in every second row; no two of them are a season of five rows apart.
  const { scale, scaleUndetermined } = locationScale(sparse, 12, { ...options, season: 5 });
  expect(scale).toBeCloseTo((1 + 3 + 5 + 7 + 9) / 5, 12);
  expect(scaleUndetermined).toBe(false);
});

test("a constant past determines no scale, so a value that differs from it has no standardised value", () => {
  const constant = locationScale(new Float64Array(8).fill(50), 8, options);
  expect(constant.scaleUndetermined).toBe(true);
  expect(standardise(constant, 0, 50)).toBe(0);
  expect(standardise(constant, 0, 51)).toBeNaN();
  expect(standardise(locationScale(values, 9, options), 0, 7)).toBeCloseTo(4 / (8 / 6), 12);
});
