import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TableError } from "../../formats/tables/table-error.ts";
import { type ReadOptions, readTable } from "./read-table.ts";
import { isoTime } from "./time-grid.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-read-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes a file and reads it as a table. */
async function read(name: string, content: string | Uint8Array, options?: ReadOptions) {
  await writeFile(join(folder, name), content);
  return readTable(join(folder, name), options);
}

/** The error message of a file, without its folder. */
async function failure(name: string, content: string | Uint8Array, options?: ReadOptions): Promise<string> {
  const error = await read(name, content, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TableError);
  const { message } = error as Error;
  expect(message).not.toContain("\n");
  return message.replaceAll(`${folder}/`, "");
}

const LONG = "unique_id,ds,y\nb,2024-01-02,4\na,2024-01-02,2\nb,2024-01-01,3\na,2024-01-01,1\n";

describe("a table is read from", () => {
  test("long CSV: series in the order of the file, rows sorted by time, with their row numbers", async () => {
    const table = await read("long.csv", LONG);
    expect(table.ids).toEqual(["b", "a"]);
    expect(table.offsets).toEqual([0, 2, 4]);
    expect([...table.fileRows]).toEqual([3, 1, 4, 2]);
    expect([...table.times].map(isoTime)).toEqual(["2024-01-01", "2024-01-02", "2024-01-01", "2024-01-02"]);
    expect(table.targets).toEqual([{ name: "y", values: Float64Array.of(3, 4, 1, 2) }]);
  });

  test("gzipped CSV, JSON, JSON lines and Parquet: the same table", async () => {
    const table = await read("same.csv", LONG);
    const objects = LONG.trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","))
      .map(([unique_id, ds, y]) => JSON.stringify({ unique_id, ds, y: Number(y) }));
    expect(await read("long.csv.gz", gzipSync(LONG))).toEqual(table);
    expect(await read("long.json", `[${objects.join(",")}]`)).toEqual(table);
    expect(await read("long.jsonl", objects.join("\n"))).toEqual(table);
    expect(await read("long.ndjson.gz", gzipSync(objects.join("\n")))).toEqual(table);

    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const rows = "SELECT unique_id, ds::TIMESTAMPTZ AS ds, y FROM read_csv($1)";
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(`COPY (${rows}) TO '${join(folder, "long.parquet")}'`, [join(folder, "same.csv")]);
    connection.closeSync();
    instance.closeSync();
    expect(await readTable(join(folder, "long.parquet"))).toEqual(table);
  });

  test("other names, other separators, quotes, a byte order mark and Windows line ends", async () => {
    const text =
      '\ufeff"Item_ID";"timestamp";"Target"\r\n"a;b";2024-01-01;1.5\r\n"a;b";2024-01-02;"-2e3"\r\n';
    const table = await read("other.csv", text);
    expect(table.ids).toEqual(["a;b"]);
    expect([...table.targets[0].values]).toEqual([1.5, -2000]);
    const tabs = await read("tabs.tsv", "id\tdate\tvalue\nx\t2024-01-01\t1\nx\t2024-01-02\t2\n");
    expect([...tabs.targets[0].values]).toEqual([1, 2]);
  });

  test("columns with empty names, or with names that the queries use", async () => {
    const indexed = await read("indexed.csv", ",ds,y\n0,2024-01-01,1\n1,2024-01-02,2\n");
    expect([...indexed.targets[0].values]).toEqual([1, 2]);
    expect(indexed.ignoredColumns).toEqual([""]);
    const lines = [
      { id: "b", row: 5, t: "2024-01-02", zone: "x", v0: 7, 'd"0': 1, number: 3 },
      { id: "b", row: 4, t: "2024-01-01", zone: "y", v0: 8, 'd"0': 2, number: 4 },
    ];
    const table = await read("names.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"), {
      ...{ timeColumn: "t", targetColumns: ["row", "v0"], pastColumns: ["zone", 'd"0', "number"] },
    });
    expect(table.targets.map(({ values }) => [...values])).toEqual([
      [4, 5],
      [8, 7],
    ]);
    expect(table.covariates.map(({ values }) => [...values])).toEqual([
      ["y", "x"],
      [2, 1],
      [4, 3],
    ]);
  });

  test("a single series without id, and two columns of any names", async () => {
    const prophet = await read("prophet.csv", "ds,y\n2024-01-01,1\n2024-01-02,2\n");
    const plain = await read("plain.csv", "Month,#Passengers\n1949-01,112\n1949-02,118\n");
    expect([prophet.ids, plain.ids]).toEqual([["series"], ["series"]]);
    expect([...plain.times].map(isoTime)).toEqual(["1949-01-01", "1949-02-01"]);
  });

  test("a wide file: one series per column", async () => {
    const table = await read("wide.csv", "date,a,b\n2024-01-02,2,20\n2024-01-01,1,\n", { wide: true });
    expect(table.ids).toEqual(["a", "b"]);
    expect(table.offsets).toEqual([0, 2, 4]);
    expect([...table.targets[0].values]).toEqual([1, 2, Number.NaN, 20]);
    expect([...table.fileRows]).toEqual([2, 1, 2, 1]);
  });

  test("chosen columns, covariates of all roles, and levels that look like numbers", async () => {
    const text =
      "when,shop,sold,returned,price,event,store_type,zip,rest\n2024-01-01,s,1,0,2.5,fair,big,123,x\n2024-01-02,s,NA,1,,,big,124,x\n";
    const table = await read("roles.csv", text, {
      ...{ idColumn: "shop", timeColumn: "when", targetColumns: ["sold", "returned"] },
      ...{ pastColumns: ["zip"], knownFutureColumns: ["price", "event"], staticColumns: ["store_type"] },
      categoricalColumns: ["zip"],
    });
    expect(table.targets.map(({ values }) => [...values])).toEqual([
      [1, Number.NaN],
      [0, 1],
    ]);
    expect(table.covariates).toEqual([
      { name: "zip", role: "past", kind: "categorical", values: ["123", "124"] },
      { name: "price", role: "known-future", kind: "numeric", values: Float64Array.of(2.5, Number.NaN) },
      { name: "event", role: "known-future", kind: "categorical", values: ["fair", null] },
      { name: "store_type", role: "static", kind: "categorical", values: ["big", "big"] },
    ]);
    expect(table.ignoredColumns).toEqual(["rest"]);
  });

  test("a file whose name is a glob pattern, and no other file that matches it", async () => {
    await writeFile(join(folder, "ab.csv"), "ds,y\n2024-01-01,7\n2024-01-02,7\n");
    const table = await read("[a]*.csv", "ds,y\n2024-01-01,1\n2024-01-02,2\n");
    expect([...table.targets[0].values]).toEqual([1, 2]);
  });
});

describe("times are read from", () => {
  test.each([
    ["2024-01-31 13:05", "2024-01-31T13:05:00Z"],
    ["2024-01-31T13:05:06.789", "2024-01-31T13:05:06.789Z"],
    ["2024/1/31", "2024-01-31"],
    ["2024-Q3", "2024-07-01"],
    ["2024q1", "2024-01-01"],
    ["2024-01-31T00:30Z", "2024-01-31T00:30:00Z"],
    ["2024-01-31T00:30:00+02:00", "2024-01-30T22:30:00Z"],
    ["2024-01-31 00:30:00 -0330", "2024-01-31T04:00:00Z"],
    ["2024-01-31 00:30:00+01", "2024-01-30T23:30:00Z"],
    ["20240131", "2024-01-31"],
    ["1999", "1999-01-01"],
    ["1706659200", "2024-01-31"],
    ["1706659200.5", "2024-01-31T00:00:00.500Z"],
    ["1706659200000", "2024-01-31"],
    ["1706659200000000", "2024-01-31"],
    ["1706659200000000000", "2024-01-31"],
    ["1706659200123456", "2024-01-31T00:00:00.123Z"],
    ["-86400000", "1967-04-07"],
    ["12.5", "1970-01-01T00:00:12.500Z"],
  ])("%s", async (text, iso) => {
    const table = await read("times.csv", `id,ds,y\na,${text},1\nb,${text},2\n`);
    expect([...table.times].map(isoTime)).toEqual([iso, iso]);
  });

  test("numbers in the given unit", async () => {
    const table = await read("unit.csv", "ds,y\n1000,1\n2000,2\n", { timeUnit: "ms" });
    expect([...table.times]).toEqual([1000, 2000]);
    expect(table.timesAreSteps).toBe(false);
  });

  test.each<[string, string[], ReadOptions?]>([
    ["small whole numbers", ["3", "-1", "20"]],
    ["whole numbers with decimal zeros", ["3.0", "-1.0", "20.00"]],
    ["years with the unit step", ["2003", "1999", "2020"], { timeUnit: "step" }],
    ["large numbers with the unit step", ["1700000003", "1699999999", "1700000020"], { timeUnit: "step" }],
  ])("%s as step numbers", async (_, times, options) => {
    const lines = times.map((time, i) => `${time},${i}`);
    const table = await read("index.csv", `ds,y\n${lines.join("\n")}\n`, options);
    expect(table.timesAreSteps).toBe(true);
    expect([...table.times]).toEqual([1, 0, 2].map((i) => Number(times[i])));
  });

  test("numbers as timestamps if one of them is large or has a fraction", async () => {
    for (const last of ["10000000", "3.5"]) {
      const table = await read("seconds.csv", `ds,y\n2,1\n${last},2\n`);
      expect([table.timesAreSteps, ...table.times]).toEqual([false, 2000, 1000 * Number(last)]);
    }
  });
});

describe("the error message describes", () => {
  test.each<[string, string, string, string, ReadOptions?]>([
    ["an empty file", "x.csv", "", "x.csv is empty"],
    ["a header alone", "x.csv", "ds,y\n", "x.csv has a header and no rows"],
    ["one row", "x.csv", "ds,y\n2024-01-01,1\n", "x.csv has one row, and at least two are needed"],
    [
      "a text instead of a number",
      "x.csv",
      "ds,y\n2024-01-01,1\n2024-01-02,many\n",
      'x.csv, row 2, column "y": a number is needed, got "many"',
    ],
    [
      "an infinite value",
      "x.csv",
      "ds,y\n2024-01-01,-inf\n2024-01-02,1\n",
      'x.csv, row 1, column "y": a finite number is needed, got "-inf"',
    ],
    [
      "a value whose square overflows",
      "x.csv",
      "ds,y\n2024-01-01,1\n2024-01-02,-2e300\n",
      'x.csv, row 2, column "y": a number between -1e+100 and 1e+100 is needed, got "-2e300"',
    ],
    [
      "infinite covariate",
      "x.csv",
      "ds,y,p\n2024-01-01,1,1\n2024-01-02,1,Infinity\n",
      'x.csv, row 2, column "p": a finite number is needed, got "Infinity"',
      { pastColumns: ["p"] },
    ],
    [
      "a missing time",
      "x.csv",
      "ds,y\n2024-01-01,1\n,2\n",
      'x.csv, row 2, column "ds": a time is needed, got nothing',
    ],
    [
      "an impossible date",
      "x.csv",
      "ds,y\n2024-01-01,1\n2024-02-30,2\n",
      'x.csv, row 2, column "ds": an ISO date, a date-time or a number is needed, got "2024-02-30"',
    ],
    [
      "an unknown time zone",
      "x.csv",
      "ds,y\n2024-01-01 00:00 Mars,1\n2024-02-20,2\n",
      'x.csv, row 1, column "ds": an ISO date, a date-time or a number is needed, got "2024-01-01 00:00 Mars"',
    ],
    [
      "mixed UTC offsets",
      "x.csv",
      "ds,y\n2024-01-01T00:00:00Z,1\n2024-01-02T00:00:00,2\n",
      'x.csv, row 2, column "ds": either all times or none must have a UTC offset, got "2024-01-02T00:00:00"',
    ],
    [
      "numbers mixed with dates",
      "x.csv",
      "ds,y\n2024-01-01,1\n1706659200,2\n",
      'x.csv, row 2, column "ds": times must be all numbers or all dates, got "1706659200"',
    ],
    [
      "a missing series name",
      "x.csv",
      "id,ds,y\na,2024-01-01,1\n,2024-01-02,2\n",
      'x.csv, row 2, column "id": every row needs the name of its series, got nothing',
    ],
    [
      "an unknown column, with a suggestion",
      "x.csv",
      "ds,sales\n2024-01-01,1\n",
      'targetColumns: x.csv has no column "sale"; did you mean "sales"?',
      { targetColumns: ["sale"] },
    ],
    [
      "an unknown column without a similar name",
      "x.csv",
      "ds,sales\n2024-01-01,1\n",
      'targetColumns: x.csv has no column "temperature"; it has "ds", "sales"',
      { targetColumns: ["temperature"] },
    ],
    [
      "a missing target column",
      "x.csv",
      "ds,a,b\n2024-01-01,1,2\n",
      'targetColumns: x.csv has no column named y, target, value; choose one of its columns: "a", "b"',
    ],
    [
      "one column in two roles",
      "x.csv",
      "ds,y\n2024-01-01,1\n",
      'Column "y" of x.csv can be only one of id, time, target and covariate',
      { knownFutureColumns: ["y"] },
    ],
    ["two columns with one name", "x.csv", "ds,y,y\n2024-01-01,1,2\n", 'x.csv has two columns named "y"'],
    [
      "too few columns",
      "x.csv",
      "id,ds,y\na,2024-01-01,1\na,2\n",
      "x.csv, line 3: 3 columns are needed as in the header, got 2",
    ],
    ["an unclosed quote", "x.csv", 'ds,y\n"2024-01-01,1\n', "x.csv, line 2: a quote is never closed"],
    ["an invalid gzip file", "x.csv.gz", "ds,y\n", "x.csv.gz cannot be read: it is not a complete gzip file"],
    [
      "a fractional step number",
      "x.csv",
      "ds,y\n1,1\n2.5,2\n",
      'x.csv, row 2, column "ds": a step number must be a whole number, got "2.5"',
      { timeUnit: "step" },
    ],
    [
      "an unknown extension",
      "x.xlsx",
      "ds,y\n",
      "format: x.xlsx must end in one of csv, tsv, txt, json, jsonl, ndjson, parquet, pq; for another extension, give the format",
    ],
  ])("%s", async (_, name, content, sentence, options) => {
    expect(await failure(name, content, options)).toBe(sentence);
  });

  test("a time that is too far away in its unit", async () => {
    expect(await failure("x.csv", "ds,y\n17066592000000,1\n2,2\n", { timeUnit: "s" })).toBe(
      'x.csv, column "ds": times must be at most 275,000 years from 1970, got 17066592000000',
    );
  });

  test("text that is not UTF-8, broken JSON and broken Parquet", async () => {
    const bytes = Buffer.from("ds,y\n2024-01-01,\xff\n2024-01-02,2\n", "latin1");
    expect(await failure("latin.csv", bytes)).toBe("latin.csv, line 2: the text must be in UTF-8");
    expect(await failure("x.json", '{"ds":1')).toMatch(
      /^x\.json cannot be read as JSON: Malformed JSON at .*\w$/,
    );
    expect(await failure("x.parquet", "PAR1")).toBe(
      "x.parquet cannot be read as PARQUET: it is too small to be a Parquet file",
    );
  });

  test("a folder, a missing file, a URL", async () => {
    await mkdir(join(folder, "folder.csv"));
    const at = (name: string) => readTable(join(folder, name));
    await expect(at("folder.csv")).rejects.toThrow(/folder\.csv cannot be read: it is a folder$/);
    await expect(readTable("/dev/zero", { format: "csv" })).rejects.toThrow(
      "/dev/zero cannot be read: it is a device; give a regular file",
    );
    await expect(at("none.csv")).rejects.toThrow(/none\.csv cannot be read: it does not exist$/);
    await expect(at("*.csv")).rejects.toThrow(/\*\.csv cannot be read: it does not exist$/);
    await expect(readTable("https://example.org/a.csv")).rejects.toThrow(
      /cannot be read: it does not exist$/,
    );
  });
});

test("130,000 shuffled rows are sorted, each with its row number", async () => {
  const count = 130_000;
  // 7919 and the number of rows are coprime, so every step occurs once.
  const steps = Array.from({ length: count }, (_, i) => (i * 7919) % count);
  const lines = steps.map((step) => `s${step % 10},${1_600_000_000 + step * 60},${step}`);
  const table = await read("large.csv", `unique_id,ds,y\n${lines.join("\n")}\n`);
  expect(table.ids).toHaveLength(10);
  for (const [s, id] of table.ids.entries()) {
    expect(table.offsets[s + 1] - table.offsets[s]).toBe(count / 10);
    const first = Number(id.slice(1));
    for (let i = table.offsets[s]; i < table.offsets[s + 1]; i++) {
      const step = first + 10 * (i - table.offsets[s]);
      if (table.targets[0].values[i] !== step || steps[table.fileRows[i] - 1] !== step) {
        throw new Error(`row ${i} of ${id} holds ${table.targets[0].values[i]}`);
      }
    }
  }
});

const electricity = fileURLToPath(new URL("../../../../shared/data/timeseries/ETTh1.csv", import.meta.url));
test.skipIf(!existsSync(electricity))(
  "ETTh1 as a wide file: 7 series of 17,420 hours (skipped if the file is missing)",
  async () => {
    const table = await readTable(electricity, { wide: true });
    expect(table.ids).toEqual(["HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT"]);
    expect(table.offsets[7]).toBe(7 * 17_420);
    expect(isoTime(table.times[17_419])).toBe("2018-06-26T19:00:00Z");
    expect(table.targets[0].values[6 * 17_420]).toBe(30.5310001373291);
  },
);
