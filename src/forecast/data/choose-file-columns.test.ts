// The target that a file without a known name has, and numbers with decimal commas.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TableError } from "../../formats/tables/table-error.ts";
import { type ReadOptions, readTable } from "./read-table.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-columns-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Reads lines as a CSV file. */
async function read(lines: readonly string[], options?: ReadOptions) {
  await writeFile(join(folder, "x.csv"), `${lines.join("\n")}\n`);
  return readTable(join(folder, "x.csv"), options);
}

async function failure(lines: readonly string[], options?: ReadOptions): Promise<string> {
  const error = await read(lines, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TableError);
  return (error as TableError).message.replaceAll(`${folder}/`, "");
}

describe("without the name of a target", () => {
  test("the only numeric column is the target, with a note", async () => {
    const table = await read(["date,shop,sales,remark", "2024-01-01,a,1.5,new", "2024-01-02,a,NA,"]);
    expect(table.targets).toEqual([{ name: "sales", values: Float64Array.of(1.5, Number.NaN) }]);
    expect(table.notes).toEqual([
      'the target is "sales", the only numeric column besides times and series names',
    ]);
    expect(table.ignoredColumns).toEqual(["shop", "remark"]);
    expect((await read(["date,sales", "2024-01-01,1", "2024-01-02,2"])).targets[0].name).toBe("sales");
    expect((await read(["ds,y,z", "2024-01-01,1,2", "2024-01-02,2,3"])).notes).toEqual([]);
  });

  test("neither covariates nor series names nor empty columns are taken", async () => {
    const lines = ["id,date,price,sales,empty", "7,2024-01-01,3,1,", "7,2024-01-02,3,2,"];
    const { targets, covariates } = await read(lines, { pastColumns: ["price"] });
    expect(targets.map(({ name }) => name)).toEqual(["sales"]);
    expect(covariates.map(({ name }) => name)).toEqual(["price"]);
  });

  test("several numeric columns are an error that names them, also if one is numeric only at the end", async () => {
    const lines = ["date,shop,sales,price", "2024-01-01,a,1,", "2024-01-02,a,2,3"];
    expect(await failure(lines)).toBe(
      'targetColumns: x.csv has no column named y, target, value; choose one of its columns: "sales", "price"',
    );
  });
});

describe("decimal commas", () => {
  const german = ["date;sales;price", "2024-01-01;1,5;-2", "2024-01-02;2e1;NA"];

  test("are read with the option, and a comma then does not separate columns", async () => {
    const { targets, covariates } = await read(german, { decimal: ",", pastColumns: ["price"] });
    expect(targets).toEqual([{ name: "sales", values: Float64Array.of(1.5, 20) }]);
    expect([...covariates[0].values]).toEqual([-2, Number.NaN]);
    const bare = await read(["1,5;2,5", "3,5;4"], { decimal: ",", header: false, wide: true });
    expect([...bare.targets[0].values]).toEqual([1.5, 3.5, 2.5, 4]);
    const quoted = await read(["ds,y", '2024-01-01,"1,5"', "2024-01-02,2"], { decimal: "," });
    expect([...quoted.targets[0].values]).toEqual([1.5, 2]);
  });

  test.each<[string, readonly string[], ReadOptions | undefined, string]>([
    [
      "a decimal comma",
      ["ds;y", "2024-01-01;1,5", "2024-01-02;2"],
      undefined,
      'row 1, column "y": a number is needed, got "1,5"; set `decimal` to a comma to read decimal commas',
    ],
    [
      "a comma that may separate thousands",
      ["ds;y", "2024-01-01;1,234", "2024-01-02;2"],
      undefined,
      'row 1, column "y": a number is needed, got "1,234"; remove commas that separate thousands, or set `decimal` to a comma if it is a decimal sign',
    ],
    [
      "commas that do separate thousands",
      ["ds;y", "2024-01-01;1,234,567.5", "2024-01-02;2"],
      undefined,
      'row 1, column "y": a number is needed, got "1,234,567.5"; remove commas that separate thousands',
    ],
    [
      "a point in a file with decimal commas",
      ["ds;y", "2024-01-01;1,5", "2024-01-02;1.234"],
      { decimal: "," },
      'row 2, column "y": a number with a decimal comma and without points is needed, got "1.234"; remove points that separate thousands',
    ],
    [
      "a covariate with decimal commas",
      ["ds;y;price", "2024-01-01;1;1,5", "2024-01-02;2;2"],
      { pastColumns: ["price"] },
      'row 1, column "price": a number is needed, got "1,5"; set `decimal` to a comma to read decimal commas, or declare the column as categorical',
    ],
  ])("are never guessed: %s", async (_, lines, options, message) => {
    expect(await failure(lines, options)).toBe(`x.csv, ${message}`);
  });

  test("that split a number into two columns are explained", async () => {
    expect(await failure(["ds,y", "2024-01-01,1,5", "2024-01-02,2"])).toBe(
      "x.csv, line 2: 2 columns are needed as in the header, got 3; if a number has a decimal comma, quote it, or separate the columns by semicolons",
    );
  });

  test("in a first line without column names are recognised as values", async () => {
    expect(await failure(["2024-01-01;1,5", "2024-01-02;2,5"])).toMatch(
      /^x\.csv must start with a line of column names, got "2024-01-01;1,5"/,
    );
  });

  test("belong to CSV files only", async () => {
    await writeFile(join(folder, "x.json"), '[{"ds":1,"y":2},{"ds":2,"y":3}]');
    await expect(readTable(join(folder, "x.json"), { decimal: "," })).rejects.toThrow(
      /only a CSV file can have decimal commas, got .*x\.json as JSON$/,
    );
  });
});
