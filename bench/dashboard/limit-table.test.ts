import { expect, test } from "vitest";
import { UsageError } from "../benchmark.ts";
import { formatTable } from "../report.ts";
import { chosenParts, isMet, LimitRows, limitTable } from "./limit-table.ts";

const ROW = { setting: "zoom", unit: "ms", allowed: 100 } as const;

test("values of one setting are one row, in the order of the first ones", () => {
  const said: string[] = [];
  const rows = new LimitRows("bench", (line) => said.push(line));
  rows.add({ ...ROW, value: 80 });
  rows.add({ ...ROW, setting: "list", unit: "s", allowed: null, value: 1.23456 });
  rows.add({ ...ROW, value: 120 });
  expect(rows.all).toEqual([
    { bench: "bench", ...ROW, values: [80, 120] },
    { bench: "bench", setting: "list", unit: "s", allowed: null, values: [1.23456] },
  ]);
  expect(said).toEqual(["zoom: 80.0 ms", "list: 1.23 s", "zoom: 120 ms"]);
});

test("a row meets its limit by its median, and always without one", () => {
  expect(isMet({ values: [90, 99, 500], allowed: 100 })).toBe(true);
  expect(isMet({ values: [90, 101, 500], allowed: 100 })).toBe(false);
  expect(isMet({ values: [1e9], allowed: null })).toBe(true);
});

test("the table has median, range and whether the limit is met", () => {
  const rows = [
    { bench: "bench", ...ROW, values: [90, 250, 1.5] },
    { bench: "bench", ...ROW, setting: "hide", values: [101.4] },
    { bench: "bench", ...ROW, setting: "read", unit: "s" as const, allowed: null, values: [3] },
  ];
  const lines = formatTable(rows, limitTable([])).split("\n").slice(1);
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["zoom", "90.0 ms", "1.50–250", "3", "100", "yes"],
    ["hide", "101 ms", "1", "100", "no"],
    ["read", "3.00 s", "1"],
  ]);
});

test("parts are chosen by their names", () => {
  const parts = { list: 1, "long curves": 2, "large file": 3 };
  expect(chosenParts(parts, undefined)).toEqual([1, 2, 3]);
  expect(chosenParts(parts, /^l.*s$/)).toEqual([2]);
  expect(() => chosenParts(parts, /x/)).toThrow(UsageError);
  expect(() => chosenParts(parts, /x/)).toThrow(
    "--only x matches no part; there are: list, long curves, large file.",
  );
});
