// An oracle that is a table of strings with scores: CSV, TSV or JSON, also compressed with gzip, or Parquet.
//
// Strings stay texts: N, 0110 and NAN are read as they are written.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { nameList, quote, TableError } from "../formats/tables/table-error.ts";
import { openTableFile, type TableFile, type TableFileOptions } from "../formats/tables/table-file.ts";
import { COLUMN_NAMES, type ColumnRole, columnNamed, usualColumn } from "../formats/tables/usual-columns.ts";
import { UserError } from "../issues.ts";
import { answerOf } from "./answers.ts";
import { answerOfValues, type DesignObjective, versionFor } from "./design-objectives.ts";
import type { Answer, Oracle } from "./oracle.ts";

/** Which columns of a table hold the strings and their scores. */
export interface ScoreColumns {
  /** Default: the column with the first of these names: string, sequence, seq, peptide, smiles, object, x; or else the only column that is not numeric. */
  readonly stringColumn?: string;
  /** Default: the column with the first of these names: score, fitness, y, value, target, measurement, reward; or else the only other numeric column. */
  readonly scoreColumn?: string;
  /** Default: the column with the first of these names: uncertainty, std, sd, stderr, if there is such a column. */
  readonly uncertaintyColumn?: string;
}

/** A string of a table with its score. */
export interface ScoredString {
  readonly string: string;
  readonly score: number;
  readonly uncertainty?: number;
}

/** Options of `readScores`. */
export interface ReadScoresOptions extends ScoreColumns, TableFileOptions {
  /** Most rows. Default: 20 million. */
  readonly maxRows?: number;
}

/** Options of `tableOracle`. */
export interface TableOracleOptions extends ReadScoresOptions {
  readonly file: string;
  /** The string that a text of the table stands for, such as ACGT for acgt. Default: the text itself. */
  readonly read?: (text: string) => string;
  /** The columns with the values of each string, if there are several. Default: one column of scores. */
  readonly objectives?: readonly DesignObjective[];
  /** Default: a hash of the file and of the names of its columns. */
  readonly version?: string;
}

const MAX_ROWS = 20_000_000;

/** Reads all strings of a table. A string that is in it with two different scores makes the table unusable. */
export async function tableOracle(options: TableOracleOptions): Promise<Oracle> {
  const { file, read = (text) => text, objectives } = options;
  const answers = new Map<string, Answer>();
  for await (const { string: text, answer } of readAnswers(options)) {
    const string = read(text);
    const known = answers.get(string);
    if (known === undefined) answers.set(string, answer);
    else if ("score" in known && numbersText(known) !== numbersText(answer)) {
      throw new TableError(
        `${file} has two scores for ${quote(string)}, ${numbersText(known)} and ${numbersText(answer)}; keep one row for each string`,
      );
    }
  }
  return {
    label: `the table ${file} with ${answers.size} strings`,
    version: versionFor(objectives, options.version ?? (await versionOf(file, options))),
    batch: 65_536,
    concurrency: 1,
    async score(strings) {
      return strings.map((string) => answers.get(string) ?? { failure: `it is not in ${file}` });
    },
    async close() {},
  };
}

async function* readAnswers(
  options: TableOracleOptions,
): AsyncGenerator<{ readonly string: string; readonly answer: Answer }> {
  const { file, objectives } = options;
  if (objectives) return yield* readValues(file, objectives, options);
  for await (const { string, score, uncertainty } of readScores(file, options)) {
    yield { string, answer: answerOf(score, uncertainty) };
  }
}

function numbersText(answer: Answer): string {
  if ("failure" in answer) return "none";
  return answer.values ? `(${answer.values.join(", ")})` : String(answer.score);
}

/** The strings and scores of a table, in the order of its rows. Throws a TableError that names the row of a mistake. */
export async function* readScores(
  path: string,
  { maxRows = MAX_ROWS, ...options }: ReadScoresOptions = {},
): AsyncGenerator<ScoredString> {
  const file = await openTableFile(path, options);
  try {
    const {
      string: column,
      score: scores,
      uncertainty: uncertainties,
    } = await chooseColumns(path, file, options);
    const columns = uncertainties === undefined ? [scores] : [scores, uncertainties];
    for await (const { row, string, numbers, texts } of rowsOf(path, file, {
      string: column,
      columns,
      maxRows,
    })) {
      const [score, uncertainty] = numbers;
      if (!Number.isFinite(score)) throw noNumber(path, row, scores, texts[0]);
      yield { string, score, ...(Number.isFinite(uncertainty) && { uncertainty }) };
    }
  } finally {
    await file.close();
  }
}

/** The strings of a table with one column for each objective. A missing value is a failure of its string. */
async function* readValues(
  path: string,
  objectives: readonly DesignObjective[],
  { maxRows = MAX_ROWS, ...options }: ReadScoresOptions,
): AsyncGenerator<{ readonly string: string; readonly answer: Answer }> {
  const file = await openTableFile(path, options);
  try {
    const columns = objectives.map(({ name }) => findColumn(path, file.columnNames, "objectives", name));
    const string = await stringColumnOf(path, file, options, columns);
    for await (const row of rowsOf(path, file, { string, columns, maxRows })) {
      const values = row.numbers.map((number) => (Number.isFinite(number) ? number : undefined));
      yield { string: row.string, answer: answerOfValues(objectives, values) };
    }
  } finally {
    await file.close();
  }
}

/** A row of a table: its number from 1 on, its string, and some columns as numbers, NaN if missing, and as texts. */
interface TableRow {
  readonly row: number;
  readonly string: string;
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

async function* rowsOf(
  path: string,
  file: TableFile,
  {
    string: stringColumn,
    columns,
    maxRows,
  }: { readonly string: string; readonly columns: readonly string[]; readonly maxRows: number },
): AsyncGenerator<TableRow> {
  const values = columns.map((column) => file.textSql(column));
  const numbers = values.map((text) => file.numberSql(text));
  let row = 0;
  for await (const [strings, ...cells] of file.chunks(
    `SELECT ${[file.textSql(stringColumn), ...values, ...numbers].join(", ")} FROM ${file.fromSql}`,
  )) {
    for (let i = 0; i < strings.length; i++) {
      row++;
      if (row > maxRows) throw new TableError(`${path} must have at most ${maxRows} rows, got more`);
      const string = strings[i] === null ? "" : String(strings[i]);
      if (string === "") throw new TableError(`${path}, row ${row} has no string in ${quote(stringColumn)}`);
      const texts = columns.map((_, j) => String(cells[j][i] ?? ""));
      const read = columns.map((column, j) => {
        const number = cells[columns.length + j][i];
        if (typeof number !== "number") throw noNumber(path, row, column, texts[j]);
        return number;
      });
      yield { row, string, numbers: read, texts };
    }
  }
  if (row === 0) throw new TableError(`${path} must have at least one row, got none`);
}

function noNumber(path: string, row: number, column: string, text: string): TableError {
  return new TableError(`${path}, row ${row}: ${quote(column)} must be a finite number, got ${quote(text)}`);
}

interface ChosenColumns {
  readonly string: string;
  readonly score: string;
  readonly uncertainty: string | undefined;
}

async function chooseColumns(path: string, file: TableFile, options: ScoreColumns): Promise<ChosenColumns> {
  const names = file.columnNames;
  const given = (option: keyof ScoreColumns, wanted: string | undefined) =>
    wanted === undefined ? undefined : findColumn(path, names, option, wanted);
  const uncertainty =
    given("uncertaintyColumn", options.uncertaintyColumn) ?? usual(path, names, "uncertainty");
  let string = given("stringColumn", options.stringColumn) ?? usual(path, names, "string");
  let score = given("scoreColumn", options.scoreColumn) ?? usual(path, names, "score");
  if (string === undefined || score === undefined) {
    const others = names.filter((name) => ![string, score, uncertainty].includes(name));
    const numeric = await numericColumns(file, others);
    const texts = others.filter((name) => !numeric.includes(name));
    // The columns of a table of two are told apart by their content, or else by their order.
    const [first, second] = names.length === 2 && texts.length === 0 ? others : [];
    string ??= texts.length === 1 ? texts[0] : first;
    score ??= numeric.length === 1 && numeric[0] !== string ? numeric[0] : second;
  }
  if (string === undefined) throw noColumn(path, "stringColumn", "strings", COLUMN_NAMES.string, names);
  if (score === undefined) throw noColumn(path, "scoreColumn", "scores", COLUMN_NAMES.score, names);
  if (string === score || uncertainty === string || uncertainty === score) {
    throw new TableError(
      `${path}: strings, scores and uncertainties must be in different columns, got ${nameList([string, score])}`,
    );
  }
  return { string, score, uncertainty };
}

/** The column of strings beside columns of values: one with a usual name, or else the only other column that is not
 * numeric. */
async function stringColumnOf(
  path: string,
  file: TableFile,
  { stringColumn }: ScoreColumns,
  values: readonly string[],
): Promise<string> {
  const names = file.columnNames.filter((name) => !values.includes(name));
  if (stringColumn !== undefined) return findColumn(path, names, "stringColumn", stringColumn);
  const found = usual(path, names, "string");
  if (found !== undefined) return found;
  const numeric = await numericColumns(file, names);
  const texts = names.filter((name) => !numeric.includes(name));
  if (texts.length === 1) return texts[0];
  throw noColumn(path, "stringColumn", "strings", COLUMN_NAMES.string, file.columnNames);
}

/** Those of the columns in which every value is a number or missing, and at least one is a number. */
async function numericColumns(file: TableFile, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const facts = names.map((name) => {
    const number = file.numberSql(file.textSql(name));
    return `bool_and(${number} IS NOT NULL) AND bool_or(NOT isnan(${number}))`;
  });
  const [row] = await file.all(`SELECT ${facts.join(", ")} FROM ${file.fromSql}`);
  return names.filter((_, i) => row[i] === true);
}

/** The column with the first of the usual names; undefined if there is none. */
function usual(path: string, names: readonly string[], role: ColumnRole): string | undefined {
  return names[inFile(path, () => usualColumn(names, role)) ?? -1];
}

function findColumn(path: string, names: readonly string[], option: string, wanted: string): string {
  const found = inFile(path, () => columnNamed(names, wanted));
  if (found !== undefined) return names[found];
  throw new TableError(`${path} has no column ${quote(wanted)}; it has ${nameList(names)}`, {
    path: option,
    code: "column",
  });
}

/** Names the file if the columns are wrong. */
function inFile<T>(path: string, choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new TableError(`${path}: ${error.issues[0].message}`, { code: "column", cause: error });
  }
}

function noColumn(
  path: string,
  option: string,
  what: string,
  aliases: readonly string[],
  names: readonly string[],
): TableError {
  return new TableError(
    `${path} has no column of ${what} named ${aliases.join(", ")}; choose one of its columns: ${nameList(names)}`,
    { path: option, code: "column" },
  );
}

async function versionOf(file: string, columns: ScoreColumns): Promise<string> {
  const { stringColumn = "", scoreColumn = "", uncertaintyColumn = "" } = columns;
  const hash = createHash("sha256").update(JSON.stringify([stringColumn, scoreColumn, uncertaintyColumn]));
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex").slice(0, 16);
}
