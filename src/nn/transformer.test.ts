// Tests of the transformer: composition of its layers, masks, dropout, gradients.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  type HostInput,
  largestDifference,
  randomInput,
} from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { selfAttention } from "./attention.ts";
import { layerNorm } from "./layer-norm.ts";
import { mlp } from "./mlp.ts";
import { layout } from "./params.ts";
import { type TransformerOptions, transformer } from "./transformer.ts";

const options = { layers: 2, width: 4, heads: 2, feedForward: 6 };
const x = randomInput([2, 3, 4], "x");

function run(
  extra: Partial<TransformerOptions>,
  inputs: { x: HostInput; [name: string]: HostInput },
): Float64Array {
  const module = transformer({ ...options, ...extra });
  const params = layout(module.params);
  const flat = randomInput([params.size], "flat", 0.5);
  const { y } = evaluate(
    ({ flat, x, keyAllowed, uniforms }) => ({
      y: module.apply(params.split(flat), x, { keyAllowed, uniforms }),
    }),
    { flat, ...inputs },
  );
  return y;
}

test("applies residual attention and feed-forward blocks with pre-normalisation, then a final normalisation", () => {
  const module = transformer(options);
  const params = layout(module.params);
  const attention = selfAttention(options);
  const norm = layerNorm(4);
  const dense = mlp({ inputs: 4, hidden: [6], outputs: 4, activation: "gelu" });
  const { expected } = evaluate(
    ({ flat, x }) => {
      const { layers, finalNorm } = params.split(flat);
      let h = x;
      for (const layer of layers) {
        h = np.add(h, attention.apply(layer.attention, norm.apply(layer.attentionNorm, h)));
        h = np.add(h, dense.apply(layer.feedForward, norm.apply(layer.feedForwardNorm, h)));
      }
      return { expected: norm.apply(finalNorm, h) };
    },
    { flat: randomInput([params.size], "flat", 0.5), x },
  );
  expect(largestDifference(run({}, { x }), expected)).toBeLessThan(1e-12);
});

test("a causal transformer does not attend to later positions", () => {
  const changed = {
    ...x,
    data: Array.from(x.data, (value, k) => (Math.floor(k / 4) % 3 === 2 ? -value : value)),
  };
  const before = run({ causal: true }, { x });
  const after = run({ causal: true }, { x: changed });
  for (let k = 0; k < 24; k++) expect(before[k] === after[k]).toBe(Math.floor(k / 4) % 3 < 2);
});

test("padding does not change other positions", () => {
  const keyAllowed: HostInput = { shape: [2, 3], dtype: "bool", data: [1, 1, 0, 1, 1, 1] };
  const changed = { ...x, data: Array.from(x.data, (value, k) => (k >= 8 && k < 12 ? -value : value)) };
  const before = run({}, { x, keyAllowed });
  const after = run({}, { x: changed, keyAllowed });
  for (let k = 0; k < 24; k++) expect(before[k] === after[k]).toBe(k < 8 || k >= 12);
});

test("dropout is applied only with a positive rate and uniform numbers", () => {
  const shape = transformer(options).uniformsShape(2, 3);
  expect(shape).toEqual([2, 2, 2, 3, 4]);
  const uniforms = { shape, data: RandomStream.fromSeed(0).fillUniform(new Float32Array(96)) };
  const plain = run({}, { x });
  expect(run({ dropoutRate: 0.5 }, { x })).toEqual(plain);
  expect(run({ dropoutRate: 0 }, { x, uniforms })).toEqual(plain);
  expect(largestDifference(run({ dropoutRate: 0.5 }, { x, uniforms }), plain)).toBeGreaterThan(0.1);
  const none = { shape, data: new Float32Array(96) };
  const { gain, bias } = { gain: randomInput([4], "gain"), bias: randomInput([4], "bias") };
  const { y, expected } = evaluate(
    ({ x, none, gain, bias, flat }) => {
      const module = transformer({ ...options, dropoutRate: 0.5 });
      const split = layout(module.params).split(flat);
      const params = { ...split, finalNorm: { gain, bias } };
      return {
        y: module.apply(params, x, { uniforms: none }),
        expected: layerNorm(4).apply({ gain, bias }, x),
      };
    },
    { x, none, gain, bias, flat: randomInput([layout(transformer(options).params).size], "flat") },
  );
  expect(largestDifference(y, expected)).toBeLessThan(1e-12);
});

test("every place with dropout uses its own uniform numbers", () => {
  const shape = transformer(options).uniformsShape(2, 3);
  const dropping = (place: number) => {
    const data = Float32Array.from({ length: 96 }, (_, k) => (Math.floor(k / 24) === place ? 0 : 1));
    return run({ dropoutRate: 0.5 }, { x, uniforms: { shape, data } });
  };
  const outputs = [-1, 0, 1, 2, 3].map((place) => dropping(place).join());
  expect(new Set(outputs).size).toBe(5);
});

test("has the right gradients, with masks and dropout", () => {
  const module = transformer({ ...options, causal: true, dropoutRate: 0.3 });
  checkModuleGradients(
    module,
    (params, { x, keyAllowed, uniforms }) => module.apply(params, x, { keyAllowed, uniforms }),
    { x },
    {
      coordinates: 24,
      fixed: {
        keyAllowed: { shape: [2, 3], dtype: "bool", data: [1, 0, 1, 1, 1, 1] },
        uniforms: {
          shape: module.uniformsShape(2, 3),
          data: RandomStream.fromSeed(1).fillUniform(new Float32Array(96)),
        },
      },
    },
  );
});

test("rejects invalid sizes, rates and shapes", () => {
  expect(() => transformer({ ...options, layers: 0 })).toThrow(
    "transformer: layers must be a positive whole number, got 0",
  );
  expect(() => transformer({ ...options, heads: 3 })).toThrow(
    "selfAttention: heads must divide the width 4, got 3",
  );
  expect(() => transformer({ ...options, dropoutRate: 1 })).toThrow(
    "transformer: dropoutRate must be in [0, 1), got 1",
  );
  expect(() => run({ dropoutRate: 0.1 }, { x, uniforms: randomInput([2, 1, 2, 3, 4], "uniforms") })).toThrow(
    "transformer: uniforms must be [2, 2, 2, 3, 4], got [2, 1, 2, 3, 4]",
  );
});
