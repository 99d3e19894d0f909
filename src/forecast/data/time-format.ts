// The times of an output file, all in one format, so that other programs can read them as one column.

import type { Frequency } from "../types.ts";
import { isStepIndexed } from "./time-grid.ts";

const DAY = 86_400_000;

/** Formats one time. */
export type TimeFormat = (time: number) => string | number;

/**
 * The format of all these times: numbers if they are step numbers; ISO dates if all are at midnight in UTC, and steps are
 * not shorter than a day; otherwise ISO times with `Z`.
 */
export function timeFormat(frequency: Frequency | null, times: Iterable<ArrayLike<number>>): TimeFormat {
  if (isStepIndexed(frequency)) return (time) => time;
  const isShort = ["second", "minute", "hour"].includes(frequency?.unit ?? "");
  if (!isShort && allAtMidnight(times)) return (time) => isoText(time).slice(0, 10);
  // Without a fraction of a second, unless there is one.
  return (time) => isoText(time).replace(".000Z", "Z");
}

function allAtMidnight(times: Iterable<ArrayLike<number>>): boolean {
  for (const some of times) {
    for (let i = 0; i < some.length; i++) if (some[i] % DAY !== 0) return false;
  }
  return true;
}

function isoText(time: number): string {
  return new Date(time).toISOString();
}
