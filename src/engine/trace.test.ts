// Tests of tracing: recorded graphs, and error messages for functions that cannot be traced.

import { grad, lax, makeJaxpr, numpy as np, valueAndGrad } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { type ArraySpec, spec } from "./dtype.ts";
import { TraceError } from "./errors.ts";
import { interpret } from "./interpret.ts";
import type { Graph } from "./ir.ts";
import { type ArrayFunction, trace } from "./trace.ts";

const specs = { x: spec([4, 4]), i: spec([3], "int32"), t: spec([4], "bool") };

const operations = (graph: Graph) => graph.nodes.map(({ op }) => op);

/** The message that tracing `f`, under the name `net`, fails with. */
function problem(f: ArrayFunction, example: Record<string, ArraySpec> = specs): string {
  try {
    trace(f, example, "net");
  } catch (error) {
    expect(error).toBeInstanceOf(TraceError);
    return (error as Error).message;
  }
  throw new Error("tracing succeeded");
}

describe("unsupported operations", () => {
  const unknown: [operation: string, operands: string, f: ArrayFunction][] = [
    ["cholesky", "float32[4,4]", ({ x }) => ({ y: np.linalg.cholesky(x) })],
    ["lu", "float32[4,4]", ({ x }) => ({ y: np.linalg.inv(x) })],
    [
      "fft",
      "float32[4,4] and float32[4,4]",
      ({ x }) => ({ y: np.fft.fft({ real: x, imag: np.zeros([4, 4]) }).real }),
    ],
    [
      "conv",
      "float32[1,1,4,4] and float32[1,1,2,2]",
      ({ x }) => ({
        y: lax.convGeneralDilated(x.reshape([1, 1, 4, 4]), np.ones([1, 1, 2, 2]), [1, 1], "VALID"),
      }),
    ],
  ];

  test.each(unknown)("the error names the operation %s and its operands", (operation, operands, f) => {
    expect(problem(f)).toMatch(`net: operation ${operation} of ${operands} is not supported by this engine`);
  });
});

describe("mismatched shapes and types", () => {
  const mismatches: [what: string, message: string, f: ArrayFunction][] = [
    [
      "a sum of two shapes",
      "net: add of float32[4, 4] and float32[3]: ",
      ({ x }) => ({ y: np.add(x, np.ones([3])) }),
    ],
    [
      "a sum of two shapes inside a gradient",
      "net: add of float32[4, 4] and float32[3]: ",
      ({ x }) => ({ y: grad((z: np.Array) => np.sum(np.add(z, np.ones([3]))))(x) }),
    ],
    [
      "a matrix product",
      "net: dot: shapes not aligned along contracting dims: [4] != [3]",
      ({ x }) => ({ y: np.matmul(x, np.ones([3, 2])) }),
    ],
    [
      "a concatenation",
      "net: Cannot concatenate arrays float32[4,4] and float32[3,2] along axis 0",
      ({ x }) => ({ y: np.concatenate([x, np.ones([3, 2])], 0) }),
    ],
    ["a reshape", "net: Invalid reshape: [4,4] -> [3,5]", ({ x }) => ({ y: x.reshape([3, 5]) })],
    [
      "float indices",
      "net: gather of float32[4, 4] and float32[2]: indices must be Int32 or Uint32, got float32",
      ({ x }) => ({ y: np.take(x, np.array([0, 1.5]), 0) }),
    ],
    [
      "a float as condition",
      "net: where of float32[4, 4] and float32[4, 4] and float32[4, 4]: Condition must be boolean",
      ({ x }) => ({ y: np.where(x, x, x) }),
    ],
    [
      "bits of floats",
      "net: bit_combine of float32[4, 4] and float32[4, 4]: ",
      ({ x }) => ({ y: np.bitwiseXor(x, x) }),
    ],
    ["a cast to float64", "net: an array of float64[4, 4] appears", ({ x }) => ({ y: x.astype(np.float64) })],
    ["a cast to float16", "net: an array of float16[4, 4] appears", ({ x }) => ({ y: x.astype(np.float16) })],
    ["an error that the function throws", "net: no such letter", () => fail("no such letter")],
  ];

  test.each(mismatches)("the error for %s names function, operation and shapes", (_, message, f) => {
    expect(problem(f).startsWith(message), problem(f)).toBe(true);
  });

  test("a float-only function rejects integers and booleans", () => {
    expect(problem(({ i }) => ({ y: np.log(i) }))).toMatch(/^net: log of int32\[3\]/);
    expect(problem(({ t }) => ({ y: np.sin(t) }))).toMatch(/^net: sin of bool\[4\]/);
  });

  test("a closed-over Float64Array is rejected, and the error recommends float32", () => {
    const table = new Float64Array([1, 2, 3, 4]);
    expect(problem(({ x }) => ({ y: np.add(x, np.array(table)) }))).toMatch(/^net: .*float32/);
  });

  test("inputs of an unsupported dtype are rejected", () => {
    const wide = { x: { shape: [2], dtype: "float64" } } as unknown as Record<string, ArraySpec>;
    expect(problem(({ x }) => ({ y: x }), wide)).toBe(
      "net: input x has dtype float64; use float32, int32, uint32 or bool",
    );
  });

  test.each([[[2, 0]], [[-1]], [[1.5, 2]], [[Number.NaN]]])(
    "inputs with the extents %j are rejected",
    (shape) => {
      expect(problem(({ x }) => ({ y: x }), { x: spec(shape) })).toBe(
        `net: input x must have positive integer extents, got [${shape.join(", ")}]`,
      );
    },
  );
});

describe("the outputs of a function", () => {
  test.each([["a text"], [undefined], [null], [[1, 2]]])("the error for the output %j names it", (y) => {
    expect(problem(() => ({ y }) as never)).toBe("net: output y is not an array");
  });

  test("a function without a return value is rejected", () => {
    expect(problem(() => undefined as never)).toMatch(/^net: .*return/);
  });

  test("numbers and booleans become scalars", () => {
    const graph = trace((() => ({ y: 2.5, z: true })) as never, specs);
    expect(graph.outputs.map(({ value }) => [value.shape, value.dtype])).toEqual([
      [[], "float32"],
      [[], "bool"],
    ]);
    const { y, z } = interpret(graph, { x: new Array(16), i: [0, 0, 0], t: [0, 0, 0, 0] });
    expect([y[0], z[0]]).toEqual([2.5, 1]);
  });

  test("all inputs keep their order and names, including unused ones", () => {
    const graph = trace(({ i }) => ({ j: i, k: i }), specs, "net");
    expect(graph.inputs.map(({ name }) => name)).toEqual(["x", "i", "t"]);
    expect(graph.outputs.map(({ name }) => name)).toEqual(["j", "k"]);
    expect(graph.nodes).toEqual([]);
  });

  test("a graph has the name of its function by default", () => {
    function iteration({ x }: Readonly<Record<string, np.Array>>) {
      return { x };
    }
    expect(trace(iteration, specs).name).toBe("iteration");
    expect(trace((({ x }) => ({ x })) as ArrayFunction, specs).name).toBe("program");
  });
});

describe("jax-js ownership", () => {
  test("a traced value may be used five times without .ref", () => {
    const graph = trace(
      ({ x }) => {
        const s = np.sin(x);
        const slope = grad((z: np.Array) => np.sum(np.multiply(z, np.multiply(z, np.multiply(z, z)))))(s);
        return { y: np.add(np.add(s, s), np.add(np.multiply(s, s), slope)) };
      },
      { x: spec([]) },
    );
    const s = Math.sin(0.7);
    expect(interpret(graph, { x: [0.7] }).y[0]).toBeCloseTo(2 * s + s * s + 4 * s ** 3, 12);
  });

  test("a closed-over array can be used and traced repeatedly", () => {
    const table = np.array([1, 2, 3]);
    const f: ArrayFunction = ({ k }) => ({ y: np.add(np.multiply(table, k), np.multiply(table, table)) });
    for (let round = 0; round < 3; round++) {
      expect([...interpret(trace(f, { k: spec([]) }), { k: [10] }).y]).toEqual([11, 24, 39]);
    }
    expect([...table.dataSync()]).toEqual([1, 2, 3]);
  });

  test("is restored after a trace: a freed array cannot be used", () => {
    trace(({ x }) => ({ y: np.add(x, x) }), specs);
    const array = np.array([1, 2, 3]);
    expect([...array.ref.add(1).dataSync()]).toEqual([2, 3, 4]);
    array.dispose();
    expect(() => array.add(1)).toThrow(/freed/);
  });

  test("is restored after a failed trace", () => {
    expect(() => trace(() => fail("stop"), specs)).toThrow("stop");
    const array = np.array([1, 2, 3]);
    array.dispose();
    expect(() => array.add(1)).toThrow(/freed/);
  });

  test("errors of jax-js are unchanged after a trace", () => {
    expect(() => trace(() => fail("stop"), specs)).toThrow("stop");
    const add = () => makeJaxpr((x: np.Array) => np.add(x, np.ones([3])))(np.ones([2]));
    expect(add).toThrow(/broadcast/);
    expect(add).not.toThrow(TraceError);
  });
});

describe("recorded graphs", () => {
  test("a closed-over array of equal numbers becomes a scalar", () => {
    const graph = trace(({ x }) => ({ y: np.add(x, np.full([4, 4], 3)) }), specs);
    expect(operations(graph)).toEqual(["constant", "broadcast", "add"]);
    expect(graph.nodes[0].outputs[0].shape).toEqual([]);
  });

  test("operands of mixed types get explicit casts", () => {
    const graph = trace(({ x, i }) => ({ y: np.multiply(np.take(x, i, 0), i.reshape([3, 1])) }), specs);
    expect(operations(graph)).toEqual(["gather", "reshape", "cast", "mul"]);
    expect(graph.outputs[0].value.dtype).toBe("float32");
  });

  test("comparisons cast to jax-js's common type: a plain number adapts, int32 wins over uint32", () => {
    const compared = (f: ArrayFunction) => {
      const { nodes } = trace(f, { ...specs, u: spec([3], "uint32") });
      return nodes.find(({ op }) => op === "compare")?.inputs.map(({ dtype }) => dtype);
    };
    expect(compared(({ i, u }) => ({ y: np.less(i, u) }))).toEqual(["int32", "int32"]);
    expect(compared(({ u }) => ({ y: np.less(u, 2) }))).toEqual(["uint32", "uint32"]);
    expect(compared(({ i }) => ({ y: np.less(0.5, i) }))).toEqual(["int32", "int32"]);
    expect(compared(({ x, i }) => ({ y: np.less(np.take(x, i, 0), i.reshape([3, 1])) }))).toEqual([
      "float32",
      "float32",
    ]);
  });

  test("stopGradient adds no node", () => {
    expect(trace(({ x }) => ({ y: lax.stopGradient(x) }), specs).nodes).toEqual([]);
  });

  test("an integer remainder keeps its value inside a differentiated function", () => {
    const graph = trace(
      ({ x }) => {
        const [value] = valueAndGrad((z: np.Array) => {
          const remainder = np
            .floor(z)
            .astype(np.int32)
            .mod(np.array(3, { dtype: np.int32 }));
          return np.sum(np.multiply(remainder.astype(np.float32), z));
        })(x);
        return { value };
      },
      { x: spec([2]) },
    );
    expect(interpret(graph, { x: [4.5, 5.5] }).value[0]).toBe(1 * 4.5 + 2 * 5.5);
  });
});

function fail(message: string): never {
  throw new RangeError(message);
}

test("a shape error before any operation lists the preceding operations", () => {
  const f = ({ x }: Readonly<Record<string, np.Array>>) => ({ y: np.matmul(np.sin(x), np.zeros([3, 3])) });
  expect(() => trace(f, { x: spec([5, 4]) }, "net")).toThrow(
    "net: dot: shapes not aligned along contracting dims: [4] != [3] (after sin gave float32[5, 4], ",
  );
});
