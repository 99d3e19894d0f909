// Gradient cases of elementwise arithmetic and functions.

import { lax, numpy as np } from "@jax-js/jax";
import { randomInput, weightedSum } from "../gradients.ts";
import { boolInput, type GradientCases } from "./case.ts";

const x = randomInput([3, 4], "x");
const y = randomInput([3, 4], "y");
const row = randomInput([4], "row");
const column = randomInput([3, 1], "column");
const positive = { shape: [2, 3], data: [0.3, 1.7, 0.9, 2.6, 0.05, 4.2] };
/** Values that are not close to multiples of 1/3. */
const between = { shape: [2, 3], data: [0.45, -1.2, 2.55, 0.9, -0.55, 3.1] };
const inside = { shape: [5], data: [-0.9, -0.31, 0.02, 0.55, 0.8] };

export const elementwiseCases = {
  constant: [
    {
      title: "an array that the function closes over",
      f: ({ x }) => weightedSum(np.multiply(np.sin(x), np.array([0.5, -1.5, 2.25, 3]))),
      floats: { x },
    },
    {
      title: "a repeated number",
      f: ({ x }) => weightedSum(np.sin(np.add(x, np.full([3, 4], 0.75)))),
      floats: { x },
    },
  ],
  neg: [{ title: "the negative", f: ({ x }) => weightedSum(np.negative(np.sin(x))), floats: { x } }],
  reciprocal: [
    {
      title: "a reciprocal with two uses",
      f: ({ x }) => {
        const r = np.reciprocal(np.add(np.multiply(x, x), 1));
        return weightedSum(np.add(np.sin(r), np.multiply(r, x)));
      },
      floats: { x },
    },
  ],
  floor: [
    {
      title: "floor as a factor",
      f: ({ between }) => weightedSum(np.multiply(np.floor(np.multiply(between, 3)), between)),
      floats: { between },
    },
  ],
  ceil: [
    {
      title: "ceil as a factor",
      f: ({ between }) => weightedSum(np.multiply(np.ceil(np.multiply(between, 3)), between)),
      floats: { between },
    },
  ],
  sin: [{ title: "the sine", f: ({ x }) => weightedSum(np.sin(x)), floats: { x } }],
  cos: [{ title: "the cosine", f: ({ x }) => weightedSum(np.cos(x)), floats: { x } }],
  asin: [{ title: "the arc sine", f: ({ inside }) => weightedSum(np.arcsin(inside)), floats: { inside } }],
  atan: [{ title: "the arc tangent", f: ({ x }) => weightedSum(np.arctan(x)), floats: { x } }],
  exp: [{ title: "the exponential", f: ({ x }) => weightedSum(np.exp(x)), floats: { x } }],
  log: [
    {
      title: "the logarithm",
      f: ({ positive }) => weightedSum(np.log(positive)),
      floats: { positive },
    },
    {
      title: "the logarithm of a sum of exponentials",
      f: ({ x }) => np.log(np.sum(np.exp(x))),
      floats: { x },
    },
  ],
  erf: [{ title: "the error function", f: ({ x }) => weightedSum(lax.erf(x)), floats: { x } }],
  sqrt: [
    {
      title: "the square root",
      f: ({ positive }) => weightedSum(np.sqrt(positive)),
      floats: { positive },
    },
  ],
  add: [
    { title: "two arrays", f: ({ x, y }) => weightedSum(np.sin(np.add(x, y))), floats: { x, y } },
    {
      title: "a row and a column",
      f: ({ row, column }) => weightedSum(np.sin(np.add(row, column))),
      floats: { row, column },
    },
    { title: "an array and itself", f: ({ x }) => weightedSum(np.sin(np.add(x, x))), floats: { x } },
  ],
  sub: [
    { title: "two arrays", f: ({ x, y }) => weightedSum(np.sin(np.subtract(x, y))), floats: { x, y } },
    {
      title: "a row from an array",
      f: ({ x, row }) => weightedSum(np.sin(np.subtract(x, row))),
      floats: { x, row },
    },
    {
      title: "an array from a number",
      f: ({ x }) => weightedSum(np.sin(np.subtract(1, x))),
      floats: { x },
    },
  ],
  mul: [
    { title: "two arrays", f: ({ x, y }) => weightedSum(np.multiply(x, y)), floats: { x, y } },
    {
      title: "a row and a column",
      f: ({ row, column }) => weightedSum(np.multiply(row, column)),
      floats: { row, column },
    },
    { title: "a square", f: ({ x }) => weightedSum(np.multiply(x, x)), floats: { x } },
  ],
  div: [
    {
      title: "two arrays",
      f: ({ x, y }) => weightedSum(np.divide(x, np.add(np.multiply(y, y), 1))),
      floats: { x, y },
    },
    {
      title: "an array by its sum",
      f: ({ positive }) => weightedSum(np.divide(positive, np.sum(positive, 1, { keepdims: true }))),
      floats: { positive },
    },
    {
      // The engine approximates the value with an error of 1e-7; the derivative is exact.
      title: "erfc, which is composed with it",
      f: ({ x }) => weightedSum(lax.erfc(x)),
      floats: { x },
      tolerance: 1e-5,
    },
  ],
  idiv: [
    {
      title: "truncation as a factor",
      f: ({ between }) => weightedSum(np.multiply(np.trunc(np.multiply(between, 3)), between)),
      floats: { between },
    },
    {
      title: "quotients of integers as factors",
      f: ({ x, i, j }) => weightedSum(np.multiply(i.div(j).astype(np.float32), x)),
      floats: { x },
      fixed: {
        i: { shape: [4], data: [7, -7, 9, -20], dtype: "int32" },
        j: { shape: [4], data: [2, 2, -4, 3], dtype: "int32" },
      },
    },
  ],
  mod: [
    {
      title: "the remainder of floats, with respect to dividend and divisor",
      f: ({ between, positive }) => weightedSum(np.sin(between.mod(positive))),
      floats: { between, positive: { shape: [2, 3], data: [0.3, 0.7, 0.8, 0.4, 0.25, 1.3] } },
    },
    {
      title: "the remainder with the sign of the divisor",
      f: ({ between }) => weightedSum(np.sin(np.remainder(between, 0.7))),
      floats: { between },
    },
    {
      title: "remainders of integers as factors",
      f: ({ x, i }) =>
        weightedSum(np.multiply(i.mod(np.array(3, { dtype: np.int32 })).astype(np.float32), x)),
      floats: { x },
      fixed: { i: { shape: [4], data: [7, -7, 11, -20], dtype: "int32" } },
    },
  ],
  min: [
    { title: "two arrays", f: ({ x, y }) => weightedSum(np.sin(np.minimum(x, y))), floats: { x, y } },
    {
      title: "an array and a number",
      f: ({ x }) => weightedSum(np.sin(np.minimum(x, 0.25))),
      floats: { x },
    },
  ],
  max: [
    { title: "two arrays", f: ({ x, y }) => weightedSum(np.sin(np.maximum(x, y))), floats: { x, y } },
    {
      title: "an array and a column",
      f: ({ x, column }) => weightedSum(np.sin(np.maximum(x, column))),
      floats: { x, column },
    },
    { title: "an array and zero", f: ({ x }) => weightedSum(np.sin(np.maximum(0, x))), floats: { x } },
  ],
  where: [
    {
      title: "a fixed condition",
      f: ({ x, y, condition }) => weightedSum(np.where(condition, np.sin(x), np.cos(y))),
      floats: { x, y },
      fixed: { condition: boolInput([3, 4], [1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0]) },
    },
    {
      title: "a condition per row, and a number in one branch",
      f: ({ x, condition }) => weightedSum(np.where(condition, np.sin(x), -2)),
      floats: { x },
      fixed: { condition: boolInput([3, 1], [1, 0, 1]) },
    },
    {
      title: "a condition on the inputs, and branches that broadcast",
      f: ({ x, row, column }) =>
        weightedSum(np.where(np.less(x, 0.2), np.multiply(row, x), np.sin(np.add(column, x)))),
      floats: { x, row, column },
    },
  ],
} as const satisfies GradientCases;
