// The frequency of series: inferred from times or parsed from a text such as 15min, D, MS or 1; and its default season.

import { show, UserError } from "../../issues.ts";
import type { Frequency } from "../types.ts";
import { timeGrid } from "./time-grid.ts";

/** Accepted names of each unit; `formatFrequency` writes the first. */
const UNIT_NAMES: Readonly<Record<Frequency["unit"], readonly string[]>> = {
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
/** Default number of steps of a season, per unit. */
const SEASONS: Readonly<Record<Frequency["unit"], number>> = {
  ...{ step: 1, second: 3600, minute: 1440, hour: 24, day: 7, "business-day": 5 },
  ...{ week: 1, month: 12, quarter: 4, year: 1 },
};
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Largest number of gaps per series that are used for inference. */
const MAX_GAPS = 4096;

/** The frequency whose grid contains all times, guessed from the median gap; null if there is none. */
export function inferFrequency(series: readonly Float64Array[]): Frequency | null {
  const gaps = Float64Array.from(series.flatMap(gapsOf)).sort();
  if (gaps.length === 0) return null;
  const median = gaps[Math.floor(gaps.length / 2)];
  const fitsAll = (frequency: Frequency) => series.every((times) => fitsGrid(times, frequency));
  return candidatesOf(median, series.some(spansWeekend)).find(fitsAll) ?? null;
}

/** The frequency of step numbers: the greatest common divisor of all gaps. */
export function inferStepFrequency(series: readonly Float64Array[]): Frequency {
  const count = series.reduce((divisor, times) => commonStep(times, divisor), 0);
  return { unit: "step", count: count || 1 };
}

/** The greatest common divisor of the gaps between times and of another number. */
export function commonStep(times: Float64Array, divisor: number): number {
  return times.reduce((d, time, i) => (i === 0 ? d : commonDivisor(time - times[i - 1], d)), divisor);
}

/** The default season of a frequency, in steps; 1 for no season. */
export function defaultSeason(frequency: Frequency | null): number {
  if (frequency === null) return 1;
  const season = SEASONS[frequency.unit] / frequency.count;
  return Number.isInteger(season) ? season : 1;
}

/** Parses a frequency: a count and a unit, such as 1h, 15min, D, B, W, MS, Q, Y; for step numbers, a count alone.
 * `path` is the name of the option in an error. */
export function parseFrequency(text: string, path = "frequency"): Frequency {
  const [, digits, name] = /^\s*(\d*)\s*([a-z-]*)\s*$/i.exec(text) ?? [];
  const unit = Object.entries(UNIT_NAMES).find(([, names]) =>
    names.some((one) => one.toLowerCase() === name?.toLowerCase()),
  )?.[0];
  const count = digits === "" ? 1 : Number(digits);
  if (unit === undefined || text.trim() === "" || !Number.isSafeInteger(count) || count < 1) {
    throw new UserError([
      {
        path,
        code: "frequency",
        message: `must be a count and one of s, min, h, D, B, W, M, Q, Y, such as 15min, or a number of steps, got ${show(text)}`,
      },
    ]);
  }
  return { unit: unit as Frequency["unit"], count };
}

/** A frequency as a text that `parseFrequency` accepts. */
export function formatFrequency({ unit, count }: Frequency): string {
  return `${count === 1 && unit !== "step" ? "" : count}${UNIT_NAMES[unit][0]}`;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** The gaps between times that the inference of a frequency uses. */
export function gapsOf(times: Float64Array): number[] {
  const count = Math.min(times.length - 1, MAX_GAPS);
  return Array.from({ length: Math.max(count, 0) }, (_, i) => times[i + 1] - times[i]);
}

/** Whether all times are on the grid that starts with the first. */
export function fitsGrid(times: Float64Array, frequency: Frequency): boolean {
  if (times.length === 0) return true;
  const grid = timeGrid(times, frequency);
  return times.every((time) => grid.stepOf(time) !== null);
}

/** Whether there is a weekend between the first and the last time. */
export function spansWeekend(times: Float64Array): boolean {
  return times.length > 1 && times[times.length - 1] - times[0] >= 6 * DAY;
}

/** Candidate frequencies for a median gap: calendar units first, then units of constant length. */
export function candidatesOf(gap: number, hasWeekend: boolean): Frequency[] {
  const days = gap / DAY;
  const months = Math.round(days / 30.436875);
  const calendar: Frequency[] = [];
  if (months >= 1 && Math.abs(days - months * 30.436875) < 3) {
    if (months % 12 === 0) calendar.push({ unit: "year", count: months / 12 });
    else if (months % 3 === 0 && months % 6 !== 0) calendar.push({ unit: "quarter", count: months / 3 });
    else calendar.push({ unit: "month", count: months });
  }
  // Business days, if a series spans a weekend; the grid check rejects them if there are weekend rows.
  if (days === 1 && hasWeekend) calendar.push({ unit: "business-day", count: 1 });
  const constantUnits: [Frequency["unit"], number][] = [
    ["week", 7 * DAY],
    ["day", DAY],
    ["hour", HOUR],
    ["minute", MINUTE],
    ["second", 1000],
  ];
  const unit = constantUnits.find(([, length]) => gap % length === 0);
  return unit === undefined ? calendar : [...calendar, { unit: unit[0], count: gap / unit[1] }];
}
