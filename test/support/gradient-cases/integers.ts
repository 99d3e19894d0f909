// Gradient cases of operations without a derivative, which appear as factors of differentiable terms.

import { lax, numpy as np, random } from "@jax-js/jax";
import { randomInput, weightedSum } from "../gradients.ts";
import { boolInput, type GradientCases, int32Input, uint32Input } from "./case.ts";

const x = randomInput([2, 4], "x");
const y = randomInput([2, 4], "y");
const i = int32Input([4], [6, -3, 1000003, -2147483648]);
const j = int32Input([2, 1], [5, -2]);

/** Integers scaled to small float factors. */
const factor = (k: np.Array) => np.sin(k.mod(np.array(1000, { dtype: np.int32 })).astype(np.float32));

const comparisons = {
  less: np.less,
  lessEqual: np.lessEqual,
  equal: np.equal,
  notEqual: np.notEqual,
  greater: np.greater,
  greaterEqual: np.greaterEqual,
};

const combinations = { and: np.bitwiseAnd, or: np.bitwiseOr, xor: np.bitwiseXor };

export const integerCases = {
  compare: [
    ...Object.entries(comparisons).map(([title, compare]) => ({
      title: `${title} of floats`,
      f: ({ x, y }: Readonly<Record<string, np.Array>>) =>
        weightedSum(np.multiply(compare(x, y).astype(np.float32).add(0.5), np.multiply(x, y))),
      floats: { x, y },
    })),
    {
      title: "integers of two shapes",
      f: ({ x, i, j }) => weightedSum(np.multiply(np.less(i, j).astype(np.float32), x)),
      floats: { x },
      fixed: { i, j },
    },
    {
      title: "booleans",
      f: ({ x, s, t }) =>
        weightedSum(np.where(np.less(s, t), np.sin(x), np.where(np.equal(s, t), x, np.cos(x)))),
      floats: { x },
      fixed: { s: boolInput([4], [0, 0, 1, 1]), t: boolInput([4], [0, 1, 0, 1]) },
    },
  ],
  cast: [
    {
      title: "to integers and back",
      f: ({ x }) => weightedSum(np.multiply(np.multiply(x, 3).astype(np.int32).astype(np.float32), x)),
      floats: { x },
    },
    {
      title: "integers and booleans to floats",
      f: ({ x, i, t }) =>
        weightedSum(np.multiply(np.add(factor(i), t.astype(np.float32)), np.multiply(x, x))),
      floats: { x },
      fixed: { i, t: boolInput([2, 1], [0, 1]) },
    },
  ],
  bitcast: [
    {
      title: "the bits of integers as floats",
      f: ({ x, bits }) => weightedSum(np.multiply(bits.view(np.float32), x)),
      floats: { x },
      fixed: { bits: int32Input([4], [0x3f800000, 0x40490fdb, 0x3eaaaaab, -0x40800000]) },
    },
    {
      title: "the sign bit of floats",
      f: ({ x }) => {
        const bits = lax.stopGradient(x).view(np.int32);
        const sign = np.rightShift(bits, np.array(31, { dtype: np.int32 })).astype(np.float32);
        return weightedSum(np.multiply(np.subtract(1, np.multiply(sign, 2)), np.multiply(x, x)));
      },
      floats: { x },
    },
  ],
  bitCombine: [
    ...Object.entries(combinations).map(([title, combine]) => ({
      title: `${title} of integers`,
      f: ({ x, i, j }: Readonly<Record<string, np.Array>>) =>
        weightedSum(np.multiply(factor(combine(i, j)), x)),
      floats: { x },
      fixed: { i, j },
    })),
    {
      title: "booleans, some computed from floats",
      f: ({ x, y, t }) =>
        weightedSum(np.where(np.bitwiseAnd(np.less(x, y), t), np.sin(x), np.multiply(x, y))),
      floats: { x, y },
      fixed: { t: boolInput([4], [1, 0, 1, 1]) },
    },
  ],
  randomBits: [
    {
      title: "of a key, as numbers between 0 and 1",
      f: ({ x, key }) => {
        const bits = np.rightShift(random.bits(key, [2, 4]), np.array(8, { dtype: np.uint32 }));
        return weightedSum(np.multiply(bits.astype(np.float32).mul(2 ** -24), x));
      },
      floats: { x },
      fixed: { key: uint32Input([2], [123456789, 987654321]) },
    },
  ],
  bitShift: [
    {
      title: "left",
      f: ({ x, i }) => weightedSum(np.multiply(factor(np.leftShift(i, np.array(5, { dtype: np.int32 }))), x)),
      floats: { x },
      fixed: { i },
    },
    {
      title: "right, logical",
      f: ({ x, i }) =>
        weightedSum(np.multiply(factor(np.rightShift(i, np.array(7, { dtype: np.int32 }))), x)),
      floats: { x },
      fixed: { i },
    },
    {
      title: "unsigned integers, with a number of bits per element",
      f: ({ x, u, n }) =>
        weightedSum(
          np.multiply(
            np.sin(
              np
                .rightShift(u, n)
                .mod(np.array(100, { dtype: np.uint32 }))
                .astype(np.float32),
            ),
            x,
          ),
        ),
      floats: { x },
      fixed: {
        u: { shape: [4], data: [4294967295, 77, 123456789, 2147483648], dtype: "uint32" },
        n: { shape: [2, 1], data: [3, 30], dtype: "uint32" },
      },
    },
  ],
} as const satisfies GradientCases;
