// A file that holds a table, opened: its format, the names of its columns, and queries over it.

import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type DuckDBValue, openDatabase } from "./duckdb.ts";
import { checkText, readHeader } from "./first-line.ts";
import { quoted, TableError } from "./table-error.ts";

export type TableFormat = "csv" | "json" | "parquet";

export interface TableFile {
  readonly format: TableFormat;
  readonly names: readonly string[];
  /** What stands behind FROM. */
  readonly source: string;
  /** A column's value as text, in SQL. */
  text(name: string): string;
  all(sql: string): Promise<DuckDBValue[][]>;
  chunks(sql: string): AsyncGenerator<DuckDBValue[][]>;
  close(): Promise<void>;
}

const EXTENSIONS: Readonly<Record<string, TableFormat>> = {
  ...{ csv: "csv", tsv: "csv", txt: "csv" },
  ...{ json: "json", jsonl: "json", ndjson: "json" },
  ...{ parquet: "parquet", pq: "parquet" },
};
export interface OpenOptions {
  /** Told by the file's name if not given. */
  readonly format?: TableFormat;
  /** Whether a CSV file begins with a line of names, as it does if not given; else columns are named 1, 2, … */
  readonly header?: boolean;
}

/** Opens a local file; CSV and JSON may be gzipped. Whoever opens it closes it. */
export async function openTableFile(
  path: string,
  { format: given, header: named = true }: OpenOptions = {},
): Promise<TableFile> {
  await checkFile(path);
  const format = given ?? formatOf(path);
  if (!named && format !== "csv") {
    throw new TableError(`${path}: only a CSV file can be without a header, got ${format.toUpperCase()}`);
  }
  if (format !== "parquet") await checkText(path);
  const header = format === "csv" ? await readHeader(path, named) : undefined;
  const database = await openDatabase(resolve(path), header === undefined ? [] : [header.delimiter]);
  const gzip = /\.gz$/i.test(path) ? ", compression = 'gzip'" : "";
  try {
    if (header !== undefined) {
      // Columns go by number here: no text out of the file gets into a query.
      const columns = header.names.map((_, i) => `'c${i}': 'VARCHAR'`).join(", ");
      const source = `read_csv($1, delim = $2, columns = {${columns}}, header = ${named}, auto_detect = false, quote = '"', escape = '"'${gzip})`;
      return opened(header.names, source, (name) => `c${header.names.indexOf(name)}`);
    }
    const source =
      format === "json"
        ? `read_json($1, maximum_depth = 1${gzip})`
        : "read_parquet($1, hive_partitioning = false)";
    const described = await translated(() => database.all(`DESCRIBE SELECT * FROM ${source}`));
    // What DuckDB calls a column of values that are no objects.
    if (format === "json" && described.length === 1 && described[0][0] === "json") throw noObjects(path);
    return opened(
      described.map(([name]) => String(name)),
      source,
      (name) => {
        const column = `"${name.replaceAll('"', '""')}"`;
        return format === "json" ? `(${column} ->> '$')` : `CAST(${column} AS VARCHAR)`;
      },
    );
  } catch (error) {
    await database.close();
    throw error;
  }

  function opened(names: readonly string[], source: string, text: (name: string) => string): TableFile {
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new TableError(`${path} has two columns named ${quoted(twice)}`);
    return {
      ...{ format, names, source, text, close: database.close },
      all: (sql) => translated(() => database.all(sql)),
      async *chunks(sql) {
        try {
          yield* database.chunks(sql);
        } catch (error) {
          throw readError(path, format, error);
        }
      },
    };
  }

  async function translated<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw readError(path, format, error);
    }
  }
}

/** The format that a file's name tells. */
function formatOf(path: string): TableFormat {
  const extension = /\.([^./\\]+)$/.exec(path.replace(/\.gz$/i, ""))?.[1].toLowerCase() ?? "";
  const format = Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
  if (format !== undefined) return format;
  throw new TableError(
    `${path} must end in one of ${Object.keys(EXTENSIONS).join(", ")}, or its format must be given`,
  );
}

async function checkFile(path: string): Promise<void> {
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT" ? "it does not exist" : code === "EACCES" ? "permission denied" : message;
    throw new TableError(`${path} cannot be read: ${reason}`, { cause });
  }
  if (stats.isDirectory()) throw new TableError(`${path} cannot be read: it is a folder and no file`);
  if (!stats.isFile()) throw new TableError(`${path} cannot be read: it is no regular file`);
  if (stats.size === 0) throw new TableError(`${path} is empty`);
}

function noObjects(path: string): TableError {
  return new TableError(`${path} must be a list of objects or one object per line, got other values`);
}

/** What DuckDB says about a file, as one sentence. */
function readError(path: string, format: TableFormat, error: unknown): unknown {
  if (error instanceof TableError || !(error instanceof Error)) return error;
  const line = /CSV Error on Line: (\d+)/.exec(error.message)?.[1];
  const columns = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(error.message);
  const where = line === undefined ? path : `${path}, line ${line}`;
  if (columns !== null) {
    return new TableError(`${where}: ${columns[1]} columns are needed as in the header, got ${columns[2]}`);
  }
  if (error.message.includes("unterminated quote"))
    return new TableError(`${where}: a quote is never closed`);
  if (error.message.includes("not utf-8")) return new TableError(`${where}: the text must be in UTF-8`);
  const reason = error.message
    .split("\n")[0]
    .replace(/^[\w ]*Error: /, "")
    // The file is named already, as it was typed.
    .replace(/ in file "[^"]*",?/, "")
    .replace(/^File '[^']*'/, "it is")
    .replace(
      /^The CSV Parser state machine reached an invalid state.*/,
      "lines must all end alike, and a quote ends only where its value does",
    )
    .replace(/^No magic bytes found.*/, "it is no Parquet file")
    .replace(/[.\s]+$/, "");
  return new TableError(`${where} cannot be read as ${format.toUpperCase()}: ${reason}`, { cause: error });
}
