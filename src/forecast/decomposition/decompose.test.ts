// Decompositions: exact for known components, and components that add up to the series.

import { describe, expect, test } from "vitest";
import { births } from "../../../test/support/panels.ts";
import { RandomStream } from "../../engine/index.ts";
import { decompose } from "./decompose.ts";
import { loess } from "./loess.ts";

const missing = Number.NaN;

function expectClose(got: Float64Array, wanted: (t: number) => number, tolerance = 1e-8): void {
  got.forEach((value, t) => {
    expect(Math.abs(value - wanted(t))).toBeLessThan(tolerance);
  });
}

describe("local regression", () => {
  const line = (t: number) => 3 - 0.5 * t;

  test("reproduces a line, also beyond its ends and across gaps", () => {
    const values = Float64Array.from({ length: 20 }, (_, t) => (t % 4 === 1 ? missing : line(t)));
    expectClose(loess(values, 7, -3, 24), (i) => line(i - 3));
    expectClose(loess(values, 99), line);
  });

  test("equals the weighted regression line by definition", () => {
    const stream = RandomStream.fromSeed(4);
    const values = Float64Array.from({ length: 9 }, () => stream.normal());
    // At 4 with five values the outer two have weight 0, and the inner three the weights w, 1, w.
    const w = (1 - (1 / 2) ** 3) ** 3;
    const expected = (w * values[3] + values[4] + w * values[5]) / (1 + 2 * w);
    expect(loess(values, 5)[4]).toBeCloseTo(expected, 12);
    // With three values and a window of five, d_max is one step larger, which gives the outer two the same weight w.
    expect(loess(values.slice(3, 6), 5)[1]).toBeCloseTo(expected, 12);
  });

  test("of one value, or of two at equal distance, is the mean", () => {
    expect([...loess(Float64Array.of(missing, 7, missing), 3)]).toEqual([7, 7, 7]);
    expect(loess(Float64Array.of(1, missing, 5), 2)[1]).toBe(3);
    expect(() => loess(Float64Array.of(missing), 3)).toThrow(
      "loess: at least one value must be observed, got none in 1",
    );
  });
});

describe("a series", () => {
  const season = (t: number) => [2, -1, 0, -1][t % 4];
  const trend = (t: number) => 10 + 0.25 * t;
  const exact = Float64Array.from({ length: 40 }, (_, t) => trend(t) + season(t));

  test("that is a line plus a season is decomposed exactly", () => {
    const parts = decompose(exact, [4]);
    expectClose(parts.trend, trend);
    expectClose(parts.seasons[0].values, season);
    expectClose(parts.residual, () => 0);
    expect([parts.trendStrength, parts.seasons[0].strength]).toEqual([
      expect.closeTo(1, 10),
      expect.closeTo(1, 10),
    ]);
  });

  test("with gaps has the same components, and gaps only in the residual", () => {
    const torn = exact.map((value, t) => (t % 7 === 2 || (t > 20 && t < 24) ? missing : value));
    const parts = decompose(torn, [4]);
    expectClose(parts.trend, trend);
    expectClose(parts.seasons[0].values, season);
    expect(Array.from(parts.residual, Number.isNaN)).toEqual(Array.from(torn, Number.isNaN));
  });

  test("with an unobserved phase has finite components", () => {
    const parts = decompose(
      exact.map((value, t) => (t % 4 === 3 ? missing : value)),
      [4],
    );
    expect([...parts.trend, ...parts.seasons[0].values].every(Number.isFinite)).toBe(true);
  });

  test("with two seasons is decomposed into both", () => {
    const long = (t: number) => 5 * Math.cos((2 * Math.PI * t) / 20);
    const values = Float64Array.from({ length: 200 }, (_, t) => trend(t) + season(t) + long(t));
    const parts = decompose(values, [20, 4]);
    expect(parts.seasons.map((part) => part.season)).toEqual([4, 20]);
    expectClose(parts.seasons[0].values, season, 0.1);
    expectClose(parts.seasons[1].values, long, 0.1);
    expectClose(parts.residual, () => 0, 0.1);
  });

  test("is the sum of its components", () => {
    const stream = RandomStream.fromSeed(6);
    const values = Float64Array.from({ length: 80 }, () => 100 * stream.normal());
    const parts = decompose(values, [7, 12]);
    expectClose(
      values,
      (t) =>
        parts.trend[t] + parts.residual[t] + parts.seasons.reduce((sum, part) => sum + part.values[t], 0),
    );
    expect(parts.seasons[0].strength).toBeLessThan(0.7);
  });

  test("without a usable season has trend and residual, and a note", () => {
    const parts = decompose(Float64Array.of(1, 2, 3, 4, 5), [1, 4]);
    expect(parts.seasons).toEqual([]);
    expectClose(parts.trend, (t) => t + 1);
    expect(parts.notes).toEqual([
      "the season of 4 is skipped, because it needs 8 values and there are 5",
      "the strength of the trend is skipped, because it needs 16 values and there are 5",
    ]);
  });

  test("of two seasons of noise has no strengths, because the components would absorb the noise", () => {
    const stream = RandomStream.fromSeed(8);
    const noise = (count: number) => Float64Array.from({ length: count }, () => stream.normal());
    const short = decompose(noise(20), [10]);
    expect([short.trendStrength, short.seasons[0].strength]).toEqual([null, null]);
    expect(short.notes).toEqual([
      "the strength of the season of 10 is skipped, because it needs 30 values and there are 20",
      "the strength of the trend is skipped, because it needs 30 values and there are 20",
    ]);
    const enough = decompose(noise(30), [10]);
    expect(enough.trendStrength).toBeLessThan(0.9);
    expect(enough.seasons[0].strength).toBeLessThan(0.95);
    expect(enough.notes).toEqual([]);
  });

  test("that is constant has no strengths", () => {
    const parts = decompose(new Float64Array(30).fill(0.1), [7]);
    expectClose(parts.trend, () => 0.1);
    expect([parts.trendStrength, parts.seasons[0].strength]).toEqual([null, null]);
  });

  test("without values, or with a fractional season, is rejected", () => {
    expect(() => decompose(Float64Array.of(missing), [2])).toThrow(
      "decompose: at least one value must be observed, got none in 1",
    );
    expect(() => decompose(exact, [2.5])).toThrow(
      "decompose: a season must be a whole number above 0, got 2.5",
    );
  });
});

test("births have a weekly season, with fewer on Saturdays and Sundays", () => {
  // 1 January 2000 was a Saturday.
  const { seasons } = decompose(Float64Array.from(births("2000-2014")), [7]);
  expect(seasons[0].strength).toBeGreaterThan(0.85);
  const days = Array.from({ length: 7 }, (_, day) => {
    const own = seasons[0].values.filter((_, t) => t % 7 === day);
    return own.reduce((a, b) => a + b) / own.length;
  });
  expect(days.map((mean) => mean < 0)).toEqual([true, true, false, false, false, false, false]);
});
