// Texts of times and of the progress of a run.

import { formatCount, formatDuration } from "../src/report/text-format.ts";
import type { Entry, XAxis } from "../src/views/page-data.ts";

/** "12 s ago", "3 min ago", "5 h ago", "2 days ago", then the date. */
export function timeAgo(time: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  if (days < 15) return `${days} day${days === 1 ? "" : "s"} ago`;
  return new Date(time).toISOString().slice(0, 10);
}

/** "1,200 of 2,000 iterations"; the planned number is left out if it is not known. */
export function progressText(iteration: number, iterations: number | null): string {
  const of = iterations === null ? "" : ` of ${formatCount(iterations)}`;
  return `${formatCount(iteration)}${of} iterations`;
}

/** How long a run will still take if it goes on as fast as before; null if it cannot be said. */
export function remainingText({ iteration, iterations, seconds }: Entry): string | null {
  if (iteration === null || iterations === null || seconds === null || iteration <= 0) return null;
  if (iteration >= iterations) return null;
  return `about ${formatDuration((seconds / iteration) * (iterations - iteration))} left`;
}

export const AXIS_LABELS: Readonly<Record<XAxis, string>> = {
  iteration: "iteration",
  calls: "oracle calls",
  seconds: "seconds",
};
