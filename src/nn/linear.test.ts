// Tests of linear layers: values, leading axes, gradients, initialisers.

import { expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  largestDifference,
  randomInput,
} from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { ones } from "./init.ts";
import { linear } from "./linear.ts";
import { layout } from "./params.ts";

const x = randomInput([2, 3, 4], "x");
const weight = randomInput([4, 5], "weight");
const bias = randomInput([5], "bias");

function reference(row: number, column: number): number {
  let sum = 0;
  for (let i = 0; i < 4; i++) sum += x.data[row * 4 + i] * weight.data[i * 5 + column];
  return sum;
}

test("multiplies the last axis by the weight and adds the bias", () => {
  const shapes: number[][] = [];
  const { y, unbiased } = evaluate(
    ({ x, weight, bias }) => {
      const y = linear(4, 5).apply({ weight, bias }, x);
      shapes.push(y.shape);
      return { y, unbiased: linear(4, 5, { bias: false }).apply({ weight }, x) };
    },
    { x, weight, bias },
  );
  const product = Array.from({ length: 30 }, (_, k) => reference(Math.floor(k / 5), k % 5));
  expect(shapes).toEqual([[2, 3, 5]]);
  expect(largestDifference(unbiased, product)).toBeLessThan(1e-12);
  expect(
    largestDifference(
      y,
      product.map((value, k) => value + bias.data[k % 5]),
    ),
  ).toBeLessThan(1e-12);
});

test.each([[[4]], [[6, 4]], [[2, 3, 4]]])("keeps the leading axes of %j", (shape) => {
  const shapes: number[][] = [];
  evaluate(
    ({ x, weight }) => {
      const y = linear(4, 5, { bias: false }).apply({ weight }, x);
      shapes.push(y.shape);
      return { y };
    },
    { x: randomInput(shape, "x"), weight },
  );
  expect(shapes).toEqual([[...shape.slice(0, -1), 5]]);
});

test("has the right gradients", () => {
  const module = linear(4, 5);
  checkModuleGradients(module, (params, { x }) => module.apply(params, x), { x });
});

test("uses the initialisers of its options", () => {
  const { params } = linear(2, 2, { weightInit: ones, biasInit: ones });
  expect(layout(params).init(RandomStream.fromSeed(0))).toEqual(new Float32Array(6).fill(1));
  expect(layout(linear(2, 2, { bias: false }).params).size).toBe(4);
});

test("rejects invalid sizes and inputs of another width", () => {
  expect(() => linear(0, 3)).toThrow("linear: inputs must be a positive whole number, got 0");
  expect(() => linear(3, 2.5)).toThrow("linear: outputs must be a positive whole number, got 2.5");
  expect(() =>
    evaluate(({ x, weight }) => ({ y: linear(4, 5).apply({ weight }, x) }), {
      x: randomInput([2, 3], "x"),
      weight,
    }),
  ).toThrow("linear: x must be [..., 4], got [2, 3]");
});
