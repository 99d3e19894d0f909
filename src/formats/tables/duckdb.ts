// The only file that imports DuckDB: an in-memory database with access to a single file.
//
// File names are bound as parameters and never become part of a query. External access is disabled except for the one
// file, extensions are not loaded, and the configuration is locked before the file is read. Sorting that does not fit
// in memory uses a temporary folder, which `close` removes.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { TableError } from "./table-error.ts";

export interface Database {
  /** All rows of a small result. */
  all(sql: string): Promise<DuckDBValue[][]>;
  /** The columns of a result, in chunks of a few thousand rows. */
  chunks(sql: string): AsyncGenerator<DuckDBValue[][]>;
  close(): Promise<void>;
}

export type { DuckDBValue };

/** Sorting that needs more memory uses the disk. */
const MEMORY = "1GB";

export interface DatabaseOptions {
  /** Threads of a query. Default: all cores. */
  readonly threads?: number;
  /** Aborting it interrupts a running query. */
  readonly signal?: AbortSignal;
}

/** Opens a database for one file with an absolute path. In every query $1 is the file and $2, $3, … are `parameters`. */
export async function openDatabase(
  path: string,
  parameters: readonly string[],
  { threads, signal }: DatabaseOptions = {},
): Promise<Database> {
  const { DuckDBInstance } = await loadDuckDB();
  const pattern = literalPath(path);
  const values = [pattern, ...parameters];
  const folder = await mkdtemp(join(tmpdir(), "gflownet-table-"));
  let instance: DuckDBInstance | undefined;
  let connection: DuckDBConnection | undefined;

  const interrupt = () => connection?.interrupt();

  async function close(): Promise<void> {
    signal?.removeEventListener("abort", interrupt);
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
      ...(threads !== undefined && { threads: String(threads) }),
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
  signal?.addEventListener("abort", interrupt);
  return {
    async all(sql) {
      signal?.throwIfAborted();
      return (await open.runAndReadAll(sql, values)).getRows();
    },
    async *chunks(sql) {
      const result = await open.stream(sql, values);
      for (;;) {
        signal?.throwIfAborted();
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        yield chunk.getColumns();
      }
    },
    close,
  };
}

/** A glob pattern that matches only this path: DuckDB treats paths as patterns. */
function literalPath(path: string): string {
  return path.replaceAll(/[*?[]/g, (letter) => `[${letter}]`);
}

/** The optional package of DuckDB. Throws a TableError if it is not installed. */
export async function loadDuckDB(): Promise<typeof import("@duckdb/node-api")> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    throw new TableError(
      "Tables need the optional package @duckdb/node-api, which could not be loaded; install it with npm",
      { cause },
    );
  }
}
