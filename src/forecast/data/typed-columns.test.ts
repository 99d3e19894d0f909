// Columns of times and numbers in a Parquet file: they are the same as if they were texts.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadDuckDB } from "../../formats/tables/duckdb.ts";
import { readTable } from "./read-table.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-typed-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes rows with these types, and the same with texts. Returns both paths. */
async function writeBoth(timeType: string, valueType: string, rows: string): Promise<[string, string]> {
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const typed = `SELECT CAST(ds AS ${timeType}) AS ds, CAST(y AS ${valueType}) AS y FROM (VALUES ${rows}) t(ds, y)`;
  const paths = ["typed", "texts"].map((name) => join(folder, `${name}.parquet`)) as [string, string];
  await connection.run(`COPY (${typed}) TO '${paths[0]}' (FORMAT parquet)`);
  await connection.run(
    `COPY (SELECT CAST(ds AS VARCHAR) AS ds, CAST(y AS VARCHAR) AS y FROM (${typed})) TO '${paths[1]}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  return paths;
}

const ROWS =
  "('1969-12-31', '0.1'), ('2020-02-29 23:59:59.123456', '-7'), ('0800-01-01', NULL), ('2024-01-01 12:00:00', '3')";

test.each([
  ["DATE", "DOUBLE"],
  ["TIMESTAMP", "FLOAT"],
  ["TIMESTAMP", "DECIMAL(9, 3)"],
  ["TIMESTAMPTZ", "DOUBLE"],
  ["TIMESTAMP_S", "DOUBLE"],
  ["TIMESTAMP_MS", "DOUBLE"],
  ["TIMESTAMP", "INTEGER"],
  ["TIMESTAMP", "BIGINT"],
])("%s and %s", async (timeType, valueType) => {
  const [typed, texts] = await writeBoth(timeType, valueType, ROWS);
  const table = await readTable(typed);
  expect(table).toEqual(await readTable(texts));
  expect(table.times.length).toBe(4);
  expect(table.targets[0].values.filter(Number.isNaN).length).toBe(1);
});

test("a time that is missing, infinite or after the year 9999 is refused", async () => {
  for (const [time, got] of [
    ["NULL", "nothing"],
    ["'infinity'", '"infinity"'],
    ["'10000-01-01'", '"10000-01-01 00:00:00"'],
  ]) {
    const [typed, texts] = await writeBoth("TIMESTAMP", "DOUBLE", `('2020-01-01', 1), (${time}, 2)`);
    for (const path of [typed, texts])
      await expect(readTable(path)).rejects.toThrow(new RegExp(`row 2.*got ${got}`));
  }
});

test("a number that is infinite is refused", async () => {
  const [typed, texts] = await writeBoth("DATE", "DOUBLE", "('2020-01-01', '1'), ('2020-01-02', 'inf')");
  for (const path of [typed, texts])
    await expect(readTable(path)).rejects.toThrow(/row 2.*a finite number is needed/);
});
