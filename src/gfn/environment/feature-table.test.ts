// Features of plain values: one-hot blocks by component, different for different values.

import { expect, test } from "vitest";
import { featureLayout, featureTable } from "./feature-table.ts";

/** The table of values, with one row per value. */
function tableOf(values: readonly unknown[]) {
  const sources = values.map((value) => ({ prefix: "", value }));
  const layout = featureLayout(sources);
  const rows = sources.flatMap((source) => Array.from(layout.rowOf([source])));
  const { widths, values: all } = featureTable(layout.widths, Int32Array.from(rows));
  const blocks = widths.length;
  return { widths, rows: values.map((_, i) => Array.from(all.subarray(i * blocks, (i + 1) * blocks))) };
}

test("each component is a block of its values, in their order", () => {
  const { widths, rows } = tableOf([
    [10, "b"],
    [9, "a"],
    [10, "a"],
    [11, "a"],
  ]);
  expect(widths).toEqual([3, 2]);
  expect(rows).toEqual([
    [1, 1],
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
});

test("a component that a value does not have is a block of zeros, and an empty container has a block", () => {
  const { rows } = tableOf([[], ["a"], ["a", "b"], ["b"]]);
  expect(rows).toEqual([
    [0, -1, -1],
    [-1, 0, -1],
    [-1, 0, 0],
    [-1, 1, -1],
  ]);
});

test("a component that is equal in all values has no block", () => {
  expect(
    tableOf([
      { x: 1, same: 7 },
      { x: 2, same: 7 },
    ]).widths,
  ).toEqual([2]);
});

test("a component with more than 64 texts has one block per character", () => {
  const texts = ["", ..."abcd"].flatMap((a) =>
    ["", ..."abcd"].flatMap((b) => ["", ..."abcd"].map((c) => a + b + c)),
  );
  const { widths, rows } = tableOf([...new Set(texts)]);
  expect(widths).toEqual([4, 4, 4, 1]);
  expect(rows[0]).toEqual([-1, -1, -1, 0]);
  expect(rows[[...new Set(texts)].indexOf("bda")]).toEqual([1, 3, 0, -1]);
});

test("a component with more than 64 numbers has the digits of their ranks", () => {
  const { widths, rows } = tableOf(Array.from({ length: 100 }, (_, i) => 10 * (99 - i)));
  expect(widths).toEqual([64, 2]);
  expect(rows[0]).toEqual([35, 1]);
  expect(rows[99]).toEqual([0, 0]);
});

test("different values have different features", () => {
  const values = Array.from({ length: 5000 }, (_, i) => ({
    n: i % 71,
    text: `${i % 67}`,
    list: Array.from({ length: i % 4 }, (_, k) => (i >> k) % 3),
    mixed: i % 5 === 0 ? null : i % 5 === 1 ? `${i % 80}` : i % 79,
  }));
  const distinct = new Set(values.map((value) => JSON.stringify(value)));
  expect(new Set(tableOf(values).rows.map(String)).size).toBe(distinct.size);
});
