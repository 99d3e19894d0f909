// The time grid of a regular series: the time of each step and the step of each time. Steps are seconds to weeks,
// business days, months, quarters or years, all in UTC, or plain step numbers.

import type { Frequency } from "../types.ts";

/** Maps between the times of a series and step numbers, counted from its first time. */
export interface TimeGrid {
  /** The time of a step. */
  at(step: number): number;
  /** The step of a time; null if the time is not on the grid. */
  stepOf(time: number): number | null;
}

const DAY = 86_400_000;
/** Length in milliseconds of the units of constant length. Times in the unit `step` are step numbers, so its length is 1. */
const FIXED = { step: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: DAY, week: 7 * DAY } as const;
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;
/** 1 January 1970 was a Thursday, so the first Monday was day 4. */
const FIRST_MONDAY = 4;

/** The grid that starts with the first of these times. If all times are ends of months, so are the later grid times. */
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

/** The grid times after the last time of a series: [horizon]. */
export function timesAfter(times: ArrayLike<number>, frequency: Frequency, horizon: number): Float64Array {
  const grid = timeGrid(times, frequency);
  const last = grid.stepOf(times[times.length - 1]);
  if (last === null) {
    throw new RangeError(
      `the last time of a series must be on the time grid that starts with its first time, got ${formatTime(times[times.length - 1], frequency)}`,
    );
  }
  return Float64Array.from({ length: horizon }, (_, h) => grid.at(last + 1 + h)); // [H]
}

/** Start of the calendar step that contains a time. */
export function floorTime(time: number, { unit, count }: Frequency): number {
  if (unit in MONTHS) {
    const months = MONTHS[unit as keyof typeof MONTHS] * count;
    return monthTime(Math.floor(monthOf(time) / months) * months, 1);
  }
  if (unit === "business-day") return businessDayTime(Math.floor(businessDays(time) / count) * count);
  const length = FIXED[unit as keyof typeof FIXED] * count;
  // Weeks start on Monday.
  const origin = unit === "week" ? FIRST_MONDAY * DAY : 0;
  return Math.floor((time - origin) / length) * length + origin;
}

/** A time for output files: an ISO date, or the number itself if times are step numbers. */
export function formatTime(time: number, frequency: Frequency | null): string | number {
  return isStepIndexed(frequency) ? time : isoTime(time);
}

/** Whether times at this frequency are step numbers instead of timestamps. */
export function isStepIndexed(frequency: Frequency | null): boolean {
  return frequency?.unit === "step";
}

/** A timestamp in ISO form; the time of day is omitted at midnight. */
export function isoTime(time: number): string {
  return new Date(time).toISOString().replace(/(T00:00:00)?\.000Z$/, (_, midnight) => (midnight ? "" : "Z"));
}

function monthGrid(times: ArrayLike<number>, months: number): TimeGrid {
  const first = times[0];
  const clock = modulo(first, DAY);
  const origin = monthOf(first);
  const days = Array.from(times, (time) => new Date(time).getUTCDate());
  const atEnds = days.every((day, i) => day === monthLength(monthOf(times[i])));
  const day = atEnds ? 31 : days.reduce((latest, day) => Math.max(latest, day), 1);
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

/** Midnight of a day of a month, or of the month's last day if the month is shorter. */
function monthTime(month: number, day: number): number {
  return Date.UTC(Math.floor(month / 12), modulo(month, 12), Math.min(day, monthLength(month)));
}

function monthLength(month: number): number {
  return new Date(Date.UTC(Math.floor(month / 12), modulo(month, 12) + 1, 0)).getUTCDate();
}

/** Business days since the first Monday of 1970; Saturday and Sunday count as the preceding Friday. */
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
