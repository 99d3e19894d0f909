// The start of files: with and without a header, and files of another format than their extension.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ReadOptions, readTable } from "../../forecast/data/read-table.ts";
import { isoTime } from "../../forecast/data/time-grid.ts";
import { TableError } from "./table-error.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-first-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, content: string | Uint8Array, options?: ReadOptions) {
  const path = join(folder, name);
  await writeFile(path, content);
  return readTable(path, options);
}

/** The error message of a file, without its folder. */
async function failure(name: string, content: string | Uint8Array, options?: ReadOptions): Promise<string> {
  const error = await read(name, content, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TableError);
  return (error as TableError).message.replaceAll(join(folder, "/"), "");
}

describe("a file without a header", () => {
  test("has columns 1, 2, …; a wide file uses row numbers as times", async () => {
    const table = await read("x.csv", "5,1.5\n6,2.5\n7,\n", { wide: true, header: false });
    expect(table).toMatchObject({ ids: ["1", "2"], timesAreSteps: true, offsets: [0, 3, 6] });
    expect([...table.times]).toEqual([1, 2, 3, 1, 2, 3]);
    expect([...table.targets[0].values]).toEqual([5, 6, 7, 1.5, 2.5, Number.NaN]);
  });

  test("has times if the time column is given, or if there are two columns", async () => {
    const days = "2024-01-01,1\n2024-01-02,2\n";
    const named = await read("x.csv", days, { wide: true, header: false, timeColumn: "1" });
    expect(named.ids).toEqual(["2"]);
    const plain = await read("x.csv", days, { header: false });
    expect([...plain.times].map(isoTime)).toEqual(["2024-01-01", "2024-01-02"]);
    expect(plain.fileRows).toEqual(Int32Array.of(1, 2));
  });
});

describe("the error message describes", () => {
  test.each<[string, string, string, string, ReadOptions?]>([
    [
      "a CSV file without a header",
      "x.csv",
      "2024-01-01,1.5\n2024-01-02,2\n",
      'x.csv must start with a line of column names, got "2024-01-01,1.5"; if the file has no column names, read it without a header',
    ],
    [
      "JSON without a header",
      "x.json",
      '[{"ds":1,"y":2}]',
      "header: only a CSV file can have no header, got x.json as JSON",
      { header: false },
    ],
    [
      "JSON values that are not objects",
      "x.json",
      "[1,2,3]",
      "x.json must be a list of objects, or one object per line, got other values",
    ],
    [
      "JSON with one object of columns",
      "x.json",
      '{"ds":["2024-01-01","2024-01-02"],"y":[1,2]}',
      "x.json has one row, and at least two are needed; rows are objects in a list, or one per line",
    ],
    [
      "carriage returns as line ends",
      "x.csv",
      "ds,y\r2024-01-01,1\r2024-01-02,2\r",
      "x.csv must have lines that end in a line feed, got carriage returns only",
    ],
    [
      "a line break in a column name",
      "x.csv",
      '"the\nid",ds,y\na,2024-01-01,1\n',
      'x.csv must have a first line without line breaks in quotes, got "\\"the"',
    ],
    [
      "mixed line ends",
      "x.csv",
      "ds,y\r\n2024-01-01,1\n2024-01-02,2\n",
      "x.csv cannot be read as CSV: all lines must have the same line ending, and a quoted value must end with its closing quote",
    ],
    [
      "a Parquet file with another extension",
      "x.csv",
      "PAR1....PAR1",
      "x.csv is a Parquet file; choose the format parquet",
    ],
    [
      "a spreadsheet",
      "x.csv",
      "PK\u0003\u0004rest",
      "x.csv must be a text file, got a zip archive, possibly a spreadsheet",
    ],
    [
      "a text file with the extension of Parquet",
      "x.parquet",
      "ds,y\n2024-01-01,1\n",
      "x.parquet cannot be read as PARQUET: it is not a Parquet file",
    ],
  ])("%s", async (_, name, content, sentence, options) => {
    expect(await failure(name, content, options)).toBe(sentence);
  });

  test("text in UTF-16, and gzip with another extension", async () => {
    const wide = Buffer.from("\ufeffds,y\n2024-01-01,1\n", "utf16le");
    expect(await failure("x.csv", wide)).toBe("x.csv must be in UTF-8, got UTF-16");
    expect(await failure("x.csv", wide.subarray(2))).toBe(
      "x.csv must be text in UTF-8, got a zero byte in its first line",
    );
    expect(await failure("x.csv", gzipSync("ds,y\n2024-01-01,1\n"))).toBe(
      "x.csv is compressed with gzip, so its name must end in .gz",
    );
  });
});
