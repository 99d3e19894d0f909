// Calendar features of a time: sine and cosine of its phase in the day, week, month and year. The frequency of the series
// decides which of these cycles are used.

import type { Frequency } from "../types.ts";

interface Cycle {
  /** Phase within the cycle, from 0 to 1, of a time in milliseconds since 1970. */
  readonly phase: (time: number) => number;
  /** Number of sine–cosine pairs: the cycle's own frequency and its multiples. */
  readonly harmonics: number;
}

const DAY = 86_400_000;

const hourOfDay = (time: number) => fraction(time / DAY);
const minuteOfHour = (time: number) => fraction((24 * time) / DAY);
/** 1 January 1970 was a Thursday. */
const dayOfWeek = (time: number) => fraction((Math.floor(time / DAY) + 3) / 7);
const dayOfMonth = (time: number) => (new Date(time).getUTCDate() - 1) / 31;
const monthOfYear = (time: number) => new Date(time).getUTCMonth() / 12;
const dayOfYear = (time: number) => {
  const year = new Date(time).getUTCFullYear();
  return (time - Date.UTC(year, 0, 1)) / (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1));
};

/** Calendar features of each time, row by row: [times, calendarFeatureCount(frequency)]. */
export function calendarFeatures(frequency: Frequency | null, times: ArrayLike<number>): Float32Array {
  const cycles = cyclesOf(frequency);
  const width = calendarFeatureCount(frequency);
  const rows = new Float32Array(times.length * width);
  for (let row = 0, at = 0; row < times.length; row++) {
    for (const { phase, harmonics } of cycles) {
      const angle = 2 * Math.PI * phase(times[row]);
      for (let k = 1; k <= harmonics; k++) {
        rows[at++] = Math.sin(k * angle);
        rows[at++] = Math.cos(k * angle);
      }
    }
  }
  return rows;
}

/** Number of calendar features at a frequency. */
export function calendarFeatureCount(frequency: Frequency | null): number {
  return cyclesOf(frequency).reduce((sum, { harmonics }) => sum + 2 * harmonics, 0);
}
function cyclesOf(frequency: Frequency | null): readonly Cycle[] {
  switch (frequency?.unit) {
    case undefined:
      return [
        { phase: hourOfDay, harmonics: 2 },
        { phase: dayOfWeek, harmonics: 3 },
        { phase: dayOfYear, harmonics: 2 },
      ];
    case "second":
    case "minute":
      return [
        { phase: minuteOfHour, harmonics: 1 },
        { phase: hourOfDay, harmonics: 3 },
        { phase: dayOfWeek, harmonics: 3 },
      ];
    case "hour":
      return [
        { phase: hourOfDay, harmonics: 3 },
        { phase: dayOfWeek, harmonics: 3 },
        { phase: dayOfYear, harmonics: 1 },
      ];
    case "day":
    case "business-day":
      return [
        { phase: dayOfWeek, harmonics: 3 },
        { phase: dayOfMonth, harmonics: 2 },
        { phase: dayOfYear, harmonics: 3 },
      ];
    case "week":
      return [{ phase: dayOfYear, harmonics: 3 }];
    case "month":
    case "quarter":
      return [{ phase: monthOfYear, harmonics: 3 }];
    case "year":
    case "step":
      return [];
  }
}

function fraction(x: number): number {
  return x - Math.floor(x);
}
