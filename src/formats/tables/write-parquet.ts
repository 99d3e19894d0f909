// Writes CSV as a Parquet file, by DuckDB, with access to the two files only.

import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { loadDuckDB } from "./duckdb.ts";

/** The type of a column of times: its cells are microseconds since 1970 in UTC. */
export const MICROSECONDS = "TIMESTAMP";

/**
 * Writes the file atomically. `columns` has the type of each column of the CSV text, which may come in parts. Empty cells
 * become nulls; a quoted empty cell is an empty text. The same text gives the same bytes. Throws a TableError if DuckDB is
 * not installed.
 */
export async function writeParquet(
  file: string,
  csv: string | AsyncIterable<string>,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const { DuckDBInstance } = await loadDuckDB();
  const path = resolve(file);
  const temporary = `${path}.${randomUUID()}.tmp`;
  const source = `${temporary}.csv`;
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    memory_limit: "1GB",
    // Several threads would write the row groups in any order.
    threads: "1",
  });
  const connection = await instance.connect();
  try {
    await writeFile(source, csv);
    await connection.run("SET allowed_paths = [$1, $2]", [source, temporary]);
    await connection.run("SET enable_external_access = false");
    const types = Object.entries(columns).map(
      ([name, type]) => `${literal(name)}: ${literal(type === MICROSECONDS ? "BIGINT" : type)}`,
    );
    const selected = Object.entries(columns).map(([name, type]) => {
      const column = `"${name.replaceAll('"', '""')}"`;
      return type === MICROSECONDS ? `make_timestamp(${column}) AS ${column}` : column;
    });
    // Quoted and unquoted cells are texts alike; only an empty cell is missing.
    const table = `read_csv(${literal(source)}, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${types.join(", ")}})`;
    await connection.run(
      `COPY (SELECT ${selected.join(", ")} FROM ${table}) TO ${literal(temporary)} (FORMAT parquet)`,
    );
    await rename(temporary, path);
  } finally {
    connection.closeSync();
    instance.closeSync();
    await Promise.all([source, temporary].map((each) => rm(each, { force: true })));
  }
}

/** A text in a query. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
