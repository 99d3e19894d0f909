// Chooses the columns of a file by their names and, if no name tells the target, by their content: the only numeric column.

import { quote } from "../../formats/tables/table-error.ts";
import type { TableFile } from "../../formats/tables/table-file.ts";
import { type ChosenColumns, type ColumnOptions, chooseColumns, noTargetColumn } from "./choose-columns.ts";

export interface FileColumns {
  readonly columns: ChosenColumns;
  /** One sentence per choice that was made by content. */
  readonly notes: readonly string[];
}

export async function chooseFileColumns(
  path: string,
  file: TableFile,
  options: ColumnOptions,
): Promise<FileColumns> {
  const columns = chooseColumns(path, file.columnNames, options);
  if (columns.targets.length > 0) return { columns, notes: [] };
  const numeric = await numericColumns(file, columns.ignored);
  // The only column left is taken in any case: if it has other texts than numbers, the check of the rows says which.
  const [target, ...more] = numeric.length === 0 ? columns.ignored : numeric;
  if (target === undefined || more.length > 0) {
    throw noTargetColumn(path, numeric.length > 1 ? numeric : file.columnNames);
  }
  return {
    columns: {
      ...columns,
      targets: [target],
      ignored: columns.ignored.filter((name) => name !== target),
    },
    notes: [`the target is ${quote(target)}, the only numeric column besides times and series names`],
  };
}

/** Those of the columns that have numbers and missing values only, and at least one number. */
async function numericColumns(file: TableFile, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const facts = names.flatMap((name) => {
    const number = file.valueSql(name);
    return [`bool_and(${number} IS NOT NULL)`, `bool_or(NOT isnan(${number}))`];
  });
  const [row] = await file.all(`SELECT ${facts.join(", ")} FROM ${file.fromSql}`);
  return names.filter((_, i) => row[2 * i] === true && row[2 * i + 1] === true);
}
