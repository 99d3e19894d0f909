// Parses the text of a small table: CSV, TSV, semicolons as spreadsheets write them, or columns separated by white space.
//
// Cells stay texts, so that strings such as 0110 and NAN are never taken for numbers or missing values. It runs in browsers.

import { UserError } from "../../issues.ts";
import { parseCsv } from "../csv.ts";
import { numberFrom } from "../decimal.ts";

/** A row of a table that is not blank. */
export interface TextRow {
  /** The line of the file in which the row begins, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** All rows that are not blank, also a header. Throws a UserError without a source for what is not a text table. */
export function parseTextTable(file: string): TextRow[] {
  const text = file.replace(/^\uFEFF/, "");
  // Parquet files and spreadsheets have zeros; compressed files begin with 1f 8b, which is no UTF-8.
  if (text.includes("\0") || text.startsWith("\u001f\uFFFD")) {
    throw new UserError(
      "it must be a text of the format CSV or TSV, got another kind of file; export it as CSV",
    );
  }
  const separator = separatorOf(text);
  const rows = separator === undefined ? blankSeparated(text) : separated(text, separator);
  return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
}

function separated(text: string, separator: string): TextRow[] {
  let line = 1;
  return parse(text, separator).map((cells) => {
    const row = { line, cells };
    // Line breaks in quotes are lines of the file, too.
    line += cells.reduce((sum, cell) => sum + count(cell, "\n"), 1);
    return row;
  });
}

function parse(text: string, separator: string): string[][] {
  try {
    return parseCsv(text, separator);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`it cannot be read: ${error.message}`, { cause: error });
  }
}

function blankSeparated(text: string): TextRow[] {
  return text.split(/\r?\n/).map((line, i) => ({ line: i + 1, cells: line.trim().split(/\s+/) }));
}

/** The sign that separates the columns: spreadsheets write commas, tabs or semicolons. Undefined if the first line has none. */
function separatorOf(text: string): string | undefined {
  const [first] = text.trimStart().split("\n", 1);
  const best = [",", "\t", ";"].reduce((best, sign) =>
    count(first, sign) > count(first, best) ? sign : best,
  );
  return first.includes(best) ? best : undefined;
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

/** How programs write a number that is missing. */
const MISSING = ["", "na", "n/a", "nan", "null", "none"];

/** The number of a cell, null if it is missing, or the text that is not a number. */
export type NumberCell = number | null | { readonly text: string };

export function numberOfCell(text: string): NumberCell {
  if (MISSING.includes(text.toLowerCase())) return null;
  const value = numberFrom(text);
  return value !== undefined && Number.isFinite(value) ? value : { text };
}
