import { describe, expect, test } from "vitest";
import { type Frequency, TIME_UNITS } from "../types.ts";
import { floorTime, formatTime, isoTime, timeGrid, timesAfter } from "./time-grid.ts";

const utc = (text: string) => Date.parse(`${text}Z`);
const times = (...texts: string[]) => Float64Array.from(texts, (text) => Date.parse(text));
const every = (unit: Frequency["unit"], count = 1): Frequency => ({ unit, count });

describe("timesAfter", () => {
  test.each<[Frequency, string[], string[]]>([
    [
      every("second", 30),
      ["2024-02-28T23:59:00Z"],
      ["2024-02-28T23:59:30Z", "2024-02-29", "2024-02-29T00:00:30Z"],
    ],
    [
      every("minute", 15),
      ["2024-12-31T23:45:00Z"],
      ["2025-01-01", "2025-01-01T00:15:00Z", "2025-01-01T00:30:00Z"],
    ],
    [
      every("hour"),
      ["2024-03-31T00:00:00Z"],
      ["2024-03-31T01:00:00Z", "2024-03-31T02:00:00Z", "2024-03-31T03:00:00Z"],
    ],
    [every("day"), ["2024-02-28"], ["2024-02-29", "2024-03-01", "2024-03-02"]],
    [every("business-day"), ["2024-05-30"], ["2024-05-31", "2024-06-03", "2024-06-04"]],
    [every("business-day", 3), ["1969-12-31"], ["1970-01-05", "1970-01-08", "1970-01-13"]],
    [every("week"), ["2024-02-26"], ["2024-03-04", "2024-03-11", "2024-03-18"]],
    [every("month"), ["2023-11-01"], ["2023-12-01", "2024-01-01", "2024-02-01"]],
    [every("quarter"), ["2023-10-01"], ["2024-01-01", "2024-04-01", "2024-07-01"]],
    [every("year"), ["2023-07-01"], ["2024-07-01", "2025-07-01", "2026-07-01"]],
  ])("%o after %s", (frequency, history, ahead) => {
    expect([...timesAfter(times(...history), frequency, 3)].map(isoTime)).toEqual(ahead);
  });

  test("continues ends of months, the 28th, and the 30th except in February", () => {
    const following = (...history: string[]) =>
      [...timesAfter(times(...history), every("month"), 3)].map((time) => isoTime(time).slice(5));
    expect(following("2022-12-31", "2023-01-31", "2023-02-28")).toEqual(["03-31", "04-30", "05-31"]);
    expect(following("2023-01-28", "2023-02-28")).toEqual(["03-28", "04-28", "05-28"]);
    expect(following("2023-10-30", "2023-11-30", "2023-12-30")).toEqual(["01-30", "02-29", "03-30"]);
  });

  test("continues ends of quarters although all given ones are the 30th", () => {
    const ahead = timesAfter(times("2023-06-30", "2023-09-30"), every("quarter"), 3);
    expect([...ahead].map(isoTime)).toEqual(["2023-12-31", "2024-03-31", "2024-06-30"]);
  });

  test("keeps the time of day", () => {
    expect(isoTime(timesAfter(times("2024-01-05T16:30:00Z"), every("business-day"), 1)[0])).toBe(
      "2024-01-08T16:30:00Z",
    );
    expect(isoTime(timesAfter(times("2024-01-05T16:30:00Z"), every("month"), 1)[0])).toBe(
      "2024-02-05T16:30:00Z",
    );
  });

  test("rejects a last time that is not on the grid", () => {
    expect(() => timesAfter(times("2024-01-01", "2024-01-02T12:00:00Z"), every("day"), 1)).toThrow(
      "the last time of a series must be on the time grid that starts with its first time, got 2024-01-02T12:00:00Z",
    );
  });
});

test("stepOf reverses at for every unit, and is null for other times", () => {
  for (const unit of TIME_UNITS) {
    for (const count of [1, 2, 5]) {
      const grid = timeGrid(times("1968-01-31T06:00:00Z"), every(unit, count));
      for (let step = -40; step < 120; step++) expect(grid.stepOf(grid.at(step))).toBe(step);
      expect(grid.stepOf(grid.at(3) + (unit === "step" && count === 1 ? 0.5 : 1))).toBeNull();
    }
  }
});

test("a grid of business days has no Saturday or Sunday, also before 1970", () => {
  const days = ["1969-12-27", "1969-12-28", "1969-12-29", "2024-06-01", "2024-06-02", "2024-06-03"];
  // 2839 weeks and four days after the last Monday of 1969.
  const grid = timeGrid(times("2024-05-31"), every("business-day"));
  expect(days.map((day) => grid.stepOf(Date.parse(day)))).toEqual([
    null,
    null,
    -(2839 * 5 + 4),
    null,
    null,
    1,
  ]);
});

test("floorTime gives the start of the calendar step", () => {
  const floor = (text: string, unit: Frequency["unit"], count = 1) =>
    isoTime(floorTime(utc(text), every(unit, count)));
  expect(floor("2024-05-15T13:47:12", "minute", 15)).toBe("2024-05-15T13:45:00Z");
  expect(floor("2024-05-15T13:47:12", "week")).toBe("2024-05-13");
  expect(floor("2024-05-18T13:47:12", "business-day")).toBe("2024-05-17");
  expect(floor("2024-05-15T13:47:12", "month")).toBe("2024-05-01");
  expect(floor("2024-05-15T13:47:12", "quarter")).toBe("2024-04-01");
  expect(floor("1969-05-15T13:47:12", "year")).toBe("1969-01-01");
});

test("formatTime gives a number for step numbers and a date for timestamps", () => {
  expect(formatTime(41, { unit: "step", count: 1 })).toBe(41);
  expect(formatTime(86_400_000, { unit: "day", count: 1 })).toBe("1970-01-02");
  expect(formatTime(86_400_000, null)).toBe("1970-01-02");
  expect(timesAfter(Float64Array.of(2, 4, 6), { unit: "step", count: 2 }, 2)).toEqual(Float64Array.of(8, 10));
  expect(floorTime(-3, { unit: "step", count: 4 })).toBe(-4);
});
