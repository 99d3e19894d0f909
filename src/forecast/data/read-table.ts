// Reads a table of time series out of a local file: CSV, JSON, JSON lines or Parquet, of any number of rows.
//
// The file is read three times, a few thousand rows at a time: to check it, to count the rows of each series, and sorted.
// So only the columns asked for are ever in memory, as plain arrays of numbers.

import { type CountedUnit, checkRows } from "./check-rows.ts";
import { type ChosenColumns, type ColumnOptions, chooseColumns } from "./columns.ts";
import type { DuckDBValue } from "./duckdb.ts";
import { type CovariateColumn, SINGLE_SERIES, startsOf, type Table } from "./table.ts";
import { TableError } from "./table-error.ts";
import { openTableFile, type TableFile, type TableFormat } from "./table-file.ts";
import { doubleOf, levelOf, millisecondsOf, type TimeStyle, timeText, zoneOf } from "./table-sql.ts";

export interface ReadOptions extends ColumnOptions {
  /** Told by the file's name if not given. */
  readonly format?: TableFormat;
  /** Whether a CSV file begins with a line of names, as it does if not given; else columns are named 1, 2, … */
  readonly header?: boolean;
  /** What numbers in the column of times count; told by their size if not given. */
  readonly timeUnit?: CountedUnit;
}

/** Reads a file; what is wrong with it is said with its row and column. */
export async function readTable(path: string, options: ReadOptions = {}): Promise<Table> {
  const file = await openTableFile(path, options);
  try {
    const columns = chooseColumns(path, file.names, options);
    const { count, style, numeric } = await checkRows(path, file, columns, options);
    const blocks = await readBlocks(file, columns, count);
    const kinds = columns.covariates.map(({ name, categorical }) => !categorical && numeric.has(name));
    const read = emptyColumns(count, columns.targets.length, kinds);
    await readRows(file, columns, style, kinds, read);
    const counted = style.kind === "step";
    return options.wide === true
      ? { ...wideTable(columns, read), counted }
      : { ...longTable(columns, blocks, kinds, read), counted };
  } finally {
    await file.close();
  }
}

/** The rows of one series, in the order of ids. */
interface Block {
  readonly id: string;
  readonly size: number;
  /** Its first row in the file. */
  readonly first: number;
}

interface ReadColumns {
  readonly rows: Int32Array; // [N]
  readonly times: Float64Array; // [N]
  readonly targets: readonly Float64Array[]; // each [N]
  readonly covariates: readonly (Float64Array | (string | null)[])[]; // each [N]
}

async function readBlocks(file: TableFile, columns: ChosenColumns, count: number): Promise<Block[]> {
  if (columns.id === undefined) return [{ id: SINGLE_SERIES, size: count, first: 1 }];
  const found = await file.all(
    `SELECT id, count(*)::INTEGER, min(row)::INTEGER
     FROM (SELECT row_number() OVER () AS row, ${file.text(columns.id)} AS id FROM ${file.source}) GROUP BY id ORDER BY id`,
  );
  return found.map(([id, size, first]) => ({ id: String(id), size: Number(size), first: Number(first) }));
}

function emptyColumns(count: number, targets: number, numeric: readonly boolean[]): ReadColumns {
  return {
    rows: new Int32Array(count),
    times: new Float64Array(count),
    targets: Array.from({ length: targets }, () => new Float64Array(count)),
    covariates: numeric.map((isNumeric) =>
      isNumeric ? new Float64Array(count) : new Array<string | null>(count).fill(null),
    ),
  };
}

/** Reads all rows, sorted by series, time and place in the file. */
async function readRows(
  file: TableFile,
  { id, time, targets, covariates }: ChosenColumns,
  style: TimeStyle,
  numeric: readonly boolean[],
  read: ReadColumns,
): Promise<void> {
  const values = [
    ...targets.map((name) => doubleOf(file.text(name))),
    ...covariates.map(({ name }, i) => (numeric[i] ? doubleOf : levelOf)(file.text(name))),
  ].map((value, i) => `${value} AS v${i}`);
  const sql = `SELECT row, ${millisecondsOf("t", "zone", style)} AS time, ${values.map((_, i) => `v${i}`).join(", ")} FROM (
    SELECT *, ${style.kind === "text" ? zoneOf("t") : "''"} AS zone FROM (
    SELECT (row_number() OVER ())::INTEGER AS row, ${id === undefined ? "0" : file.text(id)} AS id,
      ${timeText(time === undefined ? undefined : file.text(time))} AS t, ${values.join(", ")} FROM ${file.source})) ORDER BY id, time, row`;
  const texts = new Map<DuckDBValue, string | null>();
  let at = 0;
  for await (const [rows, times, ...columns] of file.chunks(sql)) {
    read.rows.set(rows as number[], at);
    read.times.set(times as number[], at);
    for (const [i, column] of columns.entries()) {
      const target = i < targets.length ? read.targets[i] : read.covariates[i - targets.length];
      if (target instanceof Float64Array) target.set(column as number[], at);
      else for (const [j, level] of column.entries()) target[at + j] = shared(level);
    }
    at += rows.length;
  }
  if (at !== read.rows.length)
    throw new TableError(`A file of ${read.rows.length} rows changed while it was read`);

  /** Levels come again and again: one text for each. */
  function shared(level: DuckDBValue): string | null {
    if (!texts.has(level)) texts.set(level, level === null ? null : String(level));
    return texts.get(level)!;
  }
}

/** Series in the order of the file; each block of rows stays as it was sorted. */
function longTable(
  { targets, covariates, ignored }: ChosenColumns,
  blocks: readonly Block[],
  numeric: readonly boolean[],
  read: ReadColumns,
): Omit<Table, "counted"> {
  const starts = startsOf(blocks.map(({ size }) => size));
  const order = blocks.map((_, i) => i).sort((a, b) => blocks[a].first - blocks[b].first);
  const sorted = order.every((block, i) => block === i);
  const numbers = <T extends Float64Array | Int32Array>(values: T): T => {
    if (sorted) return values;
    const moved = values.slice() as T;
    let at = 0;
    for (const block of order) {
      moved.set(values.subarray(starts[block], starts[block + 1]), at);
      at += blocks[block].size;
    }
    return moved;
  };
  const levels = (values: readonly (string | null)[]) =>
    order.flatMap((block) => values.slice(starts[block], starts[block + 1]));
  return {
    ids: order.map((block) => blocks[block].id),
    starts: startsOf(order.map((block) => blocks[block].size)),
    rows: numbers(read.rows),
    times: numbers(read.times),
    targets: targets.map((name, i) => ({ name, values: numbers(read.targets[i]) })),
    covariates: covariates.map(({ name, role }, i): CovariateColumn => {
      const values = read.covariates[i];
      const moved = values instanceof Float64Array ? numbers(values) : levels(values);
      return { name, role, kind: numeric[i] ? "numeric" : "categorical", values: moved };
    }),
    ignored,
  };
}

/** Columns of a wide file become series of one target. */
function wideTable({ targets, ignored }: ChosenColumns, read: ReadColumns): Omit<Table, "counted"> {
  const count = read.rows.length;
  const repeat = <T extends Float64Array | Int32Array>(all: T, values: T): T => {
    for (let i = 0; i < targets.length; i++) all.set(values, i * count);
    return all;
  };
  const values = new Float64Array(count * targets.length); // [S · N]
  for (const [i, column] of read.targets.entries()) values.set(column, i * count);
  return {
    ids: targets,
    starts: startsOf(targets.map(() => count)),
    rows: repeat(new Int32Array(values.length), read.rows),
    times: repeat(new Float64Array(values.length), read.times),
    targets: [{ name: "y", values }],
    covariates: [],
    ignored,
  };
}
