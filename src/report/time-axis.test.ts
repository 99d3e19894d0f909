// Tests of time scales: ticks are at whole calendar units, with room between their labels.

import { describe, expect, test } from "vitest";
import { FONT_SIZE, textWidth } from "./theme.ts";
import { dateText, isTime, stepScale, timeScale } from "./time-axis.ts";

const at = (text: string) => Date.parse(`${text}Z`);
const textsOf = (from: string, to: string, width: number) =>
  timeScale([at(from), at(to)], width).ticks.map(({ text }) => text);

describe("ticks", () => {
  test("are at years, months, Mondays, days or hours, whichever fits", () => {
    expect(textsOf("2010-06-01T00:00", "2015-06-01T00:00", 250)).toEqual([
      ...["2011", "2012", "2013", "2014", "2015"],
    ]);
    expect(textsOf("2013-11-15T00:00", "2014-04-15T00:00", 300)).toEqual([
      ...["Dec", "2014", "Feb", "Mar", "Apr"],
    ]);
    // All of these ticks are at Mondays.
    expect(textsOf("2014-03-01T00:00", "2014-04-01T00:00", 300)).toEqual([
      ...["Mar 3", "Mar 10", "Mar 17", "Mar 24", "Mar 31"],
    ]);
    expect(textsOf("2014-03-01T03:00", "2014-03-04T03:00", 250)).toEqual([
      ...["12:00", "Mar 2", "12:00", "Mar 3", "12:00", "Mar 4"],
    ]);
    // The last label is empty, because it would extend too far beyond the right end of the frame.
    expect(textsOf("2014-03-01T03:00", "2014-03-01T03:20", 300)).toEqual([
      ...["03:00", "03:05", "03:10", "03:15", ""],
    ]);
  });

  test("follow the calendar, also in leap years and before 1970", () => {
    const leap = timeScale([at("2024-02-28T00:00"), at("2024-03-02T00:00")], 300);
    expect(leap.ticks.map(({ value }) => dateText(value))).toContain("2024-02-29");
    const old = timeScale([at("1899-06-01T00:00"), at("1902-06-01T00:00")], 150);
    expect(old.ticks.map(({ value }) => dateText(value))).toEqual(["1900-01-01", "1901-01-01", "1902-01-01"]);
  });

  test.each([60, 120, 300, 650])("do not overlap in %i pixels, for short and long ranges", (width) => {
    for (const length of [2e3, 9e4, 4e6, 3e7, 2e8, 1e9, 8e9, 7e10, 1e12, 3e13]) {
      const [from, to] = [at("2001-02-03T04:05"), at("2001-02-03T04:05") + length];
      const texts = timeScale([from, to], width).ticks.map(({ value, text }) => ({
        middle: (width * (value - from)) / length,
        half: textWidth(text, FONT_SIZE.note) / 2,
      }));
      for (const [i, { middle, half }] of texts.slice(1).entries()) {
        expect(middle - half).toBeGreaterThan(texts[i].middle + texts[i].half);
      }
      for (const { middle, half } of texts.filter((text) => text.half > 0)) {
        expect(middle + half).toBeLessThanOrEqual(width + 12);
      }
    }
  });

  test("have a title with the year, and with the time of day for short ranges", () => {
    expect(timeScale([at("2014-03-01T00:00"), at("2014-04-01T00:00")], 300).title).toBe(
      "2014-03-01 to 2014-04-01 (UTC)",
    );
    expect(timeScale([at("2014-03-01T03:00"), at("2014-03-01T03:20")], 300).title).toBe(
      "2014-03-01 03:00 to 2014-03-01 03:20 (UTC)",
    );
    expect(timeScale([at("2014-03-01T23:59:30"), at("2014-03-02T00:00:10")], 300).title).toBe(
      "2014-03-01 23:59:30 to 2014-03-02 00:00:10 (UTC)",
    );
  });
});

test("a single time gets a domain of one day to each side", () => {
  const time = at("2014-03-05T00:00");
  expect(timeScale([time, time], 300).domain).toEqual([time - 86_400_000, time + 86_400_000]);
});

test("times outside the range of Date are recognised", () => {
  expect([0, -8.64e15, 8.65e15, Number.NaN, Number.POSITIVE_INFINITY].map(isTime)).toEqual([
    ...[true, true, false, false, false],
  ]);
  expect(dateText(Number.NaN)).toBe("–");
  expect(timeScale([-8.64e15, 8.64e15], 300).ticks.length).toBeGreaterThan(0);
});

test("step scales have integer ticks from the first to the last step", () => {
  const { domain, ticks, title } = stepScale([1, 43], 600);
  expect([domain, title]).toEqual([[1, 43], "step"]);
  expect(ticks.map(({ text }) => text)).toEqual(["5", "10", "15", "20", "25", "30", "35", "40"]);
  expect(stepScale([7, 9], 600).ticks.map(({ value }) => value)).toEqual([7, 8, 9]);
  const single = stepScale([5, 5], 600).domain;
  expect(single[0]).toBeLessThan(5);
  expect(single[1]).toBeGreaterThan(5);
});
