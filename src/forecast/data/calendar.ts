// Where a time stands in the day, the week, the month and the year, as waves; which of them depends on the frequency.

import type { Frequency } from "../types.ts";

interface Cycle {
  /** Place within the cycle, from 0 to 1, of a time in milliseconds since 1970. */
  readonly phase: (time: number) => number;
  /** Waves of the cycle's length, half of it, and so on. */
  readonly waves: number;
}

const DAY = 86_400_000;

const hourOfDay = (time: number) => fraction(time / DAY);
const minuteOfHour = (time: number) => fraction((24 * time) / DAY);
/** 1970 began on a Thursday. */
const dayOfWeek = (time: number) => fraction((Math.floor(time / DAY) + 3) / 7);
const dayOfMonth = (time: number) => (new Date(time).getUTCDate() - 1) / 31;
const monthOfYear = (time: number) => new Date(time).getUTCMonth() / 12;
const dayOfYear = (time: number) => {
  const year = new Date(time).getUTCFullYear();
  return (time - Date.UTC(year, 0, 1)) / (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1));
};

/** Numbers that tell the calendar of times, each time a row of `calendarWidth` numbers. */
export function calendarWaves(frequency: Frequency | null, times: ArrayLike<number>): Float32Array {
  const cycles = cyclesOf(frequency);
  const width = calendarWidth(frequency);
  const rows = new Float32Array(times.length * width);
  for (let row = 0, at = 0; row < times.length; row++) {
    for (const { phase, waves } of cycles) {
      const angle = 2 * Math.PI * phase(times[row]);
      for (let k = 1; k <= waves; k++) {
        rows[at++] = Math.sin(k * angle);
        rows[at++] = Math.cos(k * angle);
      }
    }
  }
  return rows;
}

/** How many numbers tell the calendar at this frequency. */
export function calendarWidth(frequency: Frequency | null): number {
  return cyclesOf(frequency).reduce((sum, { waves }) => sum + 2 * waves, 0);
}

function cyclesOf(frequency: Frequency | null): readonly Cycle[] {
  switch (frequency?.unit) {
    case undefined:
      return [
        { phase: hourOfDay, waves: 2 },
        { phase: dayOfWeek, waves: 3 },
        { phase: dayOfYear, waves: 2 },
      ];
    case "second":
    case "minute":
      return [
        { phase: minuteOfHour, waves: 1 },
        { phase: hourOfDay, waves: 3 },
        { phase: dayOfWeek, waves: 3 },
      ];
    case "hour":
      return [
        { phase: hourOfDay, waves: 3 },
        { phase: dayOfWeek, waves: 3 },
        { phase: dayOfYear, waves: 1 },
      ];
    case "day":
    case "business-day":
      return [
        { phase: dayOfWeek, waves: 3 },
        { phase: dayOfMonth, waves: 2 },
        { phase: dayOfYear, waves: 3 },
      ];
    case "week":
      return [{ phase: dayOfYear, waves: 3 }];
    case "month":
    case "quarter":
      return [{ phase: monthOfYear, waves: 3 }];
    case "year":
    case "step":
      return [];
  }
}

function fraction(x: number): number {
  return x - Math.floor(x);
}
