// Writes a CSV text as a Parquet file, by DuckDB, with access to the two files only.

import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { loadDuckDB } from "./duckdb.ts";

/**
 * Writes the file atomically. `columns` has the type of each column of the CSV text. Empty cells become nulls. Throws a
 * TableError if DuckDB is not installed.
 */
export async function writeParquet(
  file: string,
  csv: string,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const { DuckDBInstance } = await loadDuckDB();
  const path = resolve(file);
  const temporary = `${path}.${randomUUID()}.tmp`;
  const source = `${temporary}.csv`;
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    await writeFile(source, csv);
    await connection.run("SET allowed_paths = [$1, $2]", [source, temporary]);
    await connection.run("SET enable_external_access = false");
    const types = Object.entries(columns).map(([name, type]) => `${literal(name)}: ${literal(type)}`);
    // Quoted and unquoted cells are texts alike; only an empty cell is missing.
    const table = `read_csv(${literal(source)}, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', columns = {${types.join(", ")}})`;
    await connection.run(`COPY (SELECT * FROM ${table}) TO ${literal(temporary)} (FORMAT parquet)`);
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
