// Gradient cases of reductions and sorting.

import { numpy as np } from "@jax-js/jax";
import { randomInput, weightedSum } from "../gradients.ts";
import type { GradientCase, GradientCases } from "./case.ts";

const cube = randomInput([3, 2, 4], "cube");
const row = randomInput([4], "row");
/** Values that are not close to zero, so that products can be divided by each factor. */
const factors = { shape: [2, 3], data: [0.7, -1.3, 1.9, 0.4, 2.1, -0.8] };

type Reduce = (x: np.Array, axis: number | number[]) => np.Array;

const reductions: Readonly<Record<string, Reduce>> = { sum: np.sum, max: np.max, min: np.min, mean: np.mean };
const axes: Readonly<Record<string, number | number[]>> = {
  "the leading axis": 0,
  "a middle axis": 1,
  "the last axis": 2,
  "the two leading axes": [0, 1],
  "the two last axes": [1, 2],
  "the outer axes": [0, 2],
  "all axes": [0, 1, 2],
};

const alongAxes: GradientCase[] = Object.entries(reductions).flatMap(([name, reduce]) =>
  Object.entries(axes).map(([place, axis]) => ({
    title: `${name} over ${place}`,
    f: ({ cube }) => weightedSum(np.sin(reduce(cube, axis))),
    floats: { cube },
  })),
);

const products: GradientCase[] = [0, 1].map((axis) => ({
  title: `the product over axis ${axis}`,
  f: ({ factors }) => weightedSum(np.sin(np.prod(factors, axis))),
  floats: { factors },
}));

const repeated: GradientCase[] = Object.entries({ ...reductions, prod: np.prod as Reduce }).map(
  ([name, reduce]) => ({
    title: `${name} over axes of a broadcast array, one of them a broadcast axis`,
    f: ({ row }) => {
      const wide = np.broadcastTo(row.reshape([4, 1]), [2, 4, 3]);
      return np.add(weightedSum(np.sin(reduce(wide, [0, 1]))), weightedSum(np.cos(reduce(wide, 2))));
    },
    floats: { row },
  }),
);

export const reductionCases = {
  reduce: [
    ...alongAxes,
    ...products,
    ...repeated,
    {
      title: "the sum of a transposed array, kept as an axis",
      f: ({ cube }) => {
        const turned = np.transpose(cube, [2, 0, 1]);
        return weightedSum(np.divide(turned, np.exp(np.sum(turned, 1, { keepdims: true }))));
      },
      floats: { cube },
    },
    {
      title: "a cumulative sum",
      f: ({ cube }) => weightedSum(np.sin(np.cumsum(cube, 2))),
      floats: { cube },
    },
  ],
  sort: [
    { title: "along the last axis", f: ({ cube }) => weightedSum(np.sin(np.sort(cube))), floats: { cube } },
    {
      title: "along the leading axis",
      f: ({ cube }) => weightedSum(np.sin(np.sort(cube, 0))),
      floats: { cube },
    },
    {
      title: "a broadcast array",
      f: ({ row }) => weightedSum(np.sin(np.sort(np.broadcastTo(np.multiply(row, 2), [2, 4]), 0))),
      floats: { row },
    },
  ],
  argsort: [
    {
      title: "ranks as factors",
      f: ({ cube }) => weightedSum(np.multiply(np.argsort(cube, 1).astype(np.float32), np.sin(cube))),
      floats: { cube },
    },
    {
      title: "another array in the sorted order of the first",
      f: ({ row, other }) => weightedSum(np.multiply(np.take(other, np.argsort(row), 0), row)),
      floats: { row, other: randomInput([4], "other") },
    },
  ],
} as const satisfies GradientCases;
