// The times of a regular series: steps of seconds to weeks, business days, months, quarters and years, all in UTC; or
// numbers that count.

import type { Frequency } from "../types.ts";

/** Times of a series numbered by steps from its first. */
export interface TimeGrid {
  /** The time so many steps after the first. */
  at(step: number): number;
  /** The number of a time; null if it is not on the grid. */
  stepOf(time: number): number | null;
}

const DAY = 86_400_000;
/** Milliseconds of the units that always take the same time; a step is no time at all, and times count it. */
const FIXED = { step: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: DAY, week: 7 * DAY } as const;
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;
/** 1970 began on a Thursday: its first Monday was this day. */
const FIRST_MONDAY = 4;

/** The grid that begins with the first of these times; where all are ends of months, so are those ahead. */
export function timeGrid(times: ArrayLike<number>, frequency: Frequency): TimeGrid {
  const { unit, count } = frequency;
  const first = times[0];
  if (unit in MONTHS) return monthGrid(times, MONTHS[unit as keyof typeof MONTHS] * count);
  if (unit === "business-day") {
    const clock = modulo(first, DAY);
    const origin = businessDays(first);
    return {
      at: (step) => businessDayTime(origin + step * count) + clock,
      stepOf(time) {
        const step = (businessDays(time) - origin) / count;
        return isWeekend(time) || modulo(time, DAY) !== clock || !Number.isInteger(step) ? null : step;
      },
    };
  }
  const length = FIXED[unit as keyof typeof FIXED] * count;
  return {
    at: (step) => first + step * length,
    stepOf: (time) => (Number.isInteger((time - first) / length) ? (time - first) / length : null),
  };
}

/** The next times of a series after the last of its own. */
export function nextTimes(times: ArrayLike<number>, frequency: Frequency, horizon: number): Float64Array {
  const grid = timeGrid(times, frequency);
  const last = grid.stepOf(times[times.length - 1]);
  if (last === null) {
    throw new RangeError(
      `The last time of a series must be on the grid of its first, got ${writtenTime(times[times.length - 1], frequency)}`,
    );
  }
  return Float64Array.from({ length: horizon }, (_, h) => grid.at(last + 1 + h)); // [H]
}

/** The start of the step of the calendar that a time is in. */
export function floorTime(time: number, { unit, count }: Frequency): number {
  if (unit in MONTHS) {
    const months = MONTHS[unit as keyof typeof MONTHS] * count;
    return monthTime(Math.floor(monthOf(time) / months) * months, 1);
  }
  if (unit === "business-day") return businessDayTime(Math.floor(businessDays(time) / count) * count);
  const length = FIXED[unit as keyof typeof FIXED] * count;
  // Weeks begin on Monday.
  const origin = unit === "week" ? FIRST_MONDAY * DAY : 0;
  return Math.floor((time - origin) / length) * length + origin;
}

/** A time as files have it: a date, or the number itself where times count steps. */
export function writtenTime(time: number, frequency: Frequency | null): string | number {
  return countsSteps(frequency) ? time : isoTime(time);
}

/** Whether times of this frequency are numbers that count, and no moments. */
export function countsSteps(frequency: Frequency | null): boolean {
  return frequency?.unit === "step";
}

/** A time as people write it: a date, with the clock where it is not midnight. */
export function isoTime(time: number): string {
  return new Date(time).toISOString().replace(/(T00:00:00)?\.000Z$/, (_, midnight) => (midnight ? "" : "Z"));
}

function monthGrid(times: ArrayLike<number>, months: number): TimeGrid {
  const first = times[0];
  const clock = modulo(first, DAY);
  const origin = monthOf(first);
  const days = Array.from(times, (time) => new Date(time).getUTCDate());
  const atEnds = days.every((day, i) => day === monthLength(monthOf(times[i])));
  const day = atEnds ? 31 : days.reduce((most, day) => Math.max(most, day), 1);
  const at = (step: number) => monthTime(origin + step * months, day) + clock;
  return {
    at,
    stepOf(time) {
      const step = (monthOf(time) - origin) / months;
      return Number.isInteger(step) && at(step) === time ? step : null;
    },
  };
}

/** Months since year 0. */
function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Midnight of a day of a month; of its last day where it is shorter. */
function monthTime(month: number, day: number): number {
  return Date.UTC(Math.floor(month / 12), modulo(month, 12), Math.min(day, monthLength(month)));
}

function monthLength(month: number): number {
  return new Date(Date.UTC(Math.floor(month / 12), modulo(month, 12) + 1, 0)).getUTCDate();
}

/** Business days since the first Monday; Saturday and Sunday count as the Friday before. */
function businessDays(time: number): number {
  const day = Math.floor(time / DAY) - FIRST_MONDAY;
  return Math.floor(day / 7) * 5 + Math.min(modulo(day, 7), 4);
}

function businessDayTime(days: number): number {
  return (Math.floor(days / 5) * 7 + modulo(days, 5) + FIRST_MONDAY) * DAY;
}

/** Whether a time falls on Saturday or Sunday. */
function isWeekend(time: number): boolean {
  return modulo(Math.floor(time / DAY) - FIRST_MONDAY, 7) > 4;
}

function modulo(value: number, by: number): number {
  return value - Math.floor(value / by) * by;
}
