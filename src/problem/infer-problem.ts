// Infers the alphabet and the length of a problem from a table of strings with scores.

import { relative, resolve, sep } from "node:path";
import { numberOfCell } from "../formats/tables/text-table.ts";
import { COLUMN_NAMES, type ColumnRole, usualColumn } from "../formats/tables/usual-columns.ts";
import { show, UserError } from "../issues.ts";
import { type Alphabet, type AlphabetName, alphabetOf, NAMED_ALPHABETS, stringReader } from "./alphabet.ts";
import { isInside } from "./folder-files.ts";
import {
  type ColumnNames,
  readTextTable,
  type StringRow,
  stringRows,
  type TextTable,
} from "./string-table.ts";
import type { ProblemDraft } from "./write-problem.ts";

export interface InferOptions extends ColumnNames {
  /** The folder of the problem file. A table outside it is written into the file. */
  readonly folder: string;
  /** The alphabet, if it need not be inferred. */
  readonly alphabet?: string | readonly string[];
}

/** The keys `alphabet`, `length` and `known` of a problem. Throws a UserError with the file as its source. */
export async function inferProblem(
  file: string,
  { folder, alphabet: given, ...names }: InferOptions,
): Promise<ProblemDraft> {
  try {
    const table = await readTextTable(file);
    const columns = columnsOf(table, names);
    const rows = stringRows(table, columns);
    if (rows.length === 0) throw new UserError("there must be at least one row below the header, got none");
    const alphabet = given ?? inferAlphabet(rows.map(({ string }) => string));
    const read = alphabetOf(alphabet);
    if ("problem" in read) throw new UserError(`the alphabet ${read.problem}`);
    const lengths = tokenCounts(rows, read);
    const [min, max] = [Math.min(...lengths), Math.max(...lengths)];
    const path = resolve(file);
    return {
      alphabet,
      length: min === max ? max : { min, max },
      known: isInside(folder, path)
        ? { file: relative(folder, path).replaceAll(sep, "/"), ...columns }
        : rows.flatMap(knownString),
    };
  } catch (error) {
    if (!(error instanceof UserError) || error.source !== undefined) throw error;
    throw new UserError(error.issues, { source: file, cause: error });
  }
}

/** A row as an item of `known`; none if its score is missing. */
function knownString({
  row,
  string,
  score,
}: StringRow): { readonly string: string; readonly score: number }[] {
  if (score === null) return [];
  if (typeof score === "number") return [{ string, score }];
  throw new UserError(`row ${row}: the score must be a number, got ${show(score.text)}`);
}

/** By their names, or else the only column of texts and the only column of numbers. */
function columnsOf({ columns, rows }: TextTable, names: ColumnNames): Required<ColumnNames> {
  const usual = (role: ColumnRole) => columns[usualColumn(columns, role) ?? -1];
  const isNumeric = (column: number) => rows.every((row) => !isText(row.cells[column]?.trim() ?? ""));
  const only = (numeric: boolean) => {
    const found = columns.filter((_, i) => isNumeric(i) === numeric);
    return found.length === 1 ? found[0] : undefined;
  };
  const string = names.string ?? usual("string") ?? only(false);
  const score = names.score ?? usual("score") ?? only(true);
  const [role, name] =
    string === undefined ? ["strings", COLUMN_NAMES.string[0]] : ["scores", COLUMN_NAMES.score[0]];
  if (string !== undefined && score !== undefined) return { string, score };
  throw new UserError(
    `there must be one column of ${role}, named ${show(name)} or given by name; the columns are ${columns.map(show).join(", ")}`,
  );
}

function isText(cell: string): boolean {
  const score = numberOfCell(cell);
  return typeof score === "object" && score !== null;
}

/** A named alphabet that has all letters, in the order DNA, RNA, protein; else one that has them with U for T; else the
 * letters themselves in their order. */
export function inferAlphabet(strings: readonly string[]): AlphabetName | string {
  const letters = new Set(strings.flatMap((string) => [...string]));
  const upper = [...new Set([...letters].map((letter) => letter.toUpperCase()))];
  const names = Object.keys(NAMED_ALPHABETS) as AlphabetName[];
  const lettersOf = (name: AlphabetName, withAlias: boolean) =>
    NAMED_ALPHABETS[name].letters + (withAlias ? (NAMED_ALPHABETS[name].alias?.[0] ?? "") : "");
  const found = [false, true].flatMap((withAlias) =>
    names.filter((name) => upper.every((letter) => lettersOf(name, withAlias).includes(letter))),
  )[0];
  return found ?? [...letters].sort().join("");
}

function tokenCounts(rows: readonly StringRow[], alphabet: Alphabet): number[] {
  const read = stringReader(alphabet);
  return rows.map(({ row, string }) => {
    try {
      const { length } = read(string).tokens;
      if (length > 0) return length;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new UserError(`row ${row}: the string must ${error.message}`);
    }
    throw new UserError(`row ${row}: the string must have at least one letter, got none`);
  });
}
