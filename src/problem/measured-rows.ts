// The measurements of a table of strings: rows with a score or with a value for each objective, wrong rows, and rows without
// a measurement.

import { show } from "../issues.ts";
import { combinedScore, type DesignObjective } from "../oracle/design-objectives.ts";
import { type StringRow, stringRows, type TextTable, valueRows } from "./string-table.ts";

/** A row with a measurement. */
export interface MeasuredRow {
  /** The line of the table, counted from 1 at the header. */
  readonly row: number;
  readonly string: string;
  readonly score: number;
  /** With several objectives, the value of each. */
  readonly values?: readonly number[];
}

/** What a table says. */
export interface MeasuredRows {
  readonly measured: readonly MeasuredRow[];
  /** Rows that cannot be read, each with a sentence that names it. */
  readonly wrong: readonly { readonly row: number; readonly message: string }[];
  /** Rows without a measurement. A row that lacks the value of one objective is one of them. */
  readonly missing: number;
  readonly total: number;
}

/** Which columns hold the strings and the scores; with objectives, their names are the columns. */
export interface MeasuredColumns {
  readonly string?: string;
  readonly score?: string;
  readonly objectives?: readonly DesignObjective[];
}

/** Throws a UserError without a source if a column is missing. */
export function measuredRows(
  table: TextTable,
  { string: stringColumn, score, objectives }: MeasuredColumns,
): MeasuredRows {
  const names = objectives ? objectives.map(({ name }) => name) : ["score"];
  const rows = objectives
    ? valueRows(table, { string: stringColumn, values: names })
    : stringRows(table, { string: stringColumn, score }).map((row) => ({ ...row, values: [row.score] }));
  const measured: MeasuredRow[] = [];
  const wrong: { row: number; message: string }[] = [];
  const refuse = (row: number, message: string) => wrong.push({ row, message: `row ${row}: ${message}` });
  let missing = 0;
  for (const { row, string, values } of rows) {
    const unreadable = values.findIndex(isText);
    if (unreadable >= 0) {
      const { text } = values[unreadable] as { readonly text: string };
      refuse(row, `the ${names[unreadable]} must be a number, got ${show(text)}`);
      continue;
    }
    if (values.includes(null)) {
      missing++;
      continue;
    }
    const numbers = values as readonly number[];
    if (string === "") refuse(row, `the ${names[0]} ${numbers[0]} must have a string, got none`);
    else if (objectives)
      measured.push({ row, string, score: combinedScore(objectives, numbers), values: numbers });
    else measured.push({ row, string, score: numbers[0] });
  }
  return { measured, wrong, missing, total: rows.length };
}

function isText(value: StringRow["score"]): boolean {
  return typeof value === "object" && value !== null;
}
