import { describe, expect, test } from "vitest";
import type { Frequency } from "../types.ts";
import { frequencyText, inferFrequency, inferSteps, parseFrequency, seasonOf } from "./frequency.ts";
import { nextTimes } from "./times.ts";

const START = Float64Array.of(Date.parse("2023-01-02T00:00:00Z"));

describe("the frequency of times is told:", () => {
  test.each(["30s", "min", "15min", "h", "6h", "D", "B", "W", "2W", "M", "2M", "Q", "6M", "Y", "2Y", "3D"])(
    "%s",
    (text) => {
      const times = nextTimes(START, parseFrequency(text), 40);
      const gappy = times.filter((_, i) => i % 7 !== 3);
      expect(frequencyText(inferFrequency([times])!)).toBe(text);
      expect(frequencyText(inferFrequency([gappy])!)).toBe(text);
    },
  );

  test("ends of months", () => {
    const times = nextTimes(Float64Array.of(Date.parse("2023-01-31")), { unit: "month", count: 1 }, 20);
    expect(inferFrequency([times])).toEqual({ unit: "month", count: 1 });
  });

  test("days of one working week are days, as nothing says more", () => {
    const times = nextTimes(Float64Array.of(Date.parse("2024-06-02")), { unit: "day", count: 1 }, 5);
    expect(inferFrequency([times])).toEqual({ unit: "day", count: 1 });
  });

  test("series that start at different times have one frequency, and irregular ones have none", () => {
    const hour = 3_600_000;
    const regular = Float64Array.from({ length: 9 }, (_, i) => i * hour);
    expect(inferFrequency([regular, regular.map((time) => time + 1234)])).toEqual({ unit: "hour", count: 1 });
    expect(inferFrequency([regular, Float64Array.of(0, hour, 2.5 * hour)])).toBeNull();
    expect(inferFrequency([Float64Array.of(5)])).toBeNull();
  });
});

test("a frequency is read in the usual spellings, and nothing else is one", () => {
  const read = (text: string): Frequency => parseFrequency(text);
  expect(["H", "1h", "60 min", "MS", "b", "QS", "days", "a", "1", "5"].map(read).map(frequencyText)).toEqual([
    "h",
    "h",
    "60min",
    "M",
    "B",
    "Q",
    "D",
    "Y",
    "1",
    "5",
  ]);
  for (const text of ["", " ", "0", "0h", "1.5h", "-1D", "fortnight"]) {
    expect(() => read(text)).toThrow(
      `A frequency is an amount and one of s, min, h, D, B, W, M, Q, Y, as 15min, or a number of steps; got ${JSON.stringify(text)}`,
    );
  }
});

test("times that count go by the largest step that all gaps are made of", () => {
  const stepsOf = (...series: number[][]) =>
    inferSteps(series.map((times) => Float64Array.from(times))).count;
  expect(stepsOf([1, 2, 3])).toBe(1);
  expect(stepsOf([10, 30, 60], [5, 25])).toBe(10);
  expect(stepsOf([4, 8], [1, 7])).toBe(2);
  expect(stepsOf([3])).toBe(1);
});

test("the season follows the frequency where it goes into it", () => {
  const seasons = ["h", "15min", "D", "B", "W", "M", "Q", "Y", "5h", "2M", "30s", "1"].map((text) =>
    seasonOf(parseFrequency(text)),
  );
  expect(seasons).toEqual([24, 96, 7, 5, 1, 12, 4, 1, 1, 6, 120, 1]);
  expect(seasonOf(null)).toBe(1);
});
