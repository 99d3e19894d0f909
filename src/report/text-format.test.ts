// Tests of tables, numbers, counts and durations as text.

import { expect, test } from "vitest";
import { formatCount, formatCountOf, formatDuration, formatNumber, textTable } from "./text-format.ts";

test("columns are aligned: the first left, the others right, without trailing spaces", () => {
  expect(
    textTable([
      ["", "one", "two"],
      ["longer", "1", "22222"],
      ["x", "3", ""],
    ]).split("\n"),
  ).toEqual(["        one    two", "longer    1  22222", "x         3"]);
  expect(
    textTable([
      ["KL(P ‖ P̂)", "1"],
      ["total", "2"],
    ]).split("\n"),
  ).toEqual(["KL(P ‖ P̂)  1", "total      2"]);
});

test.each([
  [0, "0.0000"],
  [0.12345, "0.1235"],
  [-2.5, "-2.5000"],
  [1e-4, "0.0001"],
  [9.99e-5, "1.0e-4"],
  [-1.23e-9, "-1.2e-9"],
  [12345.678, "12345.6780"],
  [Number.POSITIVE_INFINITY, "Infinity"],
  [Number.NaN, "–"],
  [null, "–"],
  [undefined, "–"],
])("the number %s is formatted as %s", (value, text) => expect(formatNumber(value)).toBe(text));

test.each([
  [0, "0"],
  [999, "999"],
  [12345, "12,345"],
  [1e9, "1,000,000,000"],
])("the count %s is formatted as %s", (value, text) => expect(formatCount(value)).toBe(text));

test("a count has a singular or plural noun", () => {
  expect([0, 1, 2, 12345].map((value) => formatCountOf(value, "row"))).toEqual([
    ...["0 rows", "1 row", "2 rows", "12,345 rows"],
  ]);
});

test.each([
  [-1, "0 s"],
  [0.4, "0 s"],
  [59.4, "59 s"],
  [59.6, "1 min 0 s"],
  [185, "3 min 5 s"],
  [3599.5, "1 h 0 min"],
  [7859, "2 h 10 min"],
])("%s seconds are formatted as %s", (value, text) => expect(formatDuration(value)).toBe(text));
