import { expect, test } from "vitest";
import { calendarFeatures, calendarOf, fourierTerms } from "./calendar.ts";
import { parseFrequency } from "./frequency.ts";

const times = (...texts: string[]) => Float64Array.from(texts, (text) => Date.parse(text));

/** How far round its circle a feature is, from sine and cosine. */
function turn(values: readonly Float64Array[], i: number): number {
  const angle = Math.atan2(values[0][i], values[1][i]) / (2 * Math.PI);
  return angle < -1e-12 ? angle + 1 : angle;
}

test("each feature is where its part of the calendar is", () => {
  // A Thursday in a leap year, day 60 of 366.
  const at = times("2024-02-29T18:00:00Z");
  expect(new Date(at[0]).getUTCDay()).toBe(4);
  expect(turn(calendarFeatures(at, ["hour"]).values, 0)).toBeCloseTo(18 / 24, 12);
  expect(turn(calendarFeatures(at, ["day-of-week"]).values, 0)).toBeCloseTo(3 / 7, 12);
  expect(turn(calendarFeatures(at, ["day-of-month"]).values, 0)).toBeCloseTo(28 / 29, 12);
  expect(turn(calendarFeatures(at, ["day-of-year"]).values, 0)).toBeCloseTo(59 / 366, 12);
  expect(turn(calendarFeatures(at, ["month"]).values, 0)).toBeCloseTo(1 / 12, 12);
  expect(calendarFeatures(at, ["month"]).names).toEqual(["month-sin", "month-cos"]);
  expect(calendarFeatures(at).values).toHaveLength(10);
});

test("times before 1970 go round the same way", () => {
  const at = times("1969-12-29T06:00:00Z");
  expect(turn(calendarFeatures(at, ["hour"]).values, 0)).toBeCloseTo(1 / 4, 12);
  expect(turn(calendarFeatures(at, ["day-of-week"]).values, 0)).toBeCloseTo(0, 12);
});

test("Fourier terms repeat after a period and not before", () => {
  const period = 1000;
  const { names, values } = fourierTerms(Float64Array.of(-750, 250, 1250, 375), period, 2);
  expect(names).toEqual(["fourier-1-sin", "fourier-1-cos", "fourier-2-sin", "fourier-2-cos"]);
  for (const column of values) {
    expect(column[0]).toBeCloseTo(column[1], 12);
    expect(column[1]).toBeCloseTo(column[2], 12);
  }
  expect(values.map((column) => column[1])).toEqual([1, 0, 0, -1].map((value) => expect.closeTo(value, 12)));
  expect(values[0][3]).toBeCloseTo(Math.SQRT1_2, 12);
  expect(() => fourierTerms(Float64Array.of(1), 0, 1)).toThrow("A period must be above 0, got 0");
});

test("a frequency has the features that change with its steps", () => {
  expect(calendarOf(parseFrequency("15min"))).toContain("hour");
  expect(calendarOf(parseFrequency("D"))).toEqual(["day-of-week", "day-of-month", "day-of-year", "month"]);
  expect(calendarOf(parseFrequency("Q"))).toEqual(["month"]);
  expect(calendarOf(parseFrequency("Y"))).toEqual([]);
  expect(calendarOf(null)).toHaveLength(5);
});
