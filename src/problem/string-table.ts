// Reads a CSV or TSV file of strings with scores. Cells of strings are never taken for numbers or missing values.

import { readRegularFile } from "../disk/regular-file.ts";
import { type NumberCell, numberOfCell, parseTextTable, type TextRow } from "../formats/tables/text-table.ts";
import { COLUMN_NAMES, type ColumnRole, columnNamed, usualColumn } from "../formats/tables/usual-columns.ts";
import { fileProblem, show, UserError } from "../issues.ts";
import { nearest } from "../settings/nearest.ts";

/** Bytes of a file of known strings. */
const LARGEST = 2 ** 26;

/** The rows of a file, without its header. */
export interface TextTable {
  readonly columns: readonly string[];
  readonly rows: readonly TextRow[];
}

/** A row of a table of strings with scores. */
export interface StringRow {
  /** The line of the file in which the row begins, counted from 1. */
  readonly row: number;
  readonly string: string;
  /** The score, null if it is missing, or the text that is not a number. */
  readonly score: NumberCell;
}

/** Throws a UserError without a source if the file cannot be read. */
export async function readTextTable(file: string): Promise<TextTable> {
  const bytes = await readRegularFile(file, LARGEST).catch((error: unknown) => {
    const reason = error instanceof UserError ? error.issues[0].message : fileProblem(error);
    throw new UserError(`it cannot be read: ${reason}`, { cause: error });
  });
  const [header, ...rows] = parseTextTable(new TextDecoder().decode(bytes));
  return { columns: header?.cells.map((cell) => cell.trim()) ?? [], rows };
}

/** The names of columns, if they are given. */
export interface ColumnNames {
  readonly string?: string;
  readonly score?: string;
}

/** The rows by two columns. Throws a UserError without a source if there is no such column. */
export function stringRows({ columns, rows }: TextTable, names: ColumnNames): StringRow[] {
  const stringAt = columnOf(columns, "string", names.string);
  const scoreAt = columnOf(columns, "score", names.score);
  return rows.map(({ line, cells }) => ({
    row: line,
    string: (cells[stringAt] ?? "").trim(),
    score: numberOfCell((cells[scoreAt] ?? "").trim()),
  }));
}

/** A row of a table of strings with a value for each of several objectives. */
export interface ValueRow extends Omit<StringRow, "score"> {
  readonly values: readonly StringRow["score"][];
}

/** The rows by a column of strings and one column per objective. Throws a UserError without a source if one is missing. */
export function valueRows(
  { columns, rows }: TextTable,
  names: { readonly string?: string; readonly values: readonly string[] },
): ValueRow[] {
  const stringAt = columnOf(columns, "string", names.string);
  const valuesAt = names.values.map((name) => columnOf(columns, "score", name));
  return rows.map(({ line, cells }) => ({
    row: line,
    string: (cells[stringAt] ?? "").trim(),
    values: valuesAt.map((at) => numberOfCell((cells[at] ?? "").trim())),
  }));
}

/** The index of a column by its name, or else by one of the usual names. */
function columnOf(columns: readonly string[], role: ColumnRole, name: string | undefined): number {
  const usual: readonly string[] = COLUMN_NAMES[role];
  const index = name === undefined ? usualColumn(columns, role) : columnNamed(columns, name);
  if (index !== undefined) return index;
  const meant = name === undefined ? undefined : nearest(name, columns);
  const remedy =
    meant === undefined ? `the columns are ${columns.map(show).join(", ")}` : `did you mean ${show(meant)}?`;
  const what =
    name === undefined ? `for the ${role}s, such as ${show(usual[0])} or ${show(usual[1])}` : show(name);
  throw new UserError(`there must be a column ${what}; ${remedy}`);
}
