// The times that follow a series, where it does not say them itself.

import type { Frequency, Series } from "../types.ts";

const MILLISECONDS = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const;

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** The next `count` times; irregular series go on at their usual gap. */
export function timesAhead(
  { times, future }: Series,
  frequency: Frequency | null,
  gap: number,
  count: number,
): Float64Array {
  const given = future?.times ?? new Float64Array();
  const ahead = new Float64Array(count);
  const last = times.length > 0 ? times[times.length - 1] : 0;
  let time = last;
  for (let h = 0; h < count; h++) {
    time = h < given.length ? given[h] : following(time, last, h + 1, frequency, gap);
    ahead[h] = time;
  }
  return ahead;
}

/** The time after `time`; months are counted from the last time, so that the 31st comes back after a short month. */
function following(
  time: number,
  last: number,
  step: number,
  frequency: Frequency | null,
  gap: number,
): number {
  if (!frequency) return time + gap;
  const { unit, count } = frequency;
  if (unit === "month" || unit === "quarter" || unit === "year")
    return monthsAfter(last, step * count * MONTHS[unit]);
  if (unit === "business-day") return businessDaysAfter(time, count);
  return time + count * MILLISECONDS[unit];
}

function monthsAfter(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  const wasLast = isLastOfMonth(date);
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(wasLast ? length : Math.min(day, length));
  return date.getTime();
}

function isLastOfMonth(date: Date): boolean {
  return new Date(date.getTime() + MILLISECONDS.day).getUTCDate() === 1;
}

function businessDaysAfter(time: number, days: number): number {
  let next = time;
  for (let left = days; left > 0; ) {
    next += MILLISECONDS.day;
    const weekday = new Date(next).getUTCDay();
    if (weekday !== 0 && weekday !== 6) left--;
  }
  return next;
}
