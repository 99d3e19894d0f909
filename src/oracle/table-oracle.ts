// An oracle that is a table of strings with scores: CSV, TSV, JSON or Parquet, also compressed with gzip.
//
// Strings stay texts: N, 0110 and NAN are read as they are written.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { nameList, quote, TableError } from "../formats/tables/table-error.ts";
import { openTableFile, type TableFile, type TableFileOptions } from "../formats/tables/table-file.ts";
import { answerOf } from "./answers.ts";
import type { Answer, Oracle } from "./oracle.ts";

/** Which columns of a table hold the strings and their scores. */
export interface ScoreColumns {
  /** Default: string, sequence, seq, peptide, smiles, object or x, or else the only column that is not numeric. */
  readonly stringColumn?: string;
  /** Default: score, fitness, y, value, target, measurement or reward, or else the only other numeric column. */
  readonly scoreColumn?: string;
  /** Default: uncertainty, std, sd or stderr, if there is such a column. */
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
  /** Default: a hash of the file and of the names of its columns. */
  readonly version?: string;
}

const ALIASES = {
  string: ["string", "sequence", "seq", "peptide", "smiles", "object", "x"],
  score: ["score", "fitness", "y", "value", "target", "measurement", "reward"],
  uncertainty: ["uncertainty", "std", "sd", "stderr"],
} as const;

const MAX_ROWS = 20_000_000;

/** Reads all strings of a table. A string that is in it with two different scores makes the table unusable. */
export async function tableOracle(options: TableOracleOptions): Promise<Oracle> {
  const { file, read = (text) => text } = options;
  const answers = new Map<string, Answer>();
  for await (const { string: text, score, uncertainty } of readScores(file, options)) {
    const string = read(text);
    const known = answers.get(string);
    if (known === undefined) answers.set(string, answerOf(score, uncertainty));
    else if ("score" in known && known.score !== score) {
      throw new TableError(
        `${file} has two scores for ${quote(string)}, ${known.score} and ${score}; keep one row for each string`,
      );
    }
  }
  return {
    label: `the table ${file} with ${answers.size} strings`,
    version: options.version ?? (await versionOf(file, options)),
    batch: 65_536,
    concurrency: 1,
    async score(strings) {
      return strings.map((string) => answers.get(string) ?? { failure: `it is not in ${file}` });
    },
    async close() {},
  };
}

/** The strings and scores of a table, in the order of its rows. Throws a TableError that names the row of a mistake. */
export async function* readScores(
  path: string,
  { maxRows = MAX_ROWS, ...options }: ReadScoresOptions = {},
): AsyncGenerator<ScoredString> {
  const file = await openTableFile(path, options);
  try {
    const columns = await chooseColumns(path, file, options);
    const values = [file.textSql(columns.string), file.textSql(columns.score)];
    if (columns.uncertainty !== undefined) values.push(file.textSql(columns.uncertainty));
    const numbers = values.slice(1).map((text) => file.numberSql(text));
    let row = 0;
    for await (const [strings, ...cells] of file.chunks(
      `SELECT ${[values[0], ...values.slice(1), ...numbers].join(", ")} FROM ${file.fromSql}`,
    )) {
      for (let i = 0; i < strings.length; i++) {
        row++;
        if (row > maxRows) throw new TableError(`${path} must have at most ${maxRows} rows, got more`);
        const string = strings[i] === null ? "" : String(strings[i]);
        if (string === "")
          throw new TableError(`${path}, row ${row} has no string in ${quote(columns.string)}`);
        const [score, uncertainty] = numbers.map((_, j) => {
          const number = cells[numbers.length + j][i];
          if (typeof number === "number" && Number.isFinite(number)) return number;
          const isOptional = j === 1 && typeof number === "number";
          if (isOptional) return undefined;
          const column = j === 0 ? columns.score : columns.uncertainty;
          throw new TableError(
            `${path}, row ${row}: ${quote(column ?? "")} must be a finite number, got ${quote(String(cells[j][i] ?? ""))}`,
          );
        });
        yield { string, score: score as number, ...(uncertainty !== undefined && { uncertainty }) };
      }
    }
    if (row === 0) throw new TableError(`${path} must have at least one row, got none`);
  } finally {
    await file.close();
  }
}

interface ChosenColumns {
  readonly string: string;
  readonly score: string;
  readonly uncertainty: string | undefined;
}

async function chooseColumns(path: string, file: TableFile, options: ScoreColumns): Promise<ChosenColumns> {
  const names = file.columnNames;
  const byAlias = (kind: keyof typeof ALIASES) =>
    ALIASES[kind].flatMap((alias) => names.filter((name) => name.trim().toLowerCase() === alias))[0];
  const given = (option: keyof ScoreColumns, wanted: string | undefined) =>
    wanted === undefined ? undefined : findColumn(path, names, option, wanted);
  const uncertainty = given("uncertaintyColumn", options.uncertaintyColumn) ?? byAlias("uncertainty");
  let string = given("stringColumn", options.stringColumn) ?? byAlias("string");
  let score = given("scoreColumn", options.scoreColumn) ?? byAlias("score");
  if (string === undefined || score === undefined) {
    const others = names.filter((name) => ![string, score, uncertainty].includes(name));
    const numeric = await numericColumns(file, others);
    const texts = others.filter((name) => !numeric.includes(name));
    // The columns of a table of two are told apart by their content, or else by their order.
    const [first, second] = names.length === 2 && texts.length === 0 ? others : [];
    string ??= texts.length === 1 ? texts[0] : first;
    score ??= numeric.length === 1 && numeric[0] !== string ? numeric[0] : second;
  }
  if (string === undefined) throw noColumn(path, "stringColumn", "strings", ALIASES.string, names);
  if (score === undefined) throw noColumn(path, "scoreColumn", "scores", ALIASES.score, names);
  if (string === score || uncertainty === string || uncertainty === score) {
    throw new TableError(
      `${path}: strings, scores and uncertainties must be in different columns, got ${nameList([string, score])}`,
    );
  }
  return { string, score, uncertainty };
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

function findColumn(path: string, names: readonly string[], option: string, wanted: string): string {
  const found =
    names.find((name) => name === wanted) ??
    names.find((name) => name.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined) return found;
  throw new TableError(`${path} has no column ${quote(wanted)}; it has ${nameList(names)}`, {
    path: option,
    code: "column",
  });
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
