// Reads a CSV or TSV file of strings with scores. Cells of strings are never taken for numbers or missing values.

import { readRegularFile } from "../disk/regular-file.ts";
import { parseCsv } from "../formats/csv.ts";
import { COLUMN_NAMES, type ColumnRole, columnNamed, usualColumn } from "../formats/tables/usual-columns.ts";
import { fileProblem, show, UserError } from "../issues.ts";
import { numberFrom } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";

/** Bytes of a file of known strings. */
const LARGEST = 2 ** 26;

/** How programs write a number that is missing. */
const MISSING = ["", "na", "n/a", "nan", "null", "none"];

/** The rows of a file, without its header. */
export interface TextTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A row of a table of strings with scores. */
export interface StringRow {
  /** The line of the table, counted from 1 at the header. A cell with a line break counts as one line. */
  readonly row: number;
  readonly string: string;
  /** The score, null if it is missing, or the text that is not a number. */
  readonly score: number | null | { readonly text: string };
}

/** Throws a UserError without a source if the file cannot be read. */
export async function readTextTable(file: string): Promise<TextTable> {
  const bytes = await readRegularFile(file, LARGEST).catch((error: unknown) => {
    const reason = error instanceof UserError ? error.issues[0].message : fileProblem(error);
    throw new UserError(`it cannot be read: ${reason}`, { cause: error });
  });
  if (!isText(bytes)) {
    throw new UserError(
      "it must be a text of the format CSV or TSV, got another kind of file; export it as CSV",
    );
  }
  const text = new TextDecoder().decode(bytes).replace(/^\uFEFF/, "");
  try {
    const [columns = [], ...rows] = parseCsv(text, separatorOf(text));
    return {
      columns: columns.map((cell) => cell.trim()),
      rows: rows.filter((row) => row.some((cell) => cell.trim() !== "")),
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`it cannot be read: ${error.message}`, { cause: error });
  }
}

/** Parquet files and spreadsheets have zeros; compressed files begin with two numbers. */
function isText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && !(bytes[0] === 0x1f && bytes[1] === 0x8b);
}

/** The sign that separates the columns: spreadsheets write commas, tabs or semicolons. */
function separatorOf(text: string): string {
  const [header] = text.split("\n", 1);
  return [",", "\t", ";"].reduce((best, sign) => (count(header, sign) > count(header, best) ? sign : best));
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
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
  return rows.map((cells, i) => ({
    row: i + 2,
    string: (cells[stringAt] ?? "").trim(),
    score: scoreOf((cells[scoreAt] ?? "").trim()),
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
  return rows.map((cells, i) => ({
    row: i + 2,
    string: (cells[stringAt] ?? "").trim(),
    values: valuesAt.map((at) => scoreOf((cells[at] ?? "").trim())),
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

/** The number of a cell, null if it is missing. */
export function scoreOf(text: string): StringRow["score"] {
  if (MISSING.includes(text.toLowerCase())) return null;
  const value = numberFrom(text);
  return value !== undefined && Number.isFinite(value) ? value : { text };
}
