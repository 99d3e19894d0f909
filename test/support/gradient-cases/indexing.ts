// Gradient cases of gather and scatter. The gradient of a gather is a scatter and vice versa, so every case uses both.

import { grad, lax, numpy as np } from "@jax-js/jax";
import { randomInput, weightedSum } from "../gradients.ts";
import { type GradientCase, type GradientCases, int32Input } from "./case.ts";

const table = randomInput([4, 3], "table");
const cube = randomInput([3, 2, 4], "cube");
const repeatedRows = int32Input([5], [2, 0, 2, 2, 3]);

const read = (x: np.Array) => weightedSum(np.sin(x));

const gathers = [
  {
    title: "rows",
    f: ({ table, index }) => read(np.take(table, index, 0)),
    floats: { table },
    fixed: { index: int32Input([2], [3, 1]) },
  },
  {
    title: "rows, some repeatedly and one never",
    f: ({ table, index }) => read(np.take(table, index, 0)),
    floats: { table },
    fixed: { index: repeatedRows },
  },
  {
    title: "columns",
    f: ({ table, index }) => read(np.take(table, index, 1)),
    floats: { table },
    fixed: { index: int32Input([4], [2, 2, 0, 1]) },
  },
  {
    title: "a middle axis, with a matrix of indices",
    f: ({ cube, index }) => read(np.take(cube, index, 1)),
    floats: { cube },
    fixed: { index: int32Input([2, 3], [0, 1, 1, 1, 0, 1]) },
  },
  {
    title: "elements of a flattened array",
    f: ({ table, index }) => read(np.take(table, index)),
    floats: { table },
    fixed: { index: int32Input([2, 2], [11, 0, 7, 7]) },
  },
  {
    title: "two axes at once",
    f: ({ table, i, j }) => read(table.slice(i, j)),
    floats: { table },
    fixed: { i: int32Input([5], [0, 3, 1, 3, 0]), j: int32Input([5], [2, 2, 0, 2, 1]) },
  },
  {
    title: "two axes with indices that broadcast",
    f: ({ table, i, j }) => read(table.slice(i, j)),
    floats: { table },
    fixed: { i: int32Input([3, 1], [0, 3, 0]), j: int32Input([2], [2, 1]) },
  },
  {
    title: "the first and last of three axes",
    f: ({ cube, i, j }) => read(cube.slice(i, [], j)),
    floats: { cube },
    fixed: { i: int32Input([3], [2, 0, 2]), j: int32Input([3], [3, 1, 3]) },
  },
  {
    title: "three axes at once",
    f: ({ cube, i, j, k }) => read(cube.slice(i, j, k)),
    floats: { cube },
    fixed: {
      i: int32Input([4], [2, 0, 2, 1]),
      j: int32Input([4], [1, 0, 1, 0]),
      k: int32Input([2, 1], [3, 0]),
    },
  },
  {
    title: "one element per row",
    f: ({ table, index }) => read(np.takeAlongAxis(table, index, 1)),
    floats: { table },
    fixed: { index: int32Input([4, 1], [2, 0, 1, 2]) },
  },
  {
    title: "a transposed array",
    f: ({ table, index }) => read(np.take(np.transpose(np.exp(table)), index, 1)),
    floats: { table },
    fixed: { index: repeatedRows },
  },
  {
    title: "an array that is broadcast along the indexed axis",
    f: ({ row, index }) => read(np.take(np.broadcastTo(row, [4, 3]), index, 0)),
    floats: { row: randomInput([3], "row") },
    fixed: { index: repeatedRows },
  },
  {
    title: "with unsigned indices",
    f: ({ table, index }) => read(np.take(table, index, 0)),
    floats: { table },
    fixed: { index: { shape: [3], data: [1, 1, 3], dtype: "uint32" } },
  },
  {
    title: "with indices computed from floats",
    f: ({ table, x }) => {
      const index = np.floor(np.multiply(lax.stopGradient(x), 4)).astype(np.int32);
      return weightedSum(np.multiply(np.sin(np.take(table, index, 0)), x.reshape([3, 1])));
    },
    floats: { table, x: { shape: [3], data: [0.3, 0.9, 0.35] } },
  },
  {
    title: "sliding windows, which are a gather",
    f: ({ table }) => read(lax.reduceWindow(np.exp(table), (w: np.Array) => w.sum(), [2, 2], [1, 1])),
    floats: { table },
  },
] as const satisfies readonly GradientCase[];

export const indexingCases = {
  gather: gathers,
  scatter: [
    ...gathers
      .filter(({ title }) => !title.startsWith("a broadcast array"))
      .map((gather) => ({ ...gather, title: `the gradient of a gather of ${gather.title}` })),
    {
      title: "in the value: a second derivative",
      f: ({ table, index }) => {
        const slope = grad((t: np.Array) => read(np.take(t, index, 0)))(table);
        return read(np.multiply(slope, table));
      },
      floats: { table },
      fixed: { index: repeatedRows },
    },
    {
      title: "in the value, along two axes of three",
      f: ({ cube, i, j }) => {
        const slope = grad((c: np.Array) => read(c.slice(i, [], j)))(cube);
        return read(np.add(slope, cube));
      },
      floats: { cube },
      fixed: { i: int32Input([2, 1], [2, 0]), j: int32Input([3], [3, 1, 3]) },
    },
  ],
} as const satisfies GradientCases;
