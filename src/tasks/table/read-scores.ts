// Reads a table of strings with scores: text in, strings and scores out. It runs in browsers.
//
// The first two columns are the strings and the scores, or those with the usual names if there is a header. All mistakes
// are reported together, each with its line.

import { fromSpreadsheetText } from "../../formats/csv.ts";
import {
  type NumberCell,
  numberOfCell,
  parseTextTable,
  type TextRow,
} from "../../formats/tables/text-table.ts";
import { type ColumnRole, usualColumn } from "../../formats/tables/usual-columns.ts";
import { type Issue, show, throwIssues, UserError } from "../../issues.ts";
import type { TableStrings } from "./options.ts";

/** A string of a table with its score. */
export interface ScoredRow {
  /** The line of the file, counted from 1. */
  readonly line: number;
  readonly string: string;
  readonly score: number;
}

/** Characters of a table: no table of all strings that can be trained on needs more. */
const LARGEST = 10 * 2 ** 20;

/**
 * The rows of a table. Throws a UserError for the option `scores` with all mistakes: cells that are no numbers of at least 0,
 * and strings that are repeated or missing. `file` is the name of the table in messages.
 */
export function readScores(text: string, file: string): ScoredRow[] {
  const mistakes = mistakesOf(file);
  if (text.length > LARGEST) {
    const size = (text.length / 2 ** 20).toFixed(1);
    throw mistakes.file(`must have at most ${LARGEST / 2 ** 20} MB, got ${size} MB`);
  }
  const rows = parsed(text, mistakes);
  const { columns, body } = columnsOf(rows, mistakes);
  const lineOf = new Map<string, number>();
  const scored: ScoredRow[] = [];
  for (const { line, cells } of body) {
    const string = fromSpreadsheetText((cells[columns.string] ?? "").trim());
    const cell = (cells[columns.score] ?? "").trim();
    const problem = stringProblem(string) ?? scoreProblem(string, cell, numberOfCell(cell));
    if (problem) {
      mistakes.add(line, problem);
      continue;
    }
    const before = lineOf.get(string);
    if (before !== undefined)
      mistakes.add(line, `${show(string)} is also in line ${before}; keep one of the two`);
    else lineOf.set(string, line);
    scored.push({ line, string, score: numberOfCell(cell) as number });
  }
  mistakes.throw();
  if (scored.length === 0) throw mistakes.file("must have a row with a string and its score, got none");
  return scored;
}

/** The letters of the strings in their order, and their usual length; the largest one if `variable`. */
export function stringsOf(
  rows: readonly ScoredRow[],
  variable: boolean,
): Pick<TableStrings, "alphabet" | "length"> {
  const letters = new Set<string>();
  const counts = new Map<number, number>();
  for (const { string } of rows) {
    for (const letter of string) letters.add(letter);
    counts.set(string.length, (counts.get(string.length) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([a, m], [b, n]) => n - m || b - a);
  const length = variable ? Math.max(...counts.keys()) : byCount[0][0];
  return { alphabet: [...letters].sort().join(""), length };
}

/** Collects the mistakes of a file by line. */
export interface Mistakes {
  add(line: number, problem: string): void;
  /** Throws a UserError with the mistakes that were added. */
  throw(): void;
  /** A mistake of the whole file. */
  file(problem: string): UserError;
}

/** Mistakes that are listed; a wrong file has thousands. */
const MOST_LINES = 10;

export function mistakesOf(file: string): Mistakes {
  const issues: Issue[] = [];
  const issue = (message: string): Issue => ({ path: "scores", code: "table", message });
  return {
    add(line, problem) {
      issues.push(issue(`${file}, line ${line}: ${problem}`));
    },
    throw() {
      const more = issues.length - MOST_LINES;
      const rest = more > 0 ? [issue(`${file} has ${more} more wrong ${more === 1 ? "line" : "lines"}`)] : [];
      throwIssues([...issues.slice(0, MOST_LINES), ...rest]);
    },
    file: (problem) => new UserError([issue(`${file} ${problem}`)]),
  };
}

function parsed(text: string, mistakes: Mistakes): TextRow[] {
  try {
    return parseTextTable(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw mistakes.file(error.issues[0].message.replace(/^it /, ""));
  }
}

interface Columns {
  readonly string: number;
  readonly score: number;
}

/** A first row whose scores are texts is a header, unless they are formulas of a spreadsheet. */
function columnsOf(
  rows: readonly TextRow[],
  mistakes: Mistakes,
): { readonly columns: Columns; readonly body: readonly TextRow[] } {
  if (rows.length === 0) throw mistakes.file("is empty; give a table of strings with scores");
  const [first] = rows;
  if (first.cells.length < 2) {
    throw mistakes.file(
      `must have two columns, strings and scores, separated by commas, tabs or spaces, got one in line ${first.line}`,
    );
  }
  const names = first.cells.map((cell) => cell.trim());
  const columns = {
    string: named(names, "string", mistakes) ?? 0,
    score: named(names, "score", mistakes) ?? 1,
  };
  const cell = numberOfCell(names[columns.score]);
  const isHeader =
    cell !== null && typeof cell === "object" && !isFormula(cell.text) && !looksLikeString(rows);
  if (!isHeader) return { columns: { string: 0, score: 1 }, body: rows };
  if (columns.string === columns.score) {
    throw mistakes.file(
      `must name its columns string and score, got ${names.map(show).join(" and ")} in line ${first.line}`,
    );
  }
  return { columns, body: rows.slice(1) };
}

/** Whether the first cell of the table looks like the strings below it, so that its score is wrong and no header. */
function looksLikeString([first, ...others]: readonly TextRow[]): boolean {
  const strings = others.map(({ cells }) => cells[0].trim());
  const letters = new Set(strings.flatMap((string) => [...string]));
  const [text] = first.cells;
  return strings.some(({ length }) => length === text.length) && [...text].every((each) => letters.has(each));
}

function named(names: readonly string[], role: ColumnRole, mistakes: Mistakes): number | undefined {
  try {
    return usualColumn(names, role);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw mistakes.file(`cannot be read: ${error.issues[0].message}`);
  }
}

function isFormula(text: string): boolean {
  return text.startsWith("=");
}

const FORMULA = "which is a formula of a spreadsheet; export the values instead";

function stringProblem(string: string): string | null {
  return isFormula(string) ? `the string must be letters, got ${show(string)}, ${FORMULA}` : null;
}

function scoreProblem(string: string, text: string, cell: NumberCell): string | null {
  const what = `the score of ${show(string)} must be a number of at least 0`;
  if (text === "") return `${what}, got none; remove the line, or give its score`;
  if (cell === null) return `${what}, got ${show(text)}; remove the line, or give its score`;
  if (typeof cell === "object") return `${what}, got ${show(text)}${isFormula(text) ? `, ${FORMULA}` : ""}`;
  if (cell < 0) return `${what}, got ${cell}; add the same number to all scores, or take their exponential`;
  return null;
}
