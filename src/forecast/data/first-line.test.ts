// How files begin: names or none, and files of other kinds than their names say.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ReadOptions, readTable } from "./read-table.ts";
import { TableError } from "./table-error.ts";
import { isoTime } from "./times.ts";

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

/** What is said of a file, without the folder it is in. */
async function failure(name: string, content: string | Uint8Array, options?: ReadOptions): Promise<string> {
  const error = await read(name, content, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TableError);
  return (error as TableError).message.replaceAll(join(folder, "/"), "");
}

describe("a file without a line of names", () => {
  test("has columns 1, 2, …, of which a wide one needs no times: its rows count", async () => {
    const table = await read("x.csv", "5,1.5\n6,2.5\n7,\n", { wide: true, header: false });
    expect(table).toMatchObject({ ids: ["1", "2"], counted: true, starts: [0, 3, 6] });
    expect([...table.times]).toEqual([1, 2, 3, 1, 2, 3]);
    expect([...table.targets[0].values]).toEqual([5, 6, 7, 1.5, 2.5, Number.NaN]);
  });

  test("has times where they are named, or where it has two columns only", async () => {
    const days = "2024-01-01,1\n2024-01-02,2\n";
    const named = await read("x.csv", days, { wide: true, header: false, timeColumn: "1" });
    expect(named.ids).toEqual(["2"]);
    const plain = await read("x.csv", days, { header: false });
    expect([...plain.times].map(isoTime)).toEqual(["2024-01-01", "2024-01-02"]);
    expect(plain.rows).toEqual(Int32Array.of(1, 2));
  });
});

describe("one sentence says what is wrong with", () => {
  test.each<[string, string, string, string, ReadOptions?]>([
    [
      "no line of names",
      "x.csv",
      "2024-01-01,1.5\n2024-01-02,2\n",
      'x.csv must begin with a line of names, got "2024-01-01,1.5"; if it has none, set header to false',
    ],
    [
      "no line of names in JSON",
      "x.json",
      '[{"ds":1,"y":2}]',
      "x.json: only a CSV file can be without a header, got JSON",
      { header: false },
    ],
    [
      "JSON of other things",
      "x.json",
      "[1,2,3]",
      "x.json must be a list of objects or one object per line, got other values",
    ],
    [
      "JSON by columns",
      "x.json",
      '{"ds":["2024-01-01","2024-01-02"],"y":[1,2]}',
      "x.json has one row, and at least two are needed; rows are objects in a list, or one per line",
    ],
    [
      "lines as they once were",
      "x.csv",
      "ds,y\r2024-01-01,1\r2024-01-02,2\r",
      "x.csv must have lines that end in a line feed, got carriage returns alone",
    ],
    [
      "a name of two lines",
      "x.csv",
      '"the\nid",ds,y\na,2024-01-01,1\n',
      'x.csv must have its first line without breaks in quotes, got "\\"the"',
    ],
    [
      "lines that end now so, now so",
      "x.csv",
      "ds,y\r\n2024-01-01,1\n2024-01-02,2\n",
      "x.csv cannot be read as CSV: lines must all end alike, and a quote ends only where its value does",
    ],
    ["Parquet by another name", "x.csv", "PAR1....PAR1", "x.csv is a Parquet file; set format to parquet"],
    [
      "a spreadsheet",
      "x.csv",
      "PK\u0003\u0004rest",
      "x.csv is a zip archive, as those of spreadsheets are, and no text",
    ],
    [
      "text by the name of Parquet",
      "x.parquet",
      "ds,y\n2024-01-01,1\n",
      "x.parquet cannot be read as PARQUET: it is no Parquet file",
    ],
  ])("%s", async (_, name, content, sentence, options) => {
    expect(await failure(name, content, options)).toBe(sentence);
  });

  test("text in UTF-16, and gzip by another name", async () => {
    const wide = Buffer.from("\ufeffds,y\n2024-01-01,1\n", "utf16le");
    expect(await failure("x.csv", wide)).toBe("x.csv must be in UTF-8, got UTF-16");
    expect(await failure("x.csv", wide.subarray(2))).toBe(
      "x.csv must be text in UTF-8, got a zero byte in its first line",
    );
    expect(await failure("x.csv", gzipSync("ds,y\n2024-01-01,1\n"))).toBe(
      "x.csv is gzipped, so its name must end in .gz",
    );
  });
});
