// Parquet files from CSV texts: what is written is read again.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readScores } from "../../oracle/table-oracle.ts";
import { writeParquet } from "./write-parquet.ts";

const folder = await mkdtemp(join(tmpdir(), "parquet-"));
afterAll(() => rm(folder, { recursive: true }));

test("strings stay strings, and no other file is left", async () => {
  const file = join(folder, "it's.parquet");
  await writeParquet(file, 'string,score\nNAN,1\n0110,0.5\nN,-2e-3\n"A,""B",3\n', {
    string: "VARCHAR",
    score: "DOUBLE",
  });
  expect(await readdir(folder)).toEqual(["it's.parquet"]);
  const rows: unknown[] = [];
  for await (const row of readScores(file)) rows.push([row.string, row.score]);
  expect(rows).toEqual([
    ["NAN", 1],
    ["0110", 0.5],
    ["N", -0.002],
    ['A,"B', 3],
  ]);
});
