// Tests of multilayer perceptrons: values, leading axes, gradients with every activation.

import { expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  largestDifference,
  randomInput,
} from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { type ActivationName, activations } from "./activations.ts";
import { zeros } from "./init.ts";
import { mlp } from "./mlp.ts";
import { layout } from "./params.ts";

test("applies linear layers with the activation between them, not after the last", () => {
  const module = mlp({ inputs: 3, hidden: [4, 2], outputs: 3, activation: "tanh" });
  const params = layout(module.params);
  const flat = randomInput([params.size], "flat");
  const x = randomInput([2, 3], "x");
  const { y } = evaluate(({ x, flat }) => ({ y: module.apply(params.split(flat), x) }), { x, flat });

  const { layers } = params.view(Float32Array.from(flat.data));
  const expected = [0, 1].flatMap((row) => {
    let h = Array.from(x.data).slice(3 * row, 3 * row + 3);
    layers.forEach(({ weight, bias }, layer) => {
      h = Array.from(bias!, (b, o) =>
        h.reduce((sum, value, i) => sum + value * weight[i * bias!.length + o], b),
      );
      if (layer < 2) h = h.map(Math.tanh);
    });
    return h;
  });
  expect(largestDifference(y, expected)).toBeLessThan(1e-12);
});

test("keeps leading axes, and rejects inputs of another width", () => {
  const module = mlp({ inputs: 3, hidden: [4], outputs: 2 });
  const params = layout(module.params);
  const flat = randomInput([params.size], "flat");
  const run = (shape: number[]) => {
    const shapes: number[][] = [];
    const { y } = evaluate(
      ({ x, flat }) => {
        const y = module.apply(params.split(flat), x);
        shapes.push(y.shape);
        return { y };
      },
      { x: randomInput(shape, "x"), flat },
    );
    return { y, shape: shapes[0] };
  };
  expect(run([2, 5, 3]).shape).toEqual([2, 5, 2]);
  expect(run([3]).shape).toEqual([2]);
  expect(run([2, 5, 3]).y).toEqual(run([10, 3]).y);
  expect(() => run([3, 2])).toThrow("mlp: x must be [..., 3], got [3, 2]");
});

test("is linear without hidden layers", () => {
  const module = mlp({ inputs: 3, hidden: [], outputs: 2 });
  expect(layout(module.params).entries.map(({ path }) => path)).toEqual(["layers.0.weight", "layers.0.bias"]);
});

test.each(Object.keys(activations) as ActivationName[])("has the right gradients with %s", (activation) => {
  const module = mlp({ inputs: 3, hidden: [5, 4], outputs: 2, activation });
  checkModuleGradients(module, (params, { x }) => module.apply(params, x), { x: randomInput([4, 3], "x") });
});

test("a zero-initialised last layer gives zero outputs", () => {
  const module = mlp({ inputs: 3, hidden: [8], outputs: 2, outputInit: zeros });
  const params = layout(module.params);
  const flat = { shape: [params.size], data: params.init(RandomStream.fromSeed(0)) };
  const { y } = evaluate(({ x, flat }) => ({ y: module.apply(params.split(flat), x) }), {
    x: randomInput([4, 3], "x"),
    flat,
  });
  expect([...y]).toEqual(new Array(8).fill(0));
  expect(params.view(flat.data).layers[0].weight.some((w) => w !== 0)).toBe(true);
});

test("rejects invalid sizes and unknown activations", () => {
  expect(() => mlp({ inputs: 3, hidden: [4, -1], outputs: 2 })).toThrow(
    "mlp: hidden[1] must be a positive whole number, got -1",
  );
  expect(() => mlp({ inputs: 3, hidden: [4], outputs: 0 })).toThrow("mlp: outputs must be");
  expect(() => mlp({ inputs: 3, hidden: [4], outputs: 1, activation: "elu" as ActivationName })).toThrow(
    "mlp: activation must be one of relu,",
  );
});
