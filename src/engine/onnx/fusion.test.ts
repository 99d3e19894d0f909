// Tests of operator fusion: groups of nodes that are fused, and similar groups that are not.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";

import { layerNorm } from "../../nn/layer-norm.ts";
import { type ArraySpec, compile, RandomStream, spec } from "../index.ts";
import { oneHotArgmax } from "../one-hot-argmax.ts";
import { simplify } from "../simplify.ts";
import { trace } from "../trace.ts";
import { lower } from "./lower.ts";

const WIDTH = 8;
const norm = layerNorm(WIDTH);
const example = { x: spec([5, WIDTH]), gain: spec([WIDTH]), bias: spec([WIDTH]) };
type Arrays = Readonly<Record<string, np.Array>>;

function operators(
  f: (arrays: Arrays) => Record<string, np.Array>,
  specs: Record<string, ArraySpec> = example,
  rows?: ReadonlySet<string>,
): string[] {
  return lower(simplify(trace(f, specs, "f")), { rowVectors: rows }).nodes.map(({ operator }) => operator);
}

describe("layer normalisation", () => {
  test("is one node if only its result is used", () => {
    expect(operators(({ x, gain, bias }) => ({ y: norm.apply({ gain, bias }, x) }))).toEqual([
      "LayerNormalization",
    ]);
  });

  test("keeps its epsilon and its operands", () => {
    const wideEpsilon = layerNorm(WIDTH, { epsilon: 0.25 });
    const { nodes } = lower(
      simplify(trace(({ x, gain, bias }) => ({ y: wideEpsilon.apply({ gain, bias }, x) }), example, "f")),
    );
    expect(nodes[0]).toMatchObject({
      inputs: ["x", "gain", "bias"],
      outputs: ["y"],
      attributes: { axis: -1, epsilon: { float: 0.25 } },
    });
  });

  test("of a vector is one node", () => {
    const ofGain = ({ gain, bias }: Arrays) => ({ y: norm.apply({ gain, bias }, gain) });
    expect(operators(ofGain)).toEqual(["LayerNormalization"]);
  });

  test("in a gradient also outputs the standardised rows and their scale", () => {
    const slope = ({ x, gain, bias }: Arrays) =>
      grad((moved: np.Array) => np.sum(np.sin(norm.apply({ gain, bias }, moved))))(x);
    const { nodes } = lower(simplify(trace((arrays) => ({ slope: slope(arrays) }), example, "f")));
    const [fused, ...others] = nodes;
    expect(fused).toMatchObject({
      operator: "LayerNormalization",
      outputs: [expect.any(String), "", expect.any(String)],
    });
    expect(others.map(({ operator }) => operator)).not.toContain("Sqrt");
    const [standard, , scale] = fused.outputs;
    for (const name of [standard, scale]) expect(others.flatMap(({ inputs }) => inputs)).toContain(name);
  });

  test("is not fused if an intermediate result has other uses", () => {
    const centred = ({ x }: Arrays) => np.subtract(x, np.mean(x, -1, { keepdims: true }));
    const both = (arrays: Arrays) => ({ y: norm.apply(arrays as never, arrays.x), centred: centred(arrays) });
    expect(operators(both)).not.toContain("LayerNormalization");
  });

  test.each([
    ["a mean of squares without centring", (x: np.Array) => np.multiply(x, x)],
    ["another power", (x: np.Array) => np.multiply(np.multiply(x, x), x)],
  ])("is not matched by %s", (name, power) => {
    const other = ({ x, gain, bias }: Arrays) => {
      const centred = np.subtract(x, np.mean(x, -1, { keepdims: true }));
      const moment = np.mean(power(name.startsWith("a mean") ? x : centred), -1, { keepdims: true });
      const standard = np.divide(centred, np.sqrt(np.add(moment, 1e-5)));
      return np.add(np.multiply(standard, gain), bias);
    };
    expect(operators((arrays) => ({ y: other(arrays) }))).not.toContain("LayerNormalization");
  });
});

describe("one-hot argmax", () => {
  const scores = { x: spec([5, WIDTH]) };

  test("becomes ArgMax and a row of an identity matrix, or a comparison if rows are long", () => {
    const operatorsOf = (width: number) =>
      operators(({ x }) => ({ y: oneHotArgmax(x) }), { x: spec([5, width]) });
    expect(operatorsOf(WIDTH)).toEqual(["ArgMax", "Gather"]);
    expect(operatorsOf(100)).toEqual(["ArgMax", "Equal", "Cast"]);
  });

  test("gives the same on both engines, also for equal largest scores", async () => {
    const x = Float32Array.from({ length: 5 * WIDTH }, (_, i) => (i * 7) % 4);
    const results = await Promise.all(
      (["native", "jax"] as const).map(async (engine) => {
        const program = await compile(({ x }) => ({ y: oneHotArgmax(x) }), scores, {
          name: "argmax",
          engine,
        });
        const { y } = await program.run({ x });
        await program.dispose();
        return Array.from(y);
      }),
    );
    expect(results[0]).toEqual(results[1]);
    for (let row = 0; row < 5; row++) {
      const numbers = x.subarray(row * WIDTH, (row + 1) * WIDTH);
      const hot = results[0].slice(row * WIDTH, (row + 1) * WIDTH);
      expect(hot).toEqual(Array.from(numbers, (_, i) => +(i === numbers.indexOf(Math.max(...numbers)))));
    }
  });

  test("is not fused with increasing ranks, or if the first comparison has other uses", () => {
    const ranked = (x: np.Array, ranks: readonly number[]) => {
      const isLargest = np.equal(x, np.max(x, 1, { keepdims: true })).astype(np.float32); // [5, WIDTH]
      const rank = np.multiply(isLargest, np.array([...ranks])); // [5, WIDTH]
      return { isLargest, y: np.equal(rank, np.max(rank, 1, { keepdims: true })).astype(np.float32) };
    };
    const rising = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(operators(({ x }) => ({ y: ranked(x, rising).y }), scores)).not.toContain("ArgMax");
    expect(operators(({ x }) => ranked(x, rising.toReversed()), scores)).not.toContain("ArgMax");
  });

  test("is not fused if ranks vary by row", () => {
    const square = ({ x }: Arrays) => {
      const ranks = np.array(Float32Array.of(3, 2, 1), { shape: [3, 1] });
      const isLargest = np.equal(x, np.max(x, 1, { keepdims: true })).astype(np.float32); // [3, 3]
      const rank = np.multiply(isLargest, ranks); // [3, 3]
      return { y: np.equal(rank, np.max(rank, 1, { keepdims: true })).astype(np.float32) };
    };
    expect(operators(square, { x: spec([3, 3]) })).not.toContain("ArgMax");
  });
});

describe("a long state vector", () => {
  const SIZE = 5000;
  const state = { m: spec([SIZE]), g: spec([SIZE]), rate: spec([]) };
  const rows = new Set(["m"]);

  test("is a [1, N] matrix as input and output of the model", () => {
    const { inputs, outputs } = lower(simplify(trace(({ m, g }) => ({ m: np.add(m, g) }), state, "f")), {
      rowVectors: rows,
    });
    expect(inputs.map(({ shape }) => shape)).toEqual([[1, SIZE], [SIZE], []]);
    expect(outputs.map(({ shape }) => shape)).toEqual([[1, SIZE]]);
  });

  test("in a scaled sum becomes a Gemm", () => {
    const scaledSum = ({ m, g }: Arrays) => ({ m: np.add(np.multiply(m, 0.9), g) });
    expect(operators(scaledSum, state, rows)).toEqual(["Reshape", "Gemm"]);
    const scaledDifference = ({ m, g, rate }: Arrays) => ({
      m: np.subtract(m, np.multiply(np.add(m, g), rate)),
    });
    expect(operators(scaledDifference, state, rows)).toEqual(["Add", "Reshape", "Gemm"]);
  });

  test("is not fused if it is short, if vectors are multiplied, or if the product has other uses", () => {
    const short = { m: spec([50]), g: spec([50]), rate: spec([]) };
    const scaledSum = ({ m, g }: Arrays) => ({ m: np.add(np.multiply(m, 0.9), g) });
    expect(operators(scaledSum, short, rows)).toEqual(["Mul", "Add"]);
    expect(operators(({ m, g }) => ({ m: np.add(np.multiply(m, g), g) }), state, rows)).not.toContain("Gemm");
    const sharedProduct = ({ m, g }: Arrays) => {
      const half = np.multiply(m, 0.5); // [SIZE]
      return { half, m: np.add(half, g) };
    };
    expect(operators(sharedProduct, state, rows)).not.toContain("Gemm");
  });

  test("of integers is not fused: Gemm takes floats only", () => {
    const integers = { m: spec([1, SIZE], "int32"), g: spec([SIZE], "int32") };
    const scaledSum = ({ m, g }: Arrays) => ({ y: np.add(np.multiply(m, 3), g) });
    expect(operators(scaledSum, integers)).not.toContain("Gemm");
  });

  test("gives the same bits as separate operations", async () => {
    const stream = RandomStream.fromSeed(1);
    const drawn = () => stream.fillUniform(new Float32Array(SIZE)).map((x) => x - 0.5);
    const [m, g] = [drawn(), drawn()];
    const program = await compile(
      ({ m, g, rate }) => {
        const next = np.add(np.multiply(m, 0.9), g); // [SIZE]
        return { m: np.subtract(g, np.multiply(next, rate)) };
      },
      state,
      { name: "momentum", engine: "native", state: ["m"] },
    );
    program.write({ m });
    await program.run({ g, rate: Float32Array.of(0.01) });
    const after = await program.read("m");
    const exact = m.map((x, i) => {
      const next = Math.fround(Math.fround(x * Math.fround(0.9)) + g[i]);
      return Math.fround(g[i] - Math.fround(next * Math.fround(0.01)));
    });
    await program.dispose();
    expect(Array.from(after)).toEqual(Array.from(exact));
  });
});
