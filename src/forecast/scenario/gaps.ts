// Where values are missing in a series, and in which pieces what is missing is drawn.

import { writtenTime } from "../data/times.ts";
import type { Frequency, Series } from "../types.ts";

/** A run of missing values of one target. */
export interface Gap {
  readonly id: string;
  readonly target: string;
  /** Row of the first missing value, and how many there are. */
  readonly from: number;
  readonly rows: number;
}

/** A gap that is not filled, and one sentence that says why. */
export interface LeftGap extends Gap {
  readonly reason: string;
}

/** Rows one after the other in each of which something is to be filled: they are filled together. */
export interface Stretch {
  readonly from: number;
  readonly rows: number;
  readonly gaps: readonly Gap[];
}

/** Rows of a stretch that are drawn at once. */
export interface Piece {
  /** Counted from the stretch's first row. */
  readonly offset: number;
  readonly rows: number;
}

/** Gaps that can be filled: a value of their target stands before them, and after them or beside them one of some target. */
export function gapsOf({ id, targets }: Series, names: readonly string[]): Gap[] {
  const end = endOf(targets);
  return names.flatMap((target, j) =>
    missingRuns(targets[j], firstOf(targets[j]), end).map((run) => ({ id, target, ...run })),
  );
}

/** Those at the start, before all values of their target, and at the end, after all values of all targets. */
export function edgesOf(
  { id, targets, times }: Series,
  names: readonly string[],
  frequency: Frequency | null,
): LeftGap[] {
  const end = endOf(targets);
  const when = ({ from, rows }: Pick<Gap, "from" | "rows">) =>
    `${rows} ${rows === 1 ? "row" : "rows"} from ${writtenTime(times[from], frequency)} on`;
  return names.flatMap((target, j) => [
    ...missingRuns(targets[j], 0, firstOf(targets[j])).map((run) => ({
      ...{ id, target, ...run },
      reason: `A gap must have a value of ${target} before it, got none before ${when(run)}.`,
    })),
    ...missingRuns(targets[j], Math.max(end, firstOf(targets[j])), times.length).map((run) => ({
      ...{ id, target, ...run },
      reason: `A gap must have a value after it, got none after ${when(run)}: there it is a forecast.`,
    })),
  ]);
}

/** Gaps of one series joined where they overlap or touch. */
export function stretchesOf(gaps: readonly Gap[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    const last = stretches.at(-1);
    if (!last || gap.from > last.from + last.rows) {
      stretches.push({ from: gap.from, rows: gap.rows, gaps: [gap] });
      continue;
    }
    const rows = Math.max(last.rows, gap.from + gap.rows - last.from);
    stretches[stretches.length - 1] = { from: last.from, rows, gaps: [...last.gaps, gap] };
  }
  return stretches;
}

/**
 * One piece where the horizon reaches beyond the stretch. Else the last piece is half a horizon, so that it sees as much
 * of what follows, and the rows before it are split evenly into as few pieces as can be.
 */
export function piecesOf(rows: number, horizon: number): Piece[] {
  if (rows < horizon) return [{ offset: 0, rows }];
  const last = Math.ceil(horizon / 2);
  const count = Math.ceil((rows - last) / horizon);
  const starts = Array.from({ length: count + 1 }, (_, i) => Math.round((i * (rows - last)) / count));
  return starts.map((offset, i) => ({ offset, rows: (starts[i + 1] ?? rows) - offset }));
}

/** Runs of missing values in rows from one up to another. */
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

/** The first row with a value; the length if none has one. */
function firstOf(values: Float64Array): number {
  const first = values.findIndex((value) => !Number.isNaN(value));
  return first < 0 ? values.length : first;
}

/** The row after the last that has a value of any target. */
function endOf(targets: readonly Float64Array[]): number {
  return 1 + Math.max(...targets.map((values) => values.findLastIndex((value) => !Number.isNaN(value))));
}
