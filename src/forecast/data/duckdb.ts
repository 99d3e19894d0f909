// The only file that knows DuckDB: a database in memory that can see one file and nothing else.
//
// File names are bound, never written into a query. External access is switched off but for the one file, extensions
// are not loaded, and the settings are locked before anything is read. Sorting that does not fit in memory goes to
// a folder of its own that is removed at the end.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { TableError } from "./table-error.ts";

export interface Database {
  /** All rows of a small result. */
  all(sql: string): Promise<DuckDBValue[][]>;
  /** Columns of a result, a few thousand rows at a time. */
  chunks(sql: string): AsyncGenerator<DuckDBValue[][]>;
  close(): Promise<void>;
}

export type { DuckDBValue };

/** More than this is sorted on disk. */
const MEMORY = "1GB";

/** Opens a database for one file, by its absolute path; `parameters` are $2, $3, … of every query, $1 is the file. */
export async function openDatabase(path: string, parameters: readonly string[]): Promise<Database> {
  const { DuckDBInstance } = await loadDuckDB();
  const pattern = literalPath(path);
  const values = [pattern, ...parameters];
  const folder = await mkdtemp(join(tmpdir(), "gflownet-table-"));
  let instance: DuckDBInstance | undefined;
  let connection: DuckDBConnection | undefined;

  async function close(): Promise<void> {
    connection?.closeSync();
    instance?.closeSync();
    await rm(folder, { recursive: true, force: true });
  }

  try {
    instance = await DuckDBInstance.create(":memory:", {
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      memory_limit: MEMORY,
    });
    connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run("SET temp_directory = $1", [folder]);
    await connection.run("SET allowed_paths = [$1, $2]", [path, pattern]);
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
  } catch (error) {
    await close();
    throw error;
  }
  const open = connection;
  return {
    async all(sql) {
      return (await open.runAndReadAll(sql, values)).getRows();
    },
    async *chunks(sql) {
      const result = await open.stream(sql, values);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        yield chunk.getColumns();
      }
    },
    close,
  };
}

/** The pattern that only this very path matches: DuckDB takes paths for patterns. */
function literalPath(path: string): string {
  return path.replaceAll(/[*?[]/g, (letter) => `[${letter}]`);
}

async function loadDuckDB(): Promise<typeof import("@duckdb/node-api")> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    throw new TableError(
      "Reading tables needs the optional package @duckdb/node-api, which could not be loaded; install it with npm",
      { cause },
    );
  }
}
