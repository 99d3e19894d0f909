// Tests of one-hot rows: encoding and reading back, rows of zeros, and marked entries.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { evaluate } from "../../test/support/gradients.ts";
import { markedEntries, oneHot, oneHotIndices, oneHotRows } from "./one-hot.ts";

const INDICES = [2, 0, -1, 1];
const ROWS = [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0];

test("indices become rows, on the host and in a program; an index out of range becomes a row of zeros", () => {
  expect([...oneHotRows(INDICES, 3)]).toEqual(ROWS);
  const { whole, float, beyond } = evaluate(
    ({ indices }) => ({
      whole: oneHot(indices.astype(np.int32).reshape([2, 2]), 3),
      float: oneHot(indices, 3),
      beyond: oneHot(np.add(indices, 1), 3),
    }),
    { indices: { shape: [4], data: INDICES } },
  );
  expect([...whole]).toEqual(ROWS);
  expect([...float]).toEqual(ROWS);
  expect([...beyond]).toEqual([0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1]);
});

test("rows become indices, counted from 0 or from another number", () => {
  const { fromZero, fromOne } = evaluate(
    ({ rows }) => ({ fromZero: oneHotIndices(rows), fromOne: oneHotIndices(rows, 1) }),
    { rows: { shape: [2, 2, 3], data: ROWS } },
  );
  expect([...fromZero]).toEqual([2, 0, 0, 1]);
  expect([...fromOne]).toEqual([3, 1, 0, 2]);
});

test("marked entries are those at the ones, and 0 for a row of zeros", () => {
  const { y } = evaluate(({ rows, marks }) => ({ y: markedEntries(rows, marks) }), {
    rows: { shape: [4, 3], data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] },
    marks: { shape: [4, 3], data: ROWS },
  });
  expect([...y]).toEqual([3, 4, 0, 11]);
});
