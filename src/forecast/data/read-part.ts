// Reads some series of a Parquet file, whose rows were checked before, from the row groups that contain them.

import { nameList, quote, TableError } from "../../formats/tables/table-error.ts";
import { openTableFile, type RowPart } from "../../formats/tables/table-file.ts";
import type { ChosenColumns } from "./choose-columns.ts";
import { ProgressReporter } from "./read-progress.ts";
import { emptyColumns, longTable, readBlocks, readRows } from "./read-table.ts";
import type { Table } from "./table.ts";
import type { TimeFormat } from "./table-sql.ts";

/** Which series of a file to read, and how. */
export interface PartOptions {
  readonly idColumn: string;
  readonly timeColumn: string;
  readonly targetColumns: readonly string[];
  readonly timeFormat: TimeFormat;
  /** The first row of the series in the file, counted from 0, and the row after the last. */
  readonly rows: { readonly from: number; readonly to: number };
  /** The names of the series, if other series have rows between these. */
  readonly ids?: readonly string[];
}

/** Reads the rows with one thread. */
export async function readPart(path: string, options: PartOptions, signal?: AbortSignal): Promise<Table> {
  const { idColumn, timeColumn, targetColumns, timeFormat, rows, ids } = options;
  const part: RowPart = { ...rows, ...(ids && { only: { column: idColumn, texts: ids } }) };
  const file = await openTableFile(path, { format: "parquet", part, threads: 1 }, signal);
  try {
    const columns: ChosenColumns = {
      ...{ id: idColumn, time: timeColumn, targets: targetColumns, covariates: [] },
      ignored: [],
    };
    for (const name of [idColumn, timeColumn, ...targetColumns]) {
      if (file.columnNames.includes(name)) continue;
      throw new TableError(`${path} has no column ${quote(name)}; it has ${nameList(file.columnNames)}`);
    }
    const blocks = await readBlocks(path, file, columns);
    const count = blocks.reduce((sum, { size }) => sum + size, 0);
    const read = emptyColumns(count, targetColumns.length, []);
    await readRows(file, columns, timeFormat, [], read, new ProgressReporter({}));
    const timesAreSteps = timeFormat.kind === "step";
    return { ...longTable(columns, blocks, [], read), timesAreSteps, notes: [] };
  } finally {
    await file.close();
  }
}
