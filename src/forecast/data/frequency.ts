// The frequency of series: told by their times, or by a short text as 15min, D, MS or 1; and the season that goes with it.

import type { Frequency } from "../types.ts";
import { timeGrid } from "./times.ts";

/** Texts of units; the first is the one that is written. */
const UNITS: Readonly<Record<Frequency["unit"], readonly string[]>> = {
  step: [""],
  second: ["s", "sec", "second", "seconds"],
  minute: ["min", "t", "minute", "minutes"],
  hour: ["h", "hour", "hours"],
  day: ["D", "day", "days"],
  "business-day": ["B", "business-day", "business-days"],
  week: ["W", "week", "weeks"],
  month: ["M", "ms", "me", "month", "months"],
  quarter: ["Q", "qs", "qe", "quarter", "quarters"],
  year: ["Y", "ys", "ye", "a", "year", "years"],
};
/** Steps after which a pattern usually comes again. */
const SEASONS: Readonly<Record<Frequency["unit"], number>> = {
  ...{ step: 1, second: 3600, minute: 1440, hour: 24, day: 7, "business-day": 5 },
  ...{ week: 1, month: 12, quarter: 4, year: 1 },
};
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Gaps of one series that are looked at. */
const MOST_GAPS = 4096;

/** The frequency whose grid all times are on, told by the median gap; null if there is none. */
export function inferFrequency(series: readonly Float64Array[]): Frequency | null {
  const gaps = Float64Array.from(series.flatMap(gapsOf)).sort();
  if (gaps.length === 0) return null;
  const median = gaps[Math.floor(gaps.length / 2)];
  const fits = (frequency: Frequency) => series.every((times) => isOn(times, frequency));
  return candidatesOf(median, series).find(fits) ?? null;
}

/** The steps of times that count: the largest number that all gaps are made of. */
export function inferSteps(series: readonly Float64Array[]): Frequency {
  const count = series.reduce(
    (divisor, times) =>
      times.reduce((d, time, i) => (i === 0 ? d : commonDivisor(time - times[i - 1], d)), divisor),
    0,
  );
  return { unit: "step", count: count || 1 };
}

/** The season of a frequency: so many steps; 1 for none. */
export function seasonOf(frequency: Frequency | null): number {
  if (frequency === null) return 1;
  const season = SEASONS[frequency.unit] / frequency.count;
  return Number.isInteger(season) ? season : 1;
}

/** A frequency out of its text: an amount and a unit, as 1h, 15min, D, B, W, MS, Q, Y; of times that count, an amount. */
export function parseFrequency(text: string): Frequency {
  const [, amount, word] = /^\s*(\d*)\s*([a-z-]*)\s*$/i.exec(text) ?? [];
  const unit = Object.entries(UNITS).find(([, words]) =>
    words.some((known) => known.toLowerCase() === word?.toLowerCase()),
  )?.[0];
  const count = amount === "" ? 1 : Number(amount);
  if (unit === undefined || text.trim() === "" || !Number.isSafeInteger(count) || count < 1) {
    throw new RangeError(
      `A frequency is an amount and one of s, min, h, D, B, W, M, Q, Y, as 15min, or a number of steps; got ${JSON.stringify(text)}`,
    );
  }
  return { unit: unit as Frequency["unit"], count };
}

/** A frequency as text, as `parseFrequency` reads it. */
export function frequencyText({ unit, count }: Frequency): string {
  return `${count === 1 && unit !== "step" ? "" : count}${UNITS[unit][0]}`;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

function gapsOf(times: Float64Array): number[] {
  const count = Math.min(times.length - 1, MOST_GAPS);
  return Array.from({ length: Math.max(count, 0) }, (_, i) => times[i + 1] - times[i]);
}

function isOn(times: Float64Array, frequency: Frequency): boolean {
  if (times.length === 0) return true;
  const grid = timeGrid(times, frequency);
  return times.every((time) => grid.stepOf(time) !== null);
}

/** Frequencies of this gap, those of the calendar first. */
function candidatesOf(gap: number, series: readonly Float64Array[]): Frequency[] {
  const days = gap / DAY;
  const months = Math.round(days / 30.436875);
  const calendar: Frequency[] = [];
  if (months >= 1 && Math.abs(days - months * 30.436875) < 3) {
    if (months % 12 === 0) calendar.push({ unit: "year", count: months / 12 });
    else if (months % 3 === 0 && months % 6 !== 0) calendar.push({ unit: "quarter", count: months / 3 });
    else calendar.push({ unit: "month", count: months });
  }
  // Days without any weekend, although there was one in between.
  const overWeekend = series.some(
    (times) => times.length > 1 && times[times.length - 1] - times[0] >= 6 * DAY,
  );
  if (days === 1 && overWeekend) calendar.push({ unit: "business-day", count: 1 });
  const fixed: [Frequency["unit"], number][] = [
    ["week", 7 * DAY],
    ["day", DAY],
    ["hour", HOUR],
    ["minute", MINUTE],
    ["second", 1000],
  ];
  const unit = fixed.find(([, length]) => gap % length === 0);
  return unit === undefined ? calendar : [...calendar, { unit: unit[0], count: gap / unit[1] }];
}
