// Finds gaps of missing values in a series, and divides them into segments that are sampled one after the other.

import { formatTime } from "../data/time-grid.ts";
import type { Frequency, Series } from "../types.ts";

/** A run of missing values of one target. */
export interface Gap {
  readonly id: string;
  readonly target: string;
  /** Row of the first missing value. */
  readonly from: number;
  /** Number of missing values. */
  readonly rows: number;
}

/** A gap that is not filled, and the reason as one sentence. */
export interface SkippedGap extends Gap {
  readonly reason: string;
}

/** Consecutive rows that each have a missing value of some target. The gaps of a span are filled together. */
export interface GapSpan {
  readonly from: number;
  readonly rows: number;
  readonly gaps: readonly Gap[];
}

/** Rows of a span that are sampled together. */
export interface Segment {
  /** First row, counted from the first row of the span. */
  readonly offset: number;
  readonly rows: number;
}

/**
 * Gaps that can be filled: they have a value of their target before them, and a value of any target at the same time or
 * later.
 */
export function findGaps({ id, targets }: Series, names: readonly string[]): Gap[] {
  const end = endOf(targets);
  return names.flatMap((target, j) =>
    missingRuns(targets[j], firstValueRow(targets[j]), end).map((run) => ({ id, target, ...run })),
  );
}

/** Gaps that cannot be filled: at the start, before all values of their target, and at the end, after all values of all targets. */
export function findEdgeGaps(
  { id, targets, times }: Series,
  names: readonly string[],
  frequency: Frequency | null,
): SkippedGap[] {
  const end = endOf(targets);
  const describe = ({ from, rows }: Pick<Gap, "from" | "rows">) =>
    `the gap of ${rows} ${rows === 1 ? "row" : "rows"} at ${formatTime(times[from], frequency)}`;
  return names.flatMap((target, j) => [
    ...missingRuns(targets[j], 0, firstValueRow(targets[j])).map((run) => ({
      ...{ id, target, ...run },
      reason: `A gap must have a value of ${target} before it, got none before ${describe(run)}.`,
    })),
    ...missingRuns(targets[j], Math.max(end, firstValueRow(targets[j])), times.length).map((run) => ({
      ...{ id, target, ...run },
      reason: `A gap must have a value after it, got none after ${describe(run)}; forecast these rows instead.`,
    })),
  ]);
}

/** Merges the gaps of one series that overlap or touch. */
export function gapSpans(gaps: readonly Gap[]): GapSpan[] {
  const spans: GapSpan[] = [];
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    const last = spans.at(-1);
    if (!last || gap.from > last.from + last.rows) {
      spans.push({ from: gap.from, rows: gap.rows, gaps: [gap] });
      continue;
    }
    const rows = Math.max(last.rows, gap.from + gap.rows - last.from);
    spans[spans.length - 1] = { from: last.from, rows, gaps: [...last.gaps, gap] };
  }
  return spans;
}

/**
 * Divides a span into segments. A span shorter than the horizon is one segment. Otherwise the last segment is half a
 * horizon long, so that the model sees as many rows after it, and the rows before it form as few equal segments as
 * possible.
 */
export function segmentsOf(rows: number, horizon: number): Segment[] {
  if (rows < horizon) return [{ offset: 0, rows }];
  const last = Math.ceil(horizon / 2);
  const count = Math.ceil((rows - last) / horizon);
  const starts = Array.from({ length: count + 1 }, (_, i) => Math.round((i * (rows - last)) / count));
  return starts.map((offset, i) => ({ offset, rows: (starts[i + 1] ?? rows) - offset }));
}

/** Runs of missing values between the rows `from` (inclusive) and `to` (exclusive). */
function missingRuns(values: Float64Array, from: number, to: number) {
  const runs: { from: number; rows: number }[] = [];
  for (let row = from; row < to; row++) {
    if (!Number.isNaN(values[row])) continue;
    const start = row;
    while (row < to && Number.isNaN(values[row])) row++;
    runs.push({ from: start, rows: row - start });
  }
  return runs;
}

/** The first row with a value, or the number of rows if there is none. */
function firstValueRow(values: Float64Array): number {
  const first = values.findIndex((value) => !Number.isNaN(value));
  return first < 0 ? values.length : first;
}

/** The row after the last row that has a value of any target. */
function endOf(targets: readonly Float64Array[]): number {
  return 1 + Math.max(...targets.map((values) => values.findLastIndex((value) => !Number.isNaN(value))));
}
