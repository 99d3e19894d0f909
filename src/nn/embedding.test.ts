// Tests of embeddings: lookup and gradients.

import { expect, test } from "vitest";
import { checkModuleGradients, evaluate, randomInput } from "../../test/support/gradients.ts";
import { embedding } from "./embedding.ts";

const index = { shape: [2, 3], dtype: "int32" as const, data: [4, 0, 2, 2, 2, 1] };

test("looks rows up by index", () => {
  const table = randomInput([5, 3], "table");
  const shapes: number[][] = [];
  const { rows } = evaluate(
    ({ table, index }) => {
      const rows = embedding(5, 3).apply({ table }, index);
      shapes.push(rows.shape);
      return { rows };
    },
    { table, index },
  );
  expect(shapes).toEqual([[2, 3, 3]]);
  expect([...rows]).toEqual(index.data.flatMap((row) => Array.from(table.data).slice(3 * row, 3 * row + 3)));
});

test("gradients of repeated rows add up, and unused rows have gradient zero", () => {
  const module = embedding(5, 3);
  const { gradients } = checkModuleGradients(
    module,
    (params, { index }) => module.apply(params, index),
    {},
    {
      fixed: { index },
    },
  );
  expect([...gradients.params.subarray(9, 12)]).toEqual([0, 0, 0]);
});

test("rejects invalid sizes", () => {
  expect(() => embedding(0, 3)).toThrow("embedding: rows must be a positive whole number, got 0");
});
