import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { layerNorm } from "../../nn/layer-norm.ts";
import { spec } from "../index.ts";
import { simplify } from "../simplify.ts";
import { trace } from "../trace.ts";
import { lower } from "./lower.ts";

const WIDTH = 8;
const norm = layerNorm(WIDTH);
const example = { x: spec([5, WIDTH]), gain: spec([WIDTH]), bias: spec([WIDTH]) };
type Arrays = Readonly<Record<string, np.Array>>;

function operators(f: (arrays: Arrays) => Record<string, np.Array>): string[] {
  return lower(simplify(trace(f, example, "f"))).nodes.map(({ operator }) => operator);
}

describe("the normalisation of rows", () => {
  test("is one node where only its result is read", () => {
    expect(operators(({ x, gain, bias }) => ({ y: norm.apply({ gain, bias }, x) }))).toEqual([
      "LayerNormalization",
    ]);
  });

  test("keeps its epsilon and its operands", () => {
    const own = layerNorm(WIDTH, { epsilon: 0.25 });
    const { nodes } = lower(
      simplify(trace(({ x, gain, bias }) => ({ y: own.apply({ gain, bias }, x) }), example, "f")),
    );
    expect(nodes[0]).toMatchObject({
      inputs: ["x", "gain", "bias"],
      outputs: ["y"],
      attributes: { axis: -1, epsilon: { float: 0.25 } },
    });
  });

  test("of a single row is one node, too", () => {
    const ofGain = ({ gain, bias }: Arrays) => ({ y: norm.apply({ gain, bias }, gain) });
    expect(operators(ofGain)).toEqual(["LayerNormalization"]);
  });

  test("gives a gradient the rows before gain and bias, and their scales", () => {
    const slope = ({ x, gain, bias }: Arrays) =>
      grad((moved: np.Array) => np.sum(np.sin(norm.apply({ gain, bias }, moved))))(x);
    const { nodes } = lower(simplify(trace((arrays) => ({ slope: slope(arrays) }), example, "f")));
    const [joined, ...others] = nodes;
    expect(joined).toMatchObject({
      operator: "LayerNormalization",
      outputs: [expect.any(String), "", expect.any(String)],
    });
    expect(others.map(({ operator }) => operator)).not.toContain("Sqrt");
    const [standard, , scale] = joined.outputs;
    for (const name of [standard, scale]) expect(others.flatMap(({ inputs }) => inputs)).toContain(name);
  });

  test("stays apart where others read what lies between", () => {
    const centred = ({ x }: Arrays) => np.subtract(x, np.mean(x, -1, { keepdims: true }));
    const both = (arrays: Arrays) => ({ y: norm.apply(arrays as never, arrays.x), centred: centred(arrays) });
    expect(operators(both)).not.toContain("LayerNormalization");
  });

  test.each([
    ["a mean of squares that is not centred", (x: np.Array) => np.multiply(x, x)],
    ["another power", (x: np.Array) => np.multiply(np.multiply(x, x), x)],
  ])("is not taken for %s", (_, power) => {
    const other = ({ x, gain, bias }: Arrays) => {
      const centred = np.subtract(x, np.mean(x, -1, { keepdims: true }));
      const spread = np.mean(power(_.startsWith("a mean") ? x : centred), -1, { keepdims: true });
      const standard = np.divide(centred, np.sqrt(np.add(spread, 1e-5)));
      return np.add(np.multiply(standard, gain), bias);
    };
    expect(operators((arrays) => ({ y: other(arrays) }))).not.toContain("LayerNormalization");
  });
});
