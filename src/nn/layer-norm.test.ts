// Tests of layer normalisation: moments, gain and bias, gradients.

import { expect, test } from "vitest";
import {
  checkGradients,
  checkModuleGradients,
  evaluate,
  largestDifference,
  randomInput,
  weightedSum,
} from "../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../test/support/on-engines.ts";
import { layerNorm } from "./layer-norm.ts";

const x = randomInput([2, 3, 8], "x", 3);
const unit = {
  gain: { shape: [8], data: new Array(8).fill(1) },
  bias: { shape: [8], data: new Array(8).fill(0) },
};

test("normalised rows have mean 0 and variance 1", () => {
  const { y } = evaluate(({ x, gain, bias }) => ({ y: layerNorm(8).apply({ gain, bias }, x) }), {
    x,
    ...unit,
  });
  for (let row = 0; row < 6; row++) {
    const values = y.subarray(8 * row, 8 * row + 8);
    const mean = values.reduce((sum, value) => sum + value, 0) / 8;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 8;
    expect(Math.abs(mean)).toBeLessThan(1e-10);
    expect(Math.abs(variance - 1)).toBeLessThan(1e-5);
  }
});

test("gain and bias are applied to the standardised row", () => {
  const gain = randomInput([8], "gain");
  const bias = randomInput([8], "bias");
  const { y, standard } = evaluate(
    ({ x, gain, bias, one, zero }) => ({
      y: layerNorm(8).apply({ gain, bias }, x),
      standard: layerNorm(8).apply({ gain: one, bias: zero }, x),
    }),
    { x, gain, bias, one: unit.gain, zero: unit.bias },
  );
  expect(
    largestDifference(
      y,
      standard.map((value, k) => value * gain.data[k % 8] + bias.data[k % 8]),
    ),
  ).toBeLessThan(1e-12);
});

test("a constant row becomes the bias", () => {
  const { y } = evaluate(
    ({ x, gain, bias }) => ({ y: layerNorm(8).apply({ gain, bias }, x) }),
    {
      ...unit,
      x: { shape: [1, 8], data: new Array(8).fill(5) },
      bias: { shape: [8], data: new Array(8).fill(2) },
    },
    "float32",
  );
  expect([...y]).toEqual(new Array(8).fill(2));
});

test("has the right gradients", () => {
  const module = layerNorm(8);
  checkModuleGradients(module, (params, { x }) => module.apply(params, x), { x });
});

test("has the right gradients on both engines", async () => {
  const inputs = {
    x: randomInput([5, 8], "x", 3),
    gain: randomInput([8], "gain"),
    bias: randomInput([8], "bias"),
  };
  await expectGradientsOnEngines(
    checkGradients(({ x, gain, bias }) => weightedSum(layerNorm(8).apply({ gain, bias }, x)), inputs),
  );
});

test("rejects invalid sizes and inputs of another width", () => {
  expect(() => layerNorm(0)).toThrow("layerNorm: width must be a positive whole number, got 0");
  expect(() => layerNorm(8, { epsilon: 0 })).toThrow("layerNorm: epsilon must be positive, got 0");
  expect(() =>
    evaluate(({ x, gain, bias }) => ({ y: layerNorm(4).apply({ gain, bias }, x) }), { x, ...unit }),
  ).toThrow("layerNorm: x must be [..., 4], got [2, 3, 8]");
});
