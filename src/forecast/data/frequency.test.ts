import { describe, expect, test } from "vitest";
import type { Frequency } from "../types.ts";
import {
  defaultSeason,
  formatFrequency,
  inferFrequency,
  inferStepFrequency,
  parseFrequency,
} from "./frequency.ts";
import { timesAfter } from "./time-grid.ts";

const START = Float64Array.of(Date.parse("2023-01-02T00:00:00Z"));

describe("the frequency is inferred from times:", () => {
  test.each(["30s", "min", "15min", "h", "6h", "D", "B", "W", "2W", "M", "2M", "Q", "6M", "Y", "2Y", "3D"])(
    "%s",
    (text) => {
      const times = timesAfter(START, parseFrequency(text), 40);
      const gappy = times.filter((_, i) => i % 7 !== 3);
      expect(formatFrequency(inferFrequency([times])!)).toBe(text);
      expect(formatFrequency(inferFrequency([gappy])!)).toBe(text);
    },
  );

  test("ends of months", () => {
    const times = timesAfter(Float64Array.of(Date.parse("2023-01-31")), { unit: "month", count: 1 }, 20);
    expect(inferFrequency([times])).toEqual({ unit: "month", count: 1 });
  });

  test("days of a single working week are days, not business days", () => {
    const times = timesAfter(Float64Array.of(Date.parse("2024-06-02")), { unit: "day", count: 1 }, 5);
    expect(inferFrequency([times])).toEqual({ unit: "day", count: 1 });
  });

  test("series with different starts have one frequency, and irregular ones have none", () => {
    const hour = 3_600_000;
    const regular = Float64Array.from({ length: 9 }, (_, i) => i * hour);
    expect(inferFrequency([regular, regular.map((time) => time + 1234)])).toEqual({ unit: "hour", count: 1 });
    expect(inferFrequency([regular, Float64Array.of(0, hour, 2.5 * hour)])).toBeNull();
    expect(inferFrequency([Float64Array.of(5)])).toBeNull();
  });
});

test("parseFrequency accepts the usual names and rejects other texts", () => {
  const read = (text: string): Frequency => parseFrequency(text);
  expect(
    ["H", "1h", "60 min", "MS", "b", "QS", "days", "a", "1", "5"].map(read).map(formatFrequency),
  ).toEqual(["h", "h", "60min", "M", "B", "Q", "D", "Y", "1", "5"]);
  for (const text of ["", " ", "0", "0h", "1.5h", "-1D", "fortnight"]) {
    expect(() => read(text)).toThrow(
      `frequency: must be a count and one of s, min, h, D, B, W, M, Q, Y, such as 15min, or a number of steps, got ${JSON.stringify(text)}`,
    );
  }
});

test("the frequency of step numbers is the greatest common divisor of all gaps", () => {
  const stepsOf = (...series: number[][]) =>
    inferStepFrequency(series.map((times) => Float64Array.from(times))).count;
  expect(stepsOf([1, 2, 3])).toBe(1);
  expect(stepsOf([10, 30, 60], [5, 25])).toBe(10);
  expect(stepsOf([4, 8], [1, 7])).toBe(2);
  expect(stepsOf([3])).toBe(1);
});

test("the default season depends on the frequency, and is 1 if it is not a whole number of steps", () => {
  const seasons = ["h", "15min", "D", "B", "W", "M", "Q", "Y", "5h", "2M", "30s", "1"].map((text) =>
    defaultSeason(parseFrequency(text)),
  );
  expect(seasons).toEqual([24, 96, 7, 5, 1, 12, 4, 1, 1, 6, 120, 1]);
  expect(defaultSeason(null)).toBe(1);
});
