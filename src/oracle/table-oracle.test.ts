// Tables as oracles: strings stay texts, and columns are found by name or content.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, test } from "vitest";
import { type TableOracleOptions, tableOracle } from "./table-oracle.ts";

const folder = mkdtempSync(join(tmpdir(), "gflownet-tables-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function tableFile(extension: string, content: string | Uint8Array): string {
  const path = join(folder, `table-${files++}.${extension}`);
  writeFileSync(path, content);
  return path;
}

async function answers(file: string, strings: string[], options: Omit<TableOracleOptions, "file"> = {}) {
  return (await tableOracle({ file, ...options })).score(strings);
}

const AWKWARD = ["N", "0110", "NAN", "null", "1e5", "TRUE"];
const ROWS = AWKWARD.map((string, i) => ({ string, score: i - 1.5 }));
const expected = ROWS.map(({ score }) => ({ score }));

describe("strings that look like other values stay strings in", () => {
  const csv = `string,score\n${ROWS.map(({ string, score }) => `${string},${score}`).join("\n")}\n`;
  test.each<[string, string | Uint8Array]>([
    ["csv", csv],
    ["tsv", csv.replaceAll(",", "\t")],
    ["csv.gz", gzipSync(csv)],
    ["json", JSON.stringify(ROWS)],
    ["jsonl", ROWS.map((row) => JSON.stringify(row)).join("\n")],
    ["jsonl.gz", gzipSync(ROWS.map((row) => JSON.stringify(row)).join("\n"))],
  ])("%s", async (extension, content) => {
    expect(await answers(tableFile(extension, content), AWKWARD)).toEqual(expected);
  });
});

test("strings that look like other values stay strings in parquet", async () => {
  const file = join(folder, "table.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rows = ROWS.map(({ string, score }) => `('${string}', ${score})`).join(", ");
  await connection.run(`COPY (SELECT * FROM (VALUES ${rows}) AS t(string, score)) TO '${file}'`);
  connection.closeSync();
  instance.closeSync();
  expect(await answers(file, AWKWARD)).toEqual(expected);
});

test("a string that is not in the table fails", async () => {
  const file = tableFile("csv", "string,score\nA,1\n");
  expect(await answers(file, ["A", "a"])).toEqual([{ score: 1 }, { failure: `it is not in ${file}` }]);
});

describe("columns are found", () => {
  test.each<[string, string, Omit<TableOracleOptions, "file">, object]>([
    [
      "by their usual names",
      "id,Sequence,note,Fitness,std\n7,AC,x,2,0.5\n",
      {},
      { score: 2, uncertainty: 0.5 },
    ],
    ["by the first usual name in whatever order", "well,value,string,score\nA1,7,AC,2\n", {}, { score: 2 }],
    ["by their content", "mer,affinity\nAC,2\n", {}, { score: 2 }],
    ["by the other way round", "affinity,mer\n2,AC\n", {}, { score: 2 }],
    ["by choice", "a,b,c\nAC,1,2\n", { stringColumn: "a", scoreColumn: "C" }, { score: 2 }],
    ["by their numbers without a header", "AC,2\n", { header: false }, { score: 2 }],
  ])("%s", async (_, content, options, answer) => {
    expect(await answers(tableFile("csv", content), ["AC"], options)).toEqual([answer]);
  });

  test("by their order if both of two are numbers", async () => {
    expect(await answers(tableFile("csv", "bits,n\n0110,4\n1111,2\n"), ["0110", "1111"])).toEqual([
      { score: 4 },
      { score: 2 },
    ]);
  });
});

test.each([
  ["parquet.gz", "must not be compressed with gzip, because a Parquet file is compressed inside; unpack it"],
  ["duckdb", "and not be a database; write the table to a file, in DuckDB with COPY name TO 'name.parquet'"],
  ["xlsx", "must end in one of csv, tsv, txt, json, jsonl, ndjson, parquet, pq; for another extension"],
])("a file that ends in .%s is refused with its remedy", async (extension, message) => {
  const file = tableFile(extension, gzipSync("string,score\nA,1\n"));
  await expect(tableOracle({ file })).rejects.toThrow(message);
});

describe("one sentence says what is wrong with", () => {
  test.each<[string, string, Omit<TableOracleOptions, "file">, string]>([
    [
      "two scores of one string",
      "string,score\nA,1\nC,2\nA,3\n",
      {},
      'has two scores for "A", 1 and 3; keep one row',
    ],
    [
      "a score that is text",
      "string,score\nA,1\nC,high\n",
      {},
      'row 2: "score" must be a finite number, got "high"',
    ],
    ["a missing score", "string,score\nA,\n", {}, 'row 1: "score" must be a finite number, got ""'],
    ["a missing string", "string,score\n,1\n", {}, 'row 1 has no string in "string"'],
    ["no rows", "string,score\n", {}, "must have at least one row, got none"],
    [
      "a column that is not there",
      "string,score\nA,1\n",
      { scoreColumn: "y" },
      'has no column "y"; it has "string", "score"',
    ],
    [
      "two possible columns",
      "string,one,two\nA,1,2\n",
      {},
      'choose one of its columns: "string", "one", "two"',
    ],
    [
      "two columns with the same usual name",
      "string,Score,SCORE\nA,1,2\n",
      {},
      'there must be one column "score", got "Score", "SCORE"; rename all but one of them',
    ],
    ["one column for both", "string,score\nA,1\n", { stringColumn: "score" }, "must be in different columns"],
    ["too many rows", "string,score\nA,1\nB,1\n", { maxRows: 1 }, "must have at most 1 rows, got more"],
  ])("%s", async (_, content, options, message) => {
    await expect(tableOracle({ file: tableFile("csv", content), ...options })).rejects.toThrow(message);
  });
});

test("a string with the same score twice is one string", async () => {
  expect(await answers(tableFile("csv", "string,score\nA,1\nA,1.0\n"), ["A"])).toEqual([{ score: 1 }]);
});

test("the version changes with the content and with the chosen columns", async () => {
  const [one, two] = [tableFile("csv", "a,b,c\nA,1,2\n"), tableFile("csv", "a,b,c\nA,1,3\n")];
  const version = async (file: string, scoreColumn: string) =>
    (await tableOracle({ file, stringColumn: "a", scoreColumn })).version;
  const versions = [await version(one, "b"), await version(one, "c"), await version(two, "b")];
  expect(new Set(versions).size).toBe(3);
});
