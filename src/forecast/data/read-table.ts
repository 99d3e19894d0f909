// Reads a table of time series from a local file: CSV, JSON, JSON Lines or Parquet, with any number of rows.
//
// The file is read several times in chunks of a few thousand rows: to count the rows, to check them, to count those of
// each series, and to read them sorted. Only the chosen columns are held in memory, as typed arrays.

import type { DuckDBValue } from "../../formats/tables/duckdb.ts";
import { TableError } from "../../formats/tables/table-error.ts";
import { openTableFile, type TableFile } from "../../formats/tables/table-file.ts";
import { checkRows } from "./check-rows.ts";
import type { ChosenColumns, ColumnOptions } from "./choose-columns.ts";
import { chooseFileColumns } from "./choose-file-columns.ts";
import type { DecimalSign, NumericTimeUnit, TableFormat } from "./option-names.ts";
import { checkSeriesCount, MAX_SERIES, type RowLimit, rowLimit } from "./read-limits.ts";
import { ProgressReporter, type ReadControl } from "./read-progress.ts";
import { type CovariateColumn, DEFAULT_SERIES_ID, rowOffsets, type Table } from "./table.ts";
import { categorySql, type TimeFormat, timestampSql, timeTextSql, utcOffsetSql } from "./table-sql.ts";

/** Options of `readTable`. */
export interface ReadOptions extends ColumnOptions {
  /** Default: by the extension of the file name. */
  readonly format?: TableFormat;
  /** Whether a CSV file starts with a line of column names. If not, columns are named 1, 2, … Default: true. */
  readonly header?: boolean;
  /** Decimal sign of the numbers in a CSV file. Default: a point. */
  readonly decimal?: DecimalSign;
  /** Unit of numeric times. Default: guessed from their magnitude. */
  readonly timeUnit?: NumericTimeUnit;
}

/** Reads a file. Throws a TableError that names the row and column of the first mistake. */
export async function readTable(
  path: string,
  options: ReadOptions = {},
  control: ReadControl = {},
): Promise<Table> {
  const file = await openTableFile(path, options, control.signal);
  const reporter = new ProgressReporter(control);
  try {
    const { columns, notes } = await chooseFileColumns(path, file, options);
    const limit = rowLimit(columns, options.wide ?? false, control.memory);
    const total = await countRows(path, file, limit, reporter);
    const checking = { phase: "checking", rows: total, total } as const;
    const checked = checkRows(path, file, columns, options);
    const { count, timeFormat, numericColumns } = await reporter.during(checking, checked);
    const blocks = await reporter.during(checking, readBlocks(path, file, columns, count));
    const isNumeric = columns.covariates.map(
      ({ name, categorical }) => !categorical && numericColumns.has(name),
    );
    const read = emptyColumns(count, columns.targets.length, isNumeric);
    await readRows(file, columns, timeFormat, isNumeric, read, reporter);
    const timesAreSteps = timeFormat.kind === "step";
    return options.wide === true
      ? { ...wideTable(columns, read), timesAreSteps, notes }
      : { ...longTable(columns, blocks, isNumeric, read), timesAreSteps, notes };
  } finally {
    await file.close();
  }
}

/** The rows of one series. Blocks are sorted by id. */
export interface Block {
  readonly id: string;
  readonly size: number;
  /** Row number of its first row in the file. */
  readonly first: number;
}

export interface ReadColumns {
  readonly fileRows: Int32Array; // [N]
  readonly times: Float64Array; // [N]
  readonly targets: readonly Float64Array[]; // each [N]
  readonly covariates: readonly (Float64Array | (string | null)[])[]; // each [N]
}

/** Counts the rows in chunks, and stops at the first one that is too many. */
async function countRows(
  path: string,
  file: TableFile,
  limit: RowLimit,
  reporter: ProgressReporter,
): Promise<number> {
  let rows = 0;
  for await (const [ones] of file.chunks(`SELECT 1 FROM ${file.fromSql} LIMIT ${limit.rows + 1}`)) {
    rows += ones.length;
    reporter.report({ phase: "counting", rows });
  }
  return rows > limit.rows ? limit.refuse(path) : rows;
}

export async function readBlocks(
  path: string,
  file: TableFile,
  columns: ChosenColumns,
  count = 0,
): Promise<Block[]> {
  if (columns.id === undefined) return [{ id: DEFAULT_SERIES_ID, size: count, first: 1 }];
  const found = await file.all(
    `SELECT id, count(*)::INTEGER, min(row)::INTEGER
     FROM (SELECT ${file.rowSql} AS row, ${file.textSql(columns.id)} AS id FROM ${file.fromSql}) GROUP BY id ORDER BY id LIMIT ${MAX_SERIES + 1}`,
  );
  checkSeriesCount(path, found.length);
  return found.map(([id, size, first]) => ({ id: String(id), size: Number(size), first: Number(first) }));
}

export function emptyColumns(count: number, targets: number, isNumeric: readonly boolean[]): ReadColumns {
  return {
    fileRows: new Int32Array(count),
    times: new Float64Array(count),
    targets: Array.from({ length: targets }, () => new Float64Array(count)),
    covariates: isNumeric.map((numeric) =>
      numeric ? new Float64Array(count) : new Array<string | null>(count).fill(null),
    ),
  };
}

/** Reads all rows, sorted by series, time and row number. */
export async function readRows(
  file: TableFile,
  { id, time, targets, covariates }: ChosenColumns,
  timeFormat: TimeFormat,
  isNumeric: readonly boolean[],
  read: ReadColumns,
  reporter: ProgressReporter,
): Promise<void> {
  const values = [
    ...targets.map(file.valueSql),
    ...covariates.map(({ name }, i) =>
      isNumeric[i] ? file.valueSql(name) : categorySql(file.textSql(name)),
    ),
  ].map((value, i) => `${value} AS v${i}`);
  const sql = `SELECT row, time, ${values.map((_, i) => `v${i}`).join(", ")} FROM ${timesSql(file, { id, time }, timeFormat, values)} ORDER BY id, time, row`;
  const levels = new Map<DuckDBValue, string | null>();
  const total = read.fileRows.length;
  let at = 0;
  // Nothing arrives before the rows are sorted.
  const chunks = file.chunks(sql);
  for (;;) {
    const { done, value } = await reporter.during({ phase: "reading", rows: at, total }, chunks.next());
    if (done) break;
    const [rows, times, ...columns] = value;
    read.fileRows.set(rows as number[], at);
    read.times.set(times as number[], at);
    for (const [i, column] of columns.entries()) {
      const target = i < targets.length ? read.targets[i] : read.covariates[i - targets.length];
      if (target instanceof Float64Array) target.set(column as number[], at);
      else for (const [j, level] of column.entries()) target[at + j] = internLevel(level);
    }
    at += rows.length;
    reporter.report({ phase: "reading", rows: at, total });
  }
  if (at !== total) throw new TableError(`A file of ${total} rows changed while it was read`);

  /** Equal levels share one string, to save memory. */
  function internLevel(level: DuckDBValue): string | null {
    if (!levels.has(level)) levels.set(level, level === null ? null : String(level));
    return levels.get(level)!;
  }
}

/** SQL expression for rows with the columns row, id, time and the given ones. */
export function timesSql(
  file: TableFile,
  { id, time }: Pick<ChosenColumns, "id" | "time">,
  timeFormat: TimeFormat,
  columns: readonly string[],
): string {
  const rows = [
    `(${file.rowSql})::INTEGER AS row`,
    `${id === undefined ? "0" : file.textSql(id)} AS id`,
    ...columns,
  ];
  const typed = time === undefined || timeFormat.kind !== "text" ? null : file.timeSql(time);
  if (typed !== null) return `(SELECT ${typed} AS time, ${rows.join(", ")} FROM ${file.fromSql})`;
  return `(SELECT *, ${timestampSql("t", "utc_offset", timeFormat)} AS time FROM (
    SELECT *, ${timeFormat.kind === "text" ? utcOffsetSql("t") : "''"} AS utc_offset FROM (
    SELECT ${timeTextSql(time === undefined ? undefined : file.textSql(time))} AS t, ${rows.join(", ")} FROM ${file.fromSql})))`;
}

/** The table of a long file: blocks of sorted rows, with series in the order of the file. */
export function longTable(
  { targets, covariates, ignored }: ChosenColumns,
  blocks: readonly Block[],
  isNumeric: readonly boolean[],
  read: ReadColumns,
): Omit<Table, "timesAreSteps" | "notes"> {
  const offsets = rowOffsets(blocks.map(({ size }) => size));
  const order = blocks.map((_, i) => i).sort((a, b) => blocks[a].first - blocks[b].first);
  const alreadyOrdered = order.every((block, i) => block === i);
  const reordered = <T extends Float64Array | Int32Array>(values: T): T => {
    if (alreadyOrdered) return values;
    const moved = values.slice() as T;
    let at = 0;
    for (const block of order) {
      moved.set(values.subarray(offsets[block], offsets[block + 1]), at);
      at += blocks[block].size;
    }
    return moved;
  };
  const reorderedLevels = (values: readonly (string | null)[]) =>
    order.flatMap((block) => values.slice(offsets[block], offsets[block + 1]));
  return {
    ids: order.map((block) => blocks[block].id),
    offsets: rowOffsets(order.map((block) => blocks[block].size)),
    fileRows: reordered(read.fileRows),
    times: reordered(read.times),
    targets: targets.map((name, i) => ({ name, values: reordered(read.targets[i]) })),
    covariates: covariates.map(({ name, role }, i): CovariateColumn => {
      const values = read.covariates[i];
      const moved = values instanceof Float64Array ? reordered(values) : reorderedLevels(values);
      return { name, role, kind: isNumeric[i] ? "numeric" : "categorical", values: moved };
    }),
    ignoredColumns: ignored,
  };
}

/** The table of a wide file: each column becomes a series with one target. */
function wideTable(
  { targets, ignored }: ChosenColumns,
  read: ReadColumns,
): Omit<Table, "timesAreSteps" | "notes"> {
  const count = read.fileRows.length;
  const repeat = <T extends Float64Array | Int32Array>(all: T, values: T): T => {
    for (let i = 0; i < targets.length; i++) all.set(values, i * count);
    return all;
  };
  const values = new Float64Array(count * targets.length); // [S · N]
  for (const [i, column] of read.targets.entries()) values.set(column, i * count);
  return {
    ids: targets,
    offsets: rowOffsets(targets.map(() => count)),
    fileRows: repeat(new Int32Array(values.length), read.fileRows),
    times: repeat(new Float64Array(values.length), read.times),
    targets: [{ name: "y", values }],
    covariates: [],
    ignoredColumns: ignored,
  };
}
