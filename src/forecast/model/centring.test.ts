import { expect, test } from "vitest";
import { centring, differenceFrom } from "./centring.ts";

const options = { season: 3, seasons: 1, horizon: 5, rows: 100, drift: false };
const values = Float64Array.of(1, 5, 9, 2, 7, 8, 3, 6, 10, 99, 99);

test("expects the last season again, in units of the mean seasonal difference", () => {
  const { centre, rows, scale, level } = centring(values, 9, options);
  expect([...centre]).toEqual([3, 6, 10, 3, 6]);
  expect([...rows]).toEqual([6, 7, 8, 6, 7]);
  expect(scale).toBeCloseTo((1 + 2 + 1 + 1 + 1 + 2) / 6, 12);
  expect(level).toBeCloseTo((3 + 6 + 10 + 8) / 4, 12);
});

test("adds the usual change per season where drift is asked for: a straight line is met exactly", () => {
  const line = Float64Array.from({ length: 30 }, (_, t) => 4 + 0.5 * t);
  const { centre } = centring(line, 30, { ...options, drift: true });
  centre.forEach((value, h) => {
    expect(value).toBeCloseTo(4 + 0.5 * (30 + h), 12);
  });
});

test("may expect the mean of several seasons, and still meets a line with drift", () => {
  const { centre, usual } = centring(values, 9, { ...options, seasons: 2 });
  expect([...centre]).toEqual([2.5, 6.5, 9, 2.5, 6.5]);
  expect([...usual]).toEqual([2, 6, 9, 2, 6]);
  const line = Float64Array.from({ length: 30 }, (_, t) => 4 + 0.5 * t);
  expect(centring(line, 30, { ...options, seasons: 3, drift: true }).centre[4]).toBeCloseTo(21, 12);
});

test("may expect the last value", () => {
  const { centre, rows, last } = centring(values, 9, { ...options, seasons: 0 });
  expect([...centre]).toEqual([10, 10, 10, 10, 10]);
  expect([...rows]).toEqual([6, 7, 8, 6, 7]);
  expect(last).toBe(10);
});

test("says what was expected of the rows just before, a season earlier", () => {
  const { before } = centring(values, 9, { ...options, recent: 2 });
  expect([...before]).toEqual([7, 8]);
  expect([...centring(values, 9, { ...options, seasons: 2, recent: 1 }).before]).toEqual([8.5]);
  expect([...centring(values, 9, { ...options, seasons: 0, recent: 1 }).before]).toEqual([10]);
});

test("goes back a season where a value is missing, then to the last value, then to 0", () => {
  const gaps = values.map((x, row) => (row === 7 ? Number.NaN : x));
  expect([...centring(gaps, 9, options).centre]).toEqual([3, 7, 10, 3, 7]);
  expect([...centring(Float64Array.of(4), 1, options).centre]).toEqual([4, 4, 4, 4, 4]);
  const none = centring(new Float64Array(6).fill(Number.NaN), 6, options);
  expect([...none.centre]).toEqual([0, 0, 0, 0, 0]);
  expect(none.scale).toBeGreaterThan(0);
});

test("looks at nothing from the origin on", () => {
  const other = values.map((x, row) => (row >= 9 ? -1e6 : x));
  expect(centring(other, 9, options)).toEqual(centring(values, 9, options));
});

test("has a unit above 0 for constants, small beside them, and one from further back for constant windows", () => {
  expect(centring(new Float64Array(20).fill(500), 20, options).scale).toBeCloseTo(5e-4, 12);
  expect(centring(new Float64Array(20), 20, options).scale).toBe(1e-6);
  const calm = Float64Array.from({ length: 40 }, (_, t) => (t < 20 ? t : 19));
  expect(centring(calm, 40, { ...options, rows: 5 }).scale).toBeGreaterThan(0.5);
});

test("has a unit that is no less than a fifth of the usual one, however calm the window was", () => {
  const calm = Float64Array.from({ length: 40 }, (_, t) => (t < 20 ? t : 19 + 1e-6 * t));
  // Of the 37 differences by a season, 17 are 3, three lie across the border, and the others are next to nothing.
  const usual = (17 * 3 + 3 + 2 + 1 - 3) / 37;
  const { scale, unrest } = centring(calm, 40, { ...options, rows: 5 });
  expect(scale).toBeCloseTo(0.2 * usual, 4);
  expect(unrest).toBeCloseTo(Math.log(0.2), 8);
});

test("finds the unit across gaps where no two neighbours and no two seasons are known", () => {
  const sparse = Float64Array.from({ length: 12 }, (_, row) => (row % 2 === 0 ? row ** 2 / 4 : Number.NaN));
  // 0, 1, 4, 9, 16, 25 in every second row; a season of five never meets two of them.
  const { scale, guessed } = centring(sparse, 12, { ...options, season: 5 });
  expect(scale).toBeCloseTo((1 + 3 + 5 + 7 + 9) / 5, 12);
  expect(guessed).toBe(false);
});

test("a past that never moved gives no unit, so what then differs is no difference to learn from", () => {
  const still = centring(new Float64Array(8).fill(50), 8, options);
  expect(still.guessed).toBe(true);
  expect(differenceFrom(still, 0, 50)).toBe(0);
  expect(differenceFrom(still, 0, 51)).toBeNaN();
  expect(differenceFrom(centring(values, 9, options), 0, 7)).toBeCloseTo(4 / (8 / 6), 12);
});
