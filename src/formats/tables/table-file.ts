// Opens a file that contains a table: its format, its column names, and SQL queries on it.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { checkRegular } from "../../disk/regular-file.ts";
import { fileProblem } from "../../issues.ts";
import { checkTextFile, readCsvHeader } from "./csv-header.ts";
import { type DuckDBValue, openDatabase } from "./duckdb.ts";
import type { DecimalSign, TableFormat } from "./format-names.ts";
import { numberSql } from "./number-sql.ts";
import { quote, TableError } from "./table-error.ts";

export interface TableFile {
  readonly format: TableFormat;
  readonly columnNames: readonly string[];
  /** SQL expression for the FROM clause. */
  readonly fromSql: string;
  /** SQL expression for the number of a row in the file, counted from 1. */
  readonly rowSql: string;
  /** SQL expression for the value of a column as text. */
  textSql(name: string): string;
  /** SQL expression for a text as a number; see `numberSql`. */
  numberSql(text: string): string;
  /** SQL expression for the value of a column as a number, as `numberSql` of its text gives it. */
  valueSql(name: string): string;
  /**
   * SQL expression for the milliseconds since 1970 of a column of times, which is null if the year does not have four digits;
   * null if the file does not tell that the column is one of times.
   */
  timeSql(name: string): string | null;
  all(sql: string): Promise<DuckDBValue[][]>;
  chunks(sql: string): AsyncGenerator<DuckDBValue[][]>;
  close(): Promise<void>;
}

const EXTENSIONS: Readonly<Record<string, TableFormat>> = {
  ...{ csv: "csv", tsv: "csv", txt: "csv" },
  ...{ json: "json", jsonl: "json", ndjson: "json" },
  ...{ parquet: "parquet", pq: "parquet" },
};

export interface TableFileOptions {
  /** Default: by the extension of the file name. */
  readonly format?: TableFormat;
  /** Whether a CSV file starts with a line of column names. If not, columns are named 1, 2, … Default: true. */
  readonly header?: boolean;
  /** Decimal sign of the numbers in a CSV file. Default: a point. */
  readonly decimal?: DecimalSign;
  /** Reads only these rows of a Parquet file, and of the file only the row groups that contain them. */
  readonly part?: RowPart;
  /** Threads of a query. Default: all cores. */
  readonly threads?: number;
}

/** A part of the rows of a Parquet file. */
export interface RowPart {
  /** The first row, counted from 0, and the row after the last. */
  readonly from: number;
  readonly to: number;
  /** Only the rows with one of these texts in a column. */
  readonly only?: { readonly column: string; readonly texts: readonly string[] };
}

/** The end of the name of a file that is compressed with gzip. */
const GZIP = /\.gz$/i;

/** Extensions of database files. */
const DATABASES = ["duckdb", "ddb", "db", "sqlite"];

/** Types whose values are the same numbers as their texts. A text of type FLOAT is a decimal number near the value. */
const NUMBER_TYPES = ["DOUBLE", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"];
const TIME_TYPES = ["DATE", "TIMESTAMP"];

/** The name of DuckDB's column of row numbers. */
const ROW_NUMBER = "file_row_number";

/** Opens a local file. CSV and JSON may be compressed with gzip. The caller must close it. */
export async function openTableFile(
  path: string,
  { format: givenFormat, header: hasHeader = true, decimal = ".", part, threads }: TableFileOptions = {},
  signal?: AbortSignal,
): Promise<TableFile> {
  await checkFile(path);
  const format = givenFormat ?? formatOf(path);
  if (format === "parquet" && GZIP.test(path)) {
    throw new TableError(
      `${path} must not be compressed with gzip, because a Parquet file is compressed inside; unpack it with gunzip`,
    );
  }
  if (part !== undefined && format !== "parquet") {
    throw new TableError(`only a Parquet file can be read in parts, got ${path} as ${format.toUpperCase()}`, {
      path: "format",
      code: "conflict",
    });
  }
  if (!hasHeader && format !== "csv") {
    throw new TableError(`only a CSV file can have no header, got ${path} as ${format.toUpperCase()}`, {
      path: "header",
      code: "conflict",
    });
  }
  if (decimal !== "." && format !== "csv") {
    throw new TableError(`only a CSV file can have decimal commas, got ${path} as ${format.toUpperCase()}`, {
      path: "decimal",
      code: "conflict",
    });
  }
  if (format !== "parquet") await checkTextFile(path);
  const header = format === "csv" ? await readCsvHeader(path, hasHeader, decimal) : undefined;
  const parameters =
    header !== undefined ? [header.delimiter] : part?.only ? textParameters(part.only.texts) : [];
  const database = await openDatabase(resolve(path), parameters, { threads, signal });
  // Only a Parquet file tells the types of its columns.
  let types: ReadonlyMap<string, string> = new Map();
  const gzip = GZIP.test(path) ? ", compression = 'gzip'" : "";
  try {
    if (header !== undefined) {
      // Columns are numbered here, so that no text from the file becomes part of a query.
      const columns = header.names.map((_, i) => `'c${i}': 'VARCHAR'`).join(", ");
      const fromSql = `read_csv($1, delim = $2, columns = {${columns}}, header = ${hasHeader}, auto_detect = false, quote = '"', escape = '"'${gzip})`;
      return tableFile(header.names, fromSql, (name) => `c${header.names.indexOf(name)}`);
    }
    const fromSql =
      format === "json"
        ? `read_json($1, maximum_depth = 1${gzip})`
        : part === undefined
          ? "read_parquet($1, hive_partitioning = false)"
          : partSql(part);
    const described = await translateErrors(() => database.all(`DESCRIBE SELECT * FROM ${fromSql}`));
    // DuckDB names the only column `json` if the values are not objects.
    if (format === "json" && described.length === 1 && described[0][0] === "json") throw notObjects(path);
    const names = described.map(([name]) => String(name));
    if (format === "parquet") types = new Map(described.map(([name, type]) => [String(name), String(type)]));
    return tableFile(
      part === undefined ? names : names.filter((name) => name !== ROW_NUMBER),
      fromSql,
      format === "json" ? (name) => `(${identifier(name)} ->> '$')` : columnText,
      part === undefined ? undefined : `(${ROW_NUMBER} + 1)`,
    );
  } catch (error) {
    await database.close();
    throw error;
  }

  function tableFile(
    columnNames: readonly string[],
    fromSql: string,
    textSql: (name: string) => string,
    rowSql = "row_number() OVER ()",
  ): TableFile {
    const twice = columnNames.find((name, i) => columnNames.indexOf(name) !== i);
    if (twice !== undefined) throw new TableError(`${path} has two columns named ${quote(twice)}`);
    return {
      ...{ format, columnNames, fromSql, rowSql, textSql, close: database.close },
      numberSql: (text) => numberSql(text, decimal),
      valueSql: (name) =>
        NUMBER_TYPES.includes(types.get(name) ?? "")
          ? `coalesce(CAST(${identifier(name)} AS DOUBLE), 'NaN'::DOUBLE)`
          : numberSql(textSql(name), decimal),
      timeSql: (name) => (TIME_TYPES.includes(types.get(name) ?? "") ? timestampColumn(name) : null),
      all: (sql) => translateErrors(() => database.all(sql)),
      async *chunks(sql) {
        try {
          yield* database.chunks(sql);
        } catch (error) {
          throw readError(path, format, error);
        }
      },
    };
  }

  async function translateErrors<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw readError(path, format, error);
    }
  }
}

/** A name as an identifier of SQL. */
function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A column of a Parquet file as text. */
function columnText(name: string): string {
  return `CAST(${identifier(name)} AS VARCHAR)`;
}

function timestampColumn(name: string): string {
  const time = `CAST(${identifier(name)} AS TIMESTAMP)`;
  return (
    `CASE WHEN ${time} >= TIMESTAMP '0001-01-01' AND ${time} <= TIMESTAMP '9999-12-31 23:59:59.999999' ` +
    `THEN epoch_us(${time}) / 1000.0 END`
  );
}

/** The rows of a part. DuckDB skips the row groups that the bounds of the row number, or of the text, exclude. */
function partSql({ from, to, only }: RowPart): string {
  const rows = `${ROW_NUMBER} >= ${from} AND ${ROW_NUMBER} < ${to}`;
  const text = only && columnText(only.column);
  const texts = only
    ? ` AND ${text} >= $3 AND ${text} <= $4 AND ${text} IN (SELECT unnest(from_json($2, '["VARCHAR"]')))`
    : "";
  return `(SELECT * FROM read_parquet($1, hive_partitioning = false, ${ROW_NUMBER} = true) WHERE ${rows}${texts})`;
}

/** The texts as JSON, and the first and the last of them in the order of their bytes. */
function textParameters(texts: readonly string[]): string[] {
  const sorted = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return [JSON.stringify(texts), sorted[0] ?? "", sorted.at(-1) ?? ""];
}

/** The format of a file by its extension. */
export function formatOf(path: string): TableFormat {
  const extension = /\.([^./\\]+)$/.exec(path.replace(GZIP, ""))?.[1].toLowerCase() ?? "";
  const format = Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
  if (format !== undefined) return format;
  const rule = `${path} must end in one of ${Object.keys(EXTENSIONS).join(", ")}`;
  if (DATABASES.includes(extension)) {
    throw new TableError(
      `${rule}, and not be a database; write the table to a file, in DuckDB with COPY name TO 'name.parquet'`,
      { path: "format", code: "format" },
    );
  }
  throw new TableError(rule, {
    path: "format",
    code: "format",
    remedy: "for another extension, give the format",
  });
}

/** Throws unless the path is that of a regular file with content. Returns its size in bytes. */
async function checkFile(path: string): Promise<number> {
  let size: number;
  try {
    const info = await stat(path);
    checkRegular(info, path);
    size = info.size;
  } catch (cause) {
    throw new TableError(`${path} cannot be read: ${fileProblem(cause)}`, { cause });
  }
  if (size === 0) throw new TableError(`${path} is empty`);
  return size;
}

function notObjects(path: string): TableError {
  return new TableError(`${path} must be a list of objects, or one object per line, got other values`);
}

/** Translates an error of DuckDB into one sentence. */
function readError(path: string, format: TableFormat, error: unknown): unknown {
  if (error instanceof TableError || !(error instanceof Error)) return error;
  const line = /CSV Error on Line: (\d+)/.exec(error.message)?.[1];
  const columns = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(error.message);
  const where = line === undefined ? path : `${path}, line ${line}`;
  if (columns !== null) {
    const remedy =
      Number(columns[2]) > Number(columns[1])
        ? "if a number has a decimal comma, quote it, or separate the columns by semicolons"
        : undefined;
    const problem = `${where}: ${columns[1]} columns are needed as in the header, got ${columns[2]}`;
    return new TableError(problem, { remedy });
  }
  if (error.message.includes("unterminated quote"))
    return new TableError(`${where}: a quote is never closed`);
  if (error.message.includes("not utf-8")) return new TableError(`${where}: the text must be in UTF-8`);
  const reason = error.message
    .split("\n")[0]
    .replace(/^[\w ]*Error: /, "")
    // The message already starts with the path.
    .replace(/ in file "[^"]*",?/, "")
    .replace(/^File '[^']*'/, "it is")
    .replace(
      /^The CSV Parser state machine reached an invalid state.*/,
      "all lines must have the same line ending, and a quoted value must end with its closing quote",
    )
    .replace(/^No magic bytes found.*/, "it is not a Parquet file")
    .replace(/[.\s]+$/, "");
  return new TableError(`${where} cannot be read as ${format.toUpperCase()}: ${reason}`, { cause: error });
}
