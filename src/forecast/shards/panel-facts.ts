// What the forecasts of every series need to know about all series: the frequency, the longest series, and the series that
// ends last, from which cutoffs are counted. The times are read series by series, so that they need not fit into memory.

import type { TableFile } from "../../formats/tables/table-file.ts";
import { endsLater } from "../backtest/windows.ts";
import type { ChosenColumns } from "../data/choose-columns.ts";
import { candidatesOf, commonStep, fitsGrid, gapsOf, spansWeekend } from "../data/frequency.ts";
import {
  checkFrequency,
  checkTimeKind,
  GapCheck,
  isTooSparse,
  mergedRows,
  type PanelOptions,
} from "../data/panel.ts";
import { type Block, timesSql } from "../data/read-table.ts";
import { panelSeasons } from "../data/seasons.ts";
import type { SeriesRows } from "../data/series-rows.ts";
import type { TimeFormat } from "../data/table-sql.ts";
import { timeGrid } from "../data/time-grid.ts";
import type { Frequency } from "../types.ts";

/** Facts about all series that can be forecast. */
export interface PanelFacts {
  readonly frequency: Frequency | null;
  readonly season: number;
  readonly furtherSeasons?: readonly number[];
  /** Steps of the longest series. */
  readonly longest: number;
  /** Times of the series that ends last; of several, the longest. */
  readonly lastTimes: Float64Array;
}

/** The rows of one series, numbered from 1. */
export interface SeriesBlock extends Block {
  readonly last: number;
  /** Whether it has values of all targets. */
  readonly usable: boolean;
}

/** Finds the facts, and checks the frequency. Blocks are sorted by id. */
export async function panelFacts(
  file: TableFile,
  columns: ChosenColumns,
  timeFormat: TimeFormat,
  blocks: readonly SeriesBlock[],
  options: PanelOptions,
): Promise<PanelFacts> {
  const timesAreSteps = timeFormat.kind === "step";
  await sortTimes(file, columns, timeFormat);
  const all = () => mergedSeries(file, timeFormat, blocks, options);
  const requested = options.resample === undefined ? options.frequency : options.resample.every;
  let candidates: readonly (Frequency | null)[];
  if (requested !== undefined) {
    candidates = [requested];
  } else if (timesAreSteps) {
    let step = 0;
    for await (const { rows } of all()) step = commonStep(rows.times, step);
    candidates = [{ unit: "step", count: step || 1 }];
  } else {
    candidates = [...(await inferredCandidates(all())), null];
  }
  const isChecked = requested !== undefined || timesAreSteps;
  let lengths = candidates.map((frequency) => new SeriesLengths(frequency));
  const [first] = candidates;
  const gaps = isChecked && first !== null && options.resample === undefined ? new GapCheck(first) : null;
  for await (const { rows, block } of all()) {
    if (block === blocks[0]) checkTimeKind({ timesAreSteps, times: rows.times }, options);
    if (isChecked && first !== null) checkFrequency(rows, first);
    gaps?.add(rows.times);
    lengths = lengths.filter(({ frequency }) => frequency === null || fitsGrid(rows.times, frequency));
    for (const each of lengths) each.add(rows, block);
  }
  gaps?.check();
  const [best] = lengths;
  // If the first frequency that fits leaves too many steps without rows, times are irregular.
  const { frequency, longest, lastTimes } = best.isTooSparse ? lengths[lengths.length - 1] : best;
  return { frequency, ...panelSeasons(options.season, frequency), longest, lastTimes };
}

/** Frequencies that suit the median gap, best first. */
async function inferredCandidates(all: AsyncIterable<{ readonly rows: SeriesRows }>): Promise<Frequency[]> {
  const counts = new Map<number, number>();
  let total = 0;
  let hasWeekend = false;
  for await (const { rows } of all) {
    for (const gap of gapsOf(rows.times)) {
      counts.set(gap, (counts.get(gap) ?? 0) + 1);
      total++;
    }
    hasWeekend ||= spansWeekend(rows.times);
  }
  if (total === 0) return [];
  let rest = Math.floor(total / 2);
  for (const [gap, count] of [...counts].sort(([a], [b]) => a - b)) {
    if (rest < count) return candidatesOf(gap, hasWeekend);
    rest -= count;
  }
  return [];
}

/** Lengths and ends of series at a frequency. */
class SeriesLengths {
  readonly frequency: Frequency | null;
  /** Whether a series has rows at too few of its steps. */
  isTooSparse = false;
  longest = 0;
  lastTimes = new Float64Array(0);
  /** The first row of the series that ends last. */
  #firstRow = 0;

  constructor(frequency: Frequency | null) {
    this.frequency = frequency;
  }

  add({ times, targets: [observed] }: SeriesRows, { usable, first }: SeriesBlock): void {
    this.isTooSparse ||= this.frequency !== null && isTooSparse({ times }, this.frequency);
    if (!usable || this.isTooSparse) return;
    const completed = this.#completed(times, observed);
    this.longest = Math.max(this.longest, completed.length);
    // Of several series that end last and are equally long, the first one in the file.
    const isEqual = !endsLater(completed, this.lastTimes) && !endsLater(this.lastTimes, completed);
    if (!(isEqual ? first < this.#firstRow : endsLater(completed, this.lastTimes))) return;
    this.lastTimes = completed.slice();
    this.#firstRow = first;
  }

  /** All times of the grid. Irregular times end with the last value, because later rows are the future. */
  #completed(times: Float64Array, observed: Float64Array): Float64Array {
    if (this.frequency === null) {
      return times.subarray(0, 1 + observed.findLastIndex((value) => !Number.isNaN(value)));
    }
    const grid = timeGrid(times, this.frequency);
    const steps = grid.stepOf(times[times.length - 1])! + 1;
    return steps === times.length ? times : Float64Array.from({ length: steps }, (_, step) => grid.at(step));
  }
}

/** The name of the sorted times in the database, which holds them on disk if they do not fit into its memory. */
const TIMES = "sorted_times";

/** Sorts the times of all rows by series, once for all passes over them. */
async function sortTimes(file: TableFile, columns: ChosenColumns, timeFormat: TimeFormat): Promise<void> {
  const observed = columns.targets.map((name) => `NOT isnan(${file.valueSql(name)})`).join(" OR ");
  const rows = timesSql(file, columns, timeFormat, [
    `CASE WHEN ${observed} THEN 1 ELSE 'NaN'::DOUBLE END AS observed`,
  ]);
  await file.all(
    `CREATE TEMP TABLE ${TIMES} AS SELECT row, time, observed FROM ${rows} ORDER BY id, time, row`,
  );
}

/**
 * The rows of each series, sorted by time, with duplicate times merged. The only target is 1 where any target is observed,
 * and otherwise NaN.
 */
async function* mergedSeries(
  file: TableFile,
  timeFormat: TimeFormat,
  blocks: readonly SeriesBlock[],
  options: PanelOptions,
): AsyncGenerator<{ readonly rows: SeriesRows; readonly block: SeriesBlock }> {
  const chunks = file.chunks(`SELECT row, time, observed FROM ${TIMES} WHERE $1 IS NOT NULL`);
  let chunk: (readonly number[])[] = [[], [], []];
  let at = 0;
  for (const block of blocks) {
    const { size } = block;
    const read = [new Int32Array(size), new Float64Array(size), new Float64Array(size)] as const;
    for (let filled = 0; filled < size; ) {
      if (at === chunk[0].length) {
        const next = await chunks.next();
        if (next.done) throw new Error("the file changed while it was read");
        chunk = next.value as number[][];
        at = 0;
      }
      const count = Math.min(size - filled, chunk[0].length - at);
      for (const [column, values] of read.entries()) values.set(chunk[column].slice(at, at + count), filled);
      filled += count;
      at += count;
    }
    const [fileRows, times, target] = read;
    const rows: SeriesRows = { id: block.id, fileRows, times, targets: [target], covariates: [] };
    yield { rows: mergedRows(rows, timeFormat.kind === "step", options), block };
  }
}
