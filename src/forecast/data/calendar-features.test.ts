import { expect, test } from "vitest";
import { type Frequency, TIME_UNITS } from "../types.ts";
import { calendarFeatureCount, calendarFeatures } from "./calendar-features.ts";

const day: Frequency = { unit: "day", count: 1 };
const width = calendarFeatureCount(day);

/** The calendar features of one date. */
const at = (date: string, frequency: Frequency | null = day) => [
  ...calendarFeatures(frequency, [Date.parse(date)]),
];

test("weekly features repeat after seven days, and yearly features after a year", () => {
  expect(at("2024-03-04").slice(0, 6)).toEqual(at("2024-03-11").slice(0, 6));
  expect(at("2024-03-04").slice(0, 6)).not.toEqual(at("2024-03-05").slice(0, 6));
  const year = (date: string) => at(date).slice(width - 6);
  year("2023-07-04").forEach((wave, i) => {
    expect(wave).toBeCloseTo(year("2022-07-04")[i], 5);
  });
});

test("the week starts on Monday", () => {
  const waves = at("2024-03-04").slice(0, 6);
  waves.forEach((wave, i) => {
    expect(wave).toBeCloseTo(i % 2, 6);
  });
});

test("features depend on the hour only if steps are shorter than a day", () => {
  const hour: Frequency = { unit: "hour", count: 1 };
  expect(at("2024-03-04T05:00:00Z", hour)).not.toEqual(at("2024-03-04T06:00:00Z", hour));
  expect(at("2024-03-04T00:00:00Z", hour).slice(0, 2)).toEqual([0, 1]);
  const month: Frequency = { unit: "month", count: 1 };
  expect(at("2024-03-01", month)).toEqual(at("2025-03-31", month));
});

test("calendarFeatureCount is the number of features at every frequency", () => {
  for (const frequency of [...TIME_UNITS.map((unit) => ({ unit, count: 1 })), null]) {
    const waves = calendarFeatures(frequency, [0, 1e12]);
    expect(waves.length).toBe(2 * calendarFeatureCount(frequency));
    expect(waves.every((wave) => Math.abs(wave) <= 1)).toBe(true);
  }
});
