// Tests of lowering: the ONNX graphs are valid, use standard operators, and avoid unnecessary nodes.

import { grad, numpy as np, valueAndGrad } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  benchmarkIteration,
  DEFAULT_BENCHMARK_ITERATION,
} from "../../../test/support/benchmark-iteration.ts";
import { relativeDifference } from "../../../test/support/difference.ts";
import { standardOperators } from "../../../test/support/onnx-operators.ts";
import { randomProgram } from "../../../test/support/random-program.ts";
import { spec } from "../dtype.ts";
import { compile } from "../program.ts";
import { simplify } from "../simplify.ts";
import { type ArrayFunction, type Specs, trace } from "../trace.ts";
import { lower, OPSET } from "./lower.ts";
import type { OnnxModel } from "./model.ts";

const lowered = (f: ArrayFunction, specs: Specs) => lower(simplify(trace(f, specs, "net")));

const operators = (model: OnnxModel) => model.nodes.map(({ operator }) => operator);

/** A training step of a perceptron with two layers: squared error, gradient, descent. */
const step: ArrayFunction = ({ w1, b1, w2, b2, x, target }) => {
  const loss = (params: Readonly<Record<"w1" | "b1" | "w2" | "b2", np.Array>>) => {
    const hidden = np.maximum(0, np.add(np.matmul(x, params.w1), params.b1)); // [32, 16]
    const output = np.add(np.matmul(hidden, params.w2), params.b2); // [32, 4]
    const residual = np.subtract(output, target); // [32, 4]
    return np.mean(np.multiply(residual, residual)); // []
  };
  const params = { w1, b1, w2, b2 };
  const [value, slopes] = valueAndGrad(loss)(params);
  const moved = (name: keyof typeof params) => np.subtract(params[name], np.multiply(slopes[name], 0.01));
  return { w1: moved("w1"), b1: moved("b1"), w2: moved("w2"), b2: moved("b2"), loss: value };
};
const stepSpecs = {
  w1: spec([8, 16]),
  b1: spec([16]),
  w2: spec([16, 4]),
  b2: spec([4]),
  x: spec([32, 8]),
  target: spec([32, 4]),
};

describe("a training step of a two-layer perceptron", () => {
  const model = lowered(step, stepSpecs);

  test("has no Transpose node", () => {
    expect(operators(model)).not.toContain("Transpose");
  });

  test("has five matrix products, and both biases are part of a Gemm", () => {
    const products = model.nodes.filter(({ operator }) => operator === "Gemm");
    expect(products).toHaveLength(5);
    const biases = products.filter(({ inputs }) => inputs.length === 3).map(({ inputs }) => inputs[2]);
    expect(biases.sort()).toEqual(["b1", "b2"]);
  });

  test("transposes operands by attributes of Gemm", () => {
    const transposed = model.nodes.filter(
      ({ attributes }) => attributes.transA === 1 || attributes.transB === 1,
    );
    expect(transposed.length).toBeGreaterThanOrEqual(3);
  });

  test("has a Relu after the first product", () => {
    const [first] = model.nodes.filter(({ inputs }) => inputs[2] === "b1");
    const consumers = model.nodes.filter(({ inputs }) => inputs.includes(first.outputs[0]));
    expect(consumers.map(({ operator }) => operator)).toContain("Relu");
  });

  test("has a Max instead of a Relu for WebAssembly, where a Relu in place is slow", () => {
    const relus = operators(model).filter((operator) => operator === "Relu").length;
    const inWebAssembly = operators(lower(simplify(trace(step, stepSpecs)), { inWebAssembly: true }));
    expect(inWebAssembly).not.toContain("Relu");
    expect(inWebAssembly.filter((operator) => operator === "Max")).toHaveLength(relus);
  });

  test("has no Expand or Tile where operators broadcast", () => {
    expect(operators(model)).not.toContain("Expand");
    expect(operators(model)).not.toContain("Tile");
  });
});

describe("a scatter that adds rows", () => {
  const f: ArrayFunction = ({ table, index }) => ({
    slope: grad((rows: np.Array) => np.sum(np.sin(np.take(rows, index, 0))))(table),
  });
  const specs = { table: spec([50, 3]), index: spec([2000], "int32") };
  const scatters = (threads?: number) =>
    lower(simplify(trace(f, specs)), { threads })
      .nodes.map(({ operator }) => operator)
      .filter((operator) => operator.startsWith("Scatter"));

  test("uses ScatterND for one thread, and ScatterElements for several or an unknown number", () => {
    expect(scatters(1)).toEqual(["ScatterND"]);
    expect(scatters(2)).toEqual(["ScatterElements"]);
    expect(scatters()).toEqual(["ScatterElements"]);
  });

  test.each([1, 2])("adds all updates of the same row with %i threads", async (threads) => {
    const program = await compile(f, specs, { name: "rows", engine: "native", threads });
    const table = Float32Array.from({ length: 150 }, (_, i) => 0.01 * i);
    const index = Int32Array.from({ length: 2000 }, (_, i) => (i * i) % 7);
    const { slope } = await program.run({ table, index });
    await program.dispose();
    const counts = new Array<number>(50).fill(0);
    for (const row of index) counts[row]++;
    const exact = table.map((x, i) => counts[Math.floor(i / 3)] * Math.cos(x));
    expect(relativeDifference(slope, exact)).toBeLessThan(1e-5);
  });
});

test("the benchmark iteration, with rollout and both updates, has no Transpose node", () => {
  const { iteration, example } = benchmarkIteration(DEFAULT_BENCHMARK_ITERATION, new Float32Array(4 ** 8));
  const model = lower(simplify(trace(iteration as unknown as ArrayFunction, example)));
  expect(operators(model)).not.toContain("Transpose");
  expect(model.nodes.length).toBeLessThan(400);
});

describe("names", () => {
  test("are those of the graph; an output with the name of an input gets the prefix next", () => {
    const model = lowered(step, stepSpecs);
    expect(model.name).toBe("net");
    expect(model.inputs.map(({ name }) => name)).toEqual(Object.keys(stepSpecs));
    expect(model.outputs.map(({ name }) => name)).toEqual([
      "next.w1",
      "next.b1",
      "next.w2",
      "next.b2",
      "loss",
    ]);
  });

  test("are unique even for outputs that are inputs, constants, or equal to another output", () => {
    const f: ArrayFunction = ({ x }) => {
      const y = np.sin(x);
      return { x, same: x, y, again: y, c: np.array([1, 2, 3]), ones: np.ones([2, 2]) };
    };
    const model = lowered(f, { x: spec([2]) });
    const produced = model.nodes.flatMap(({ outputs }) => outputs);
    expect(produced).toEqual(expect.arrayContaining(["next.x", "same", "y", "again", "c", "ones"]));
    expect(new Set(produced).size).toBe(produced.length);
  });

  test("of inputs and outputs come with their types, shapes and a description", () => {
    const model = lowered(({ i, t }) => ({ y: np.where(t, i, 0) }), {
      i: spec([2, 3], "int32"),
      t: spec([3], "bool"),
    });
    expect(model.inputs).toEqual([
      { name: "i", type: "int32", shape: [2, 3], description: "int32[2, 3]" },
      { name: "t", type: "bool", shape: [3], description: "bool[3]" },
    ]);
    expect(model.outputs).toEqual([{ name: "y", type: "int32", shape: [2, 3], description: "int32[2, 3]" }]);
  });

  test("of the model come with the caller's description and metadata", () => {
    const graph = simplify(trace(step, stepSpecs));
    const { description, metadata } = lower(graph, { description: "a step", metadata: { seed: "1" } });
    expect({ description, metadata }).toEqual({ description: "a step", metadata: { seed: "1" } });
  });
});

describe("operator sets", () => {
  test("models without a bitcast use set 18", () => {
    expect(OPSET).toBe(18);
    expect(lowered(step, stepSpecs).opset).toBe(18);
  });

  test("models with a bitcast use set 26", () => {
    const model = lowered(({ x }) => ({ y: x.view(np.int32) }), { x: spec([2]) });
    expect(operators(model)).toEqual(["BitCast"]);
    expect(model.opset).toBe(26);
  });
});

describe("a hundred random programs", () => {
  const models = Array.from({ length: 100 }, (_, seed) => {
    const { f, example, name } = randomProgram(seed);
    return lower(simplify(trace(f, example, name)));
  });

  test("use standard operators only", () => {
    const foreign = models.flatMap((model) => {
      const standard = standardOperators(model.opset);
      return operators(model).filter((operator) => !standard.has(operator));
    });
    expect(foreign).toEqual([]);
  });

  test("define every tensor once, before its use, and every output by its name", () => {
    for (const model of models) {
      const defined = new Set([...model.inputs, ...model.initializers].map(({ name }) => name));
      for (const { inputs, outputs } of model.nodes) {
        for (const name of inputs) expect(defined).toContain(name);
        for (const name of outputs) {
          expect(defined).not.toContain(name);
          defined.add(name);
        }
      }
      for (const { name } of model.outputs) expect(defined).toContain(name);
      expect(model.outputs.map(({ name }) => name)).toEqual(model.outputs.map((_, k) => `y${k}`));
    }
  });

  test("have no two equal nodes", () => {
    for (const model of models) {
      const calls = model.nodes
        .filter(({ operator }) => operator !== "Identity")
        .map(({ operator, inputs, attributes }) => JSON.stringify([operator, inputs, attributes]));
      expect(new Set(calls).size).toBe(calls.length);
    }
  });
});
