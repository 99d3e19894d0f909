// Gradient cases of movement: broadcast, reshape, transpose, flip, slice, pad, concatenate and split.

import { numpy as np } from "@jax-js/jax";
import { randomInput } from "../gradients.ts";
import { type GradientCases, sineSum } from "./case.ts";

const cube = randomInput([2, 3, 4], "cube");
const matrix = randomInput([3, 4], "matrix");
const row = randomInput([4], "row");
const column = randomInput([3, 1], "column");
const number = randomInput([], "number");

export const movementCases = {
  broadcast: [
    {
      title: "a row to a matrix",
      f: ({ row }) => sineSum(np.broadcastTo(row, [3, 4])),
      floats: { row },
    },
    {
      title: "a column to a stack of matrices",
      f: ({ column }) => sineSum(np.broadcastTo(column, [2, 3, 4])),
      floats: { column },
    },
    {
      title: "a number to a matrix",
      f: ({ number }) => sineSum(np.broadcastTo(number, [2, 3])),
      floats: { number },
    },
    {
      title: "an array repeated in a new middle axis",
      f: ({ matrix, cube }) =>
        sineSum(np.multiply(np.broadcastTo(matrix.reshape([3, 1, 4]), [3, 2, 4]), np.swapaxes(cube, 0, 1))),
      floats: { matrix, cube },
    },
  ],
  reshape: [
    {
      title: "axes merged after a transpose",
      f: ({ cube }) => sineSum(np.transpose(cube, [2, 0, 1]).reshape([4, 6])),
      floats: { cube },
    },
    {
      title: "an axis split in two, then transposed",
      f: ({ matrix }) => sineSum(np.transpose(matrix.reshape([3, 2, 2]), [1, 2, 0])),
      floats: { matrix },
    },
    {
      title: "axes that neither merge nor split",
      f: ({ matrix }) => sineSum(np.multiply(matrix.reshape([2, 6]), np.flip(matrix).reshape([2, 6]))),
      floats: { matrix },
    },
    {
      title: "a broadcast flattened",
      f: ({ row }) => sineSum(np.broadcastTo(row, [3, 4]).reshape([12])),
      floats: { row },
    },
    {
      title: "axes of extent 1 added and removed",
      f: ({ column }) => sineSum(np.add(column.reshape([3]), column.reshape([1, 3, 1]))),
      floats: { column },
    },
  ],
  transpose: [
    { title: "a matrix", f: ({ matrix }) => sineSum(np.transpose(matrix)), floats: { matrix } },
    {
      title: "three axes reversed",
      f: ({ cube }) => sineSum(np.transpose(cube, [1, 2, 0])),
      floats: { cube },
    },
    {
      title: "an array added to its transpose",
      f: ({ matrix }) => {
        const square = np.matmul(matrix, np.transpose(matrix));
        return sineSum(np.add(square, np.transpose(np.sin(square))));
      },
      floats: { matrix },
    },
  ],
  flip: [
    { title: "the last axis", f: ({ matrix }) => sineSum(np.flip(matrix, 1)), floats: { matrix } },
    {
      title: "several axes, of a transposed array",
      f: ({ cube }) => sineSum(np.flip(np.transpose(cube, [2, 1, 0]), [0, 2])),
      floats: { cube },
    },
    {
      title: "a broadcast axis",
      f: ({ row }) => sineSum(np.flip(np.broadcastTo(row, [3, 4]), 0)),
      floats: { row },
    },
  ],
  slice: [
    {
      title: "a block of a matrix",
      f: ({ matrix }) => sineSum(matrix.slice([1, 3], [0, 2])),
      floats: { matrix },
    },
    {
      title: "one row, without its axis",
      f: ({ cube }) => sineSum(cube.slice([], 2)),
      floats: { cube },
    },
    {
      title: "overlapping blocks",
      f: ({ row }) => sineSum(np.multiply(row.slice([0, 3]), row.slice([1, 4]))),
      floats: { row },
    },
  ],
  pad: [
    {
      title: "different widths on both axes",
      f: ({ matrix }) =>
        sineSum(
          np.pad(np.exp(matrix), [
            [1, 0],
            [2, 1],
          ]),
        ),
      floats: { matrix },
    },
    {
      title: "a repeated number",
      f: ({ row }) => sineSum(np.multiply(np.pad(np.full([2], 1.5), [[1, 1]]), row)),
      floats: { row },
    },
    {
      title: "a broadcast axis",
      f: ({ row }) =>
        sineSum(
          np.pad(np.broadcastTo(np.exp(row), [2, 4]), [
            [1, 1],
            [0, 0],
          ]),
        ),
      floats: { row },
    },
  ],
  concatenate: [
    {
      title: "an array and a repeated number",
      f: ({ row }) =>
        sineSum(np.multiply(np.concatenate([row, np.full([2], 0.5)]), np.concatenate([np.ones([2]), row]))),
      floats: { row },
    },
    {
      title: "rows of two arrays",
      f: ({ matrix, row }) => sineSum(np.concatenate([matrix, row.reshape([1, 4])], 0)),
      floats: { matrix, row },
    },
    {
      title: "columns of three, one of them transposed and one constant",
      f: ({ matrix, column }) =>
        sineSum(
          np.concatenate(
            [np.transpose(matrix), np.ones([4, 2]), np.transpose(np.broadcastTo(column, [3, 4]))],
            1,
          ),
        ),
      floats: { matrix, column },
    },
    {
      title: "an array with itself, along a middle axis",
      f: ({ cube }) => sineSum(np.concatenate([cube, np.exp(cube), cube], 1)),
      floats: { cube },
    },
    {
      title: "of a concatenation",
      f: ({ row, other }) =>
        sineSum(np.concatenate([np.concatenate([row, other]), np.concatenate([other, row, row])])),
      floats: { row, other: randomInput([3], "other") },
    },
  ],
  split: [
    {
      title: "into equal parts",
      f: ({ matrix }) => {
        const [left, right] = np.split(matrix, 2, 1);
        return sineSum(np.multiply(left, np.exp(right)));
      },
      floats: { matrix },
    },
    {
      title: "at positions, with an unused part",
      f: ({ row }) => {
        const [first, , last] = np.split(row, [1, 2]);
        return sineSum(np.multiply(first, last));
      },
      floats: { row },
    },
    {
      title: "a parameter vector into more than eight parts",
      f: ({ vector }) => {
        const parts = np.split(vector, [1, 2, 4, 5, 7, 8, 9, 12, 13, 14]);
        return parts.map((part, i) => sineSum(np.multiply(part, i + 1))).reduce((x, y) => np.add(x, y));
      },
      floats: { vector: randomInput([16], "vector") },
    },
    {
      title: "along a broadcast axis",
      f: ({ row }) => {
        const [top, bottom] = np.split(np.broadcastTo(row, [3, 4]), [1], 0);
        return np.add(sineSum(top), sineSum(np.exp(bottom)));
      },
      floats: { row },
    },
  ],
} as const satisfies GradientCases;
