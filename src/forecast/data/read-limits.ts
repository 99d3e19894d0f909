// How large a table may be: a fixed number of rows and series, and what fits into the memory that is available. Checked
// before anything is allocated, because a small compressed file can unpack to any number of rows.

import { TableError } from "../../formats/tables/table-error.ts";
import { formatCount, formatCountOf } from "../../report/text-format.ts";
import type { ChosenColumns } from "./choose-columns.ts";

/** Most rows of a table, and most steps of all series together once missing steps are inserted. */
export const MAX_ROWS = 50_000_000;
/** Most series of a table. */
export const MAX_SERIES = 1_000_000;
/** A number is held by the table, by its sorted copy, and by the panel, in 8 bytes each. */
const BYTES_PER_VALUE = 24;
/** Share of the available memory that a table may take. */
const MEMORY_SHARE = 0.8;
const GIGABYTE = 1e9;
const REMEDY = "aggregate the rows to longer steps, or split the series over several files";

/** Most rows that a file with these columns may have. */
export interface RowLimit {
  readonly rows: number;
  /** Throws the error of a file with more rows. */
  refuse(path: string): never;
}

/**
 * The limit for a file with these columns.
 * @param wide Whether every column of the file becomes a series of its own.
 * @param memory Available memory in bytes. Default: that of the process.
 */
export function rowLimit(
  { targets, covariates }: ChosenColumns,
  wide: boolean,
  memory = process.availableMemory(),
): RowLimit {
  // A row has its number, its time and its values. A row of a wide file becomes one row per series.
  const seriesPerRow = wide ? targets.length : 1;
  const bytesPerRow = BYTES_PER_VALUE * (wide ? 3 * seriesPerRow : 2 + targets.length + covariates.length);
  const fitting = Math.floor((MEMORY_SHARE * memory) / bytesPerRow);
  const rows = Math.min(Math.floor(MAX_ROWS / seriesPerRow), fitting);
  const series = wide ? ` of ${formatCount(seriesPerRow)} series` : "";
  const reason =
    rows === fitting
      ? `the most that fit into ${(memory / GIGABYTE).toFixed(1)} GB of available memory at ${formatCountOf(bytesPerRow, "byte")} each`
      : "the most that can be read";
  return {
    rows,
    refuse(path) {
      throw new TableError(`${path} has more than ${formatCountOf(rows, "row")}${series}, ${reason}`, {
        code: "size",
        remedy: REMEDY,
      });
    },
  };
}

/** Throws if a file has too many series. */
export function checkSeriesCount(path: string, count: number): void {
  if (count <= MAX_SERIES) return;
  throw new TableError(`${path} has more than ${formatCount(MAX_SERIES)} series, the most that can be read`, {
    code: "size",
    remedy: "give another column of series names, or split the series over several files",
  });
}

/** Throws if the time grid of all series has too many steps. */
export function checkStepCount(steps: number, frequency: string): void {
  if (steps <= MAX_ROWS) return;
  throw new TableError(
    `with steps of ${frequency}, the series have ${formatCount(steps)} steps together, and at most ${formatCount(MAX_ROWS)} are possible`,
    { path: "frequency", code: "size", remedy: "choose longer steps, or keep the times irregular" },
  );
}
