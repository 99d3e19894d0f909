// Tests of state tables: one row per state, shared rows, states beyond the table, gradients.

import { grad, numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { checkModuleGradients, evaluate, randomInput } from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { hashBucket } from "./hash.ts";
import { layout } from "./params.ts";
import { stateTable } from "./state-table.ts";

const STATES = 15;
const index = {
  shape: [STATES],
  dtype: "int32" as const,
  data: Array.from({ length: STATES }, (_, i) => i),
};

test("with enough rows, each state has its own row", () => {
  const module = stateTable({ states: STATES, rows: 20, width: 2 });
  expect(module.params.table.shape).toEqual([STATES, 2]);
  const table = randomInput([STATES, 2], "table");
  const { rows } = evaluate(({ table, index }) => ({ rows: module.apply({ table }, index) }), {
    table,
    index,
  });
  expect([...rows]).toEqual(Array.from(table.data));
});

test("with fewer rows than states, states share rows by hashing", () => {
  const module = stateTable({ states: STATES, rows: 14, width: 1 });
  expect(module.params.table.shape).toEqual([14, 1]);
  const { rows, bucket } = evaluate(
    ({ table, index }) => ({ rows: module.apply({ table }, index), bucket: hashBucket(index, 14) }),
    { table: { shape: [14, 1], data: Array.from({ length: 14 }, (_, i) => i) }, index },
  );
  expect([...rows]).toEqual([...bucket]);
});

test.each([20, 7])("states beyond the table get zeros, with %i rows", (rows) => {
  const module = stateTable({ states: 10, rows, width: 2 });
  const size = Math.min(rows, 10);
  const { found } = evaluate(({ table, index }) => ({ found: module.apply({ table }, index) }), {
    table: { shape: [size, 2], data: new Array(2 * size).fill(1) },
    index: { shape: [4], dtype: "int32", data: [9, 10, 11, 2 ** 31 - 1] },
  });
  expect([...found]).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
});

test("starts at zero", () => {
  const { params } = stateTable({ states: STATES, rows: 8, width: 2 });
  expect(layout(params).init(RandomStream.fromSeed(0))).toEqual(new Float32Array(16));
});

test.each([16, 7])("has the right gradients with %i rows", (rows) => {
  const module = stateTable({ states: STATES, rows, width: 2 });
  checkModuleGradients(module, (params, { index }) => module.apply(params, index), {}, { fixed: { index } });
});

test("finds the same rows if the indices are arguments of the differentiated function", () => {
  const module = stateTable({ states: STATES, rows: 7, width: 1 });
  const { slope, bucket } = evaluate(
    ({ table, index }) => {
      const loss = (table: np.Array, index: np.Array) => np.sum(module.apply({ table }, index));
      return { slope: grad(loss)(table, index), bucket: hashBucket(index, 7) };
    },
    { table: randomInput([7, 1], "table"), index },
  );
  expect([...slope]).toEqual(Array.from({ length: 7 }, (_, r) => bucket.filter((x) => x === r).length));
});

test("rejects invalid sizes", () => {
  expect(() => stateTable({ states: STATES, rows: 0, width: 2 })).toThrow(
    "stateTable: rows must be a positive whole number, got 0",
  );
  expect(() => stateTable({ states: STATES, rows: 2 ** 31 + 1, width: 2 })).toThrow(
    "stateTable: rows must be at most 2^31, got 2147483649",
  );
});
