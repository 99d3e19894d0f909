// Filters, sorts and exports the rows of a candidate table.

import { csvLine, spreadsheetText } from "../../src/formats/csv.ts";
import type { CandidatesView } from "../../src/views/view-data.ts";

type Row = CandidatesView["rows"][number];
type Columns = CandidatesView["columns"];

/**
 * Rows that pass a filter: every word must occur in a text cell, or be a comparison of a number column such as
 * `score>0.5`.
 */
export function filteredRows({ columns, rows }: CandidatesView, text: string): readonly Row[] {
  const tests = text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => testOf(word, columns));
  return tests.length === 0 ? rows : rows.filter((row) => tests.every((passes) => passes(row)));
}

function testOf(word: string, columns: Columns): (row: Row) => boolean {
  const parts = /^([\w.]+)(<=|>=|<|>|=)(-?[\d.]+(?:e-?\d+)?)$/i.exec(word);
  const index =
    parts === null ? -1 : columns.findIndex(({ name, kind }) => name === parts[1] && kind === "number");
  if (parts === null || index < 0) {
    const part = word.toLowerCase();
    return (row) => row.some((cell) => typeof cell === "string" && cell.toLowerCase().includes(part));
  }
  const bound = Number(parts[3]);
  const isInside: Readonly<Record<string, (value: number) => boolean>> = {
    "<": (value) => value < bound,
    "<=": (value) => value <= bound,
    ">": (value) => value > bound,
    ">=": (value) => value >= bound,
    "=": (value) => value === bound,
  };
  return (row) => typeof row[index] === "number" && isInside[parts[2]](row[index]);
}

/** Rows in the order of a column; without such a column, as they are. Empty cells stand at the end. */
export function sortedRows(
  columns: Columns,
  rows: readonly Row[],
  { column, isDescending }: { readonly column: string | undefined; readonly isDescending: boolean },
): readonly Row[] {
  const index = columns.findIndex(({ name }) => name === column);
  if (index < 0) return rows;
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[index], b[index]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    return sign * (String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0);
  });
}

/** The rows as CSV, with texts that no spreadsheet takes for formulas. */
export function candidatesCsv(columns: Columns, rows: readonly Row[]): string {
  const lines = rows.map((row) =>
    row.map((cell) => (typeof cell === "string" ? spreadsheetText(cell) : cell)),
  );
  return [columns.map(({ name }) => name), ...lines].map(csvLine).join("");
}

/** Columns that describe a FASTA record, in this order. */
const DESCRIBED = ["score", "circle"];

/** The rows as FASTA, `>candidate_1 score=… circle=…` with six digits; numbered in the order of the rows. */
export function candidatesFasta(columns: Columns, rows: readonly Row[]): string {
  const string = stringColumn(columns);
  const described = DESCRIBED.map((name) => ({
    name,
    index: columns.findIndex((column) => column.name === name),
  }));
  return rows
    .map((row, i) => {
      const parts = described.flatMap(({ name, index }) => {
        const value = row[index];
        return typeof value === "number" ? [` ${name}=${Number(value.toPrecision(6))}`] : [];
      });
      return `>candidate_${i + 1}${parts.join("")}\n${row[string] ?? ""}\n`;
    })
    .join("");
}

/** The column of the objects: `string`, else the first text; -1 if there is none. */
export function stringColumn(columns: Columns): number {
  const named = columns.findIndex(({ name }) => name === "string");
  return named >= 0 ? named : columns.findIndex(({ kind }) => kind === "text");
}
