import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "./duckdb.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-duckdb-"));
  await writeFile(join(folder, "own.csv"), "a\n1\n");
  await writeFile(join(folder, "other.csv"), "a\n2\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a database for one file", () => {
  test("reads only that file, writes none, loads no extensions, and cannot be reconfigured", async () => {
    const database = await openDatabase(join(folder, "own.csv"), []);
    const used = "WITH own AS (SELECT * FROM read_csv($1))";
    try {
      expect(await database.all(`${used} SELECT a::INTEGER FROM own`)).toEqual([[1]]);
      const other = `read_csv('${join(folder, "other.csv")}')`;
      await expect(database.all(`${used} SELECT * FROM own, ${other}`)).rejects.toThrow(/Permission Error/);
      await expect(database.all(`${used} SELECT * FROM own, glob('${folder}/*')`)).rejects.toThrow(
        /Permission Error/,
      );
      await expect(
        database.all(`COPY (SELECT * FROM read_csv($1)) TO '${join(folder, "new.csv")}'`),
      ).rejects.toThrow(/Permission Error/);
      const settings = database.chunks("SET enable_external_access = true");
      await expect(settings.next()).rejects.toThrow();
    } finally {
      await database.close();
    }
  });
});

describe("without the DuckDB package", () => {
  afterEach(() => {
    vi.doUnmock("@duckdb/node-api");
    vi.resetModules();
  });

  test("the error message names the missing package", async () => {
    vi.resetModules();
    vi.doMock("@duckdb/node-api", () => {
      throw new Error("no such package");
    });
    const { openDatabase: open } = await import("./duckdb.ts");
    await expect(open(join(folder, "own.csv"), [])).rejects.toThrow(
      "Tables need the optional package @duckdb/node-api, which could not be loaded; install it with npm",
    );
  });
});
