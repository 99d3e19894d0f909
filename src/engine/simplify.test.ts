// Tests of each simplification rule, and that all of them together keep the results.

import { grad, lax, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { relativeDifference } from "../../test/support/difference.ts";
import { randomProgram } from "../../test/support/random-program.ts";
import { spec } from "./dtype.ts";
import { interpret } from "./interpret.ts";
import type { Graph } from "./ir.ts";
import { printGraph } from "./print.ts";
import { simplify } from "./simplify.ts";
import { type ArrayFunction, trace } from "./trace.ts";

const specs = { x: spec([3, 4]), y: spec([3, 4]), row: spec([4]) };
const inputs = {
  x: Float32Array.from({ length: 12 }, (_, k) => Math.sin(k + 1)),
  y: Float32Array.from({ length: 12 }, (_, k) => 2 + Math.cos(k)),
  row: Float32Array.of(0.5, -1, 2, 0.25),
};

const operations = (graph: Graph) => graph.nodes.map(({ op }) => op);

/** Operations of the simplified graph of a function. Checks that its results are unchanged. */
function remaining(f: ArrayFunction): string[] {
  const traced = trace(f, specs);
  const simplified = simplify(traced);
  const [before, after] = [traced, simplified].map((graph) => interpret(graph, inputs));
  for (const name in before) expect(relativeDifference(after[name], before[name]), name).toBeLessThan(1e-6);
  return operations(simplified);
}

describe("unused nodes", () => {
  test("are dropped", () => {
    expect(
      remaining(({ x, y }) => {
        np.exp(np.matmul(x, np.transpose(y)));
        return { z: np.sin(x) };
      }),
    ).toEqual(["sin"]);
  });

  test("are kept if one of several outputs is used", () => {
    expect(remaining(({ x }) => ({ z: np.split(x, [1], 1)[1] }))).toEqual(["split"]);
  });
});

describe("repeated constants", () => {
  test("as a condition select a branch of where", () => {
    expect(
      remaining(({ x, y }) => ({ z: np.sin(np.where(np.ones([1, 4], { dtype: np.bool }), x, y)) })),
    ).toEqual(["sin"]);
    expect(
      remaining(({ x, y }) => ({ z: np.cos(np.where(np.zeros([1, 4], { dtype: np.bool }), x, y)) })),
    ).toEqual(["cos"]);
  });

  test("that are equal stay one scalar when concatenated", () => {
    const joined = () => np.concatenate([np.ones([1, 4]), np.ones([2, 4])], 0); // [3, 4]
    expect(remaining(({ x }) => ({ z: np.sin(np.multiply(x, joined())) }))).toEqual(["sin"]);
  });

  test("that differ keep the concatenation", () => {
    const joined = () => np.concatenate([np.ones([1, 4]), np.zeros([2, 4])], 0); // [3, 4]
    expect(remaining(({ x }) => ({ z: np.multiply(x, joined()) }))).toContain("concatenate");
  });
});

describe("common subexpressions", () => {
  test("are computed once", () => {
    expect(remaining(({ x }) => ({ z: np.add(np.sin(x), np.exp(np.sin(x))) }))).toEqual([
      "sin",
      "exp",
      "add",
    ]);
  });

  test("are found in either order of a commutative operation", () => {
    expect(remaining(({ x, y }) => ({ z: np.sin(np.add(x, y)), w: np.cos(np.add(y, x)) }))).toEqual([
      "add",
      "sin",
      "cos",
    ]);
  });

  test("with different attributes are not shared", () => {
    expect(remaining(({ x }) => ({ z: np.sum(x, 0), w: np.sum(x, 1), m: np.max(x, 0) }))).toEqual([
      "reduce",
      "reduce",
      "reduce",
    ]);
    expect(remaining(({ x, y }) => ({ z: np.less(x, y), w: np.less(y, x) }))).toEqual(["compare", "compare"]);
  });

  test("share small constants, but never 0 with -0", () => {
    const constants = remaining(({ x }) => ({
      z: np.multiply(x, 0.5),
      w: np.add(x, 0.5),
      v: np.maximum(x, 2),
    }));
    expect(constants.filter((op) => op === "constant")).toHaveLength(2);
    const [zero, minus] = [0, -0].map((x) => np.array(Float32Array.of(x, 1)));
    const signs = interpret(simplify(trace(() => ({ zero, minus }), specs)), inputs);
    expect([signs.zero[0], signs.minus[0]]).toEqual([0, -0]);
  });

  test("exclude broadcasts: each consumer keeps a separate one", () => {
    const wide = (row: np.Array) => np.broadcastTo(row, [3, 4]);
    expect(remaining(({ row }) => ({ z: np.sin(wide(row)), w: np.cos(wide(row)) }))).toEqual([
      "broadcast",
      "sin",
      "broadcast",
      "cos",
    ]);
  });
});

describe("constants", () => {
  test("are folded through all operations on constants alone", () => {
    const table = np.array([9, 1, 4]);
    const index = np.array([2, 0], { dtype: np.int32 });
    expect(
      remaining(() => ({
        z: np.sum(np.exp(np.take(np.sort(np.sqrt(table)), index, 0))),
        w: table.reshape([3, 1]),
      })),
    ).toEqual(["constant", "constant"]);
  });

  test("are folded in float32, as the engines compute", () => {
    const graph = simplify(
      trace(() => ({ z: np.multiply(np.array([0.1, 0.2]), np.array([0.3, 0.7])) }), specs),
    );
    expect([...interpret(graph, inputs).z]).toEqual([
      Math.fround(Math.fround(0.1) * Math.fround(0.3)),
      Math.fround(Math.fround(0.2) * Math.fround(0.7)),
    ]);
  });

  test("are not folded if the result is large", () => {
    const table = np.array(Float32Array.from({ length: 300 }, (_, k) => k));
    const outer = remaining(() => ({ z: np.multiply(table.reshape([300, 1]), table) }));
    expect(outer).toContain("mul");
  });

  test("that repeat one number stay broadcasts", () => {
    expect(remaining(() => ({ z: np.ones([3, 4]) }))).toEqual(["constant", "broadcast"]);
  });
});

describe("movement without effect", () => {
  const nothing: [name: string, f: ArrayFunction][] = [
    ["a reshape to the same shape", ({ x }) => ({ z: x.reshape([3, 4]) })],
    ["a reshape and back", ({ x }) => ({ z: x.reshape([2, 6]).reshape([3, 4]) })],
    ["a transpose and back", ({ x }) => ({ z: np.transpose(np.transpose(x)) })],
    ["a transpose that keeps the order", ({ x }) => ({ z: np.transpose(x, [0, 1]) })],
    ["a slice of everything", ({ x }) => ({ z: x.slice([0, 3], [0, 4]) })],
    ["a pad of nothing", ({ x }) => ({ z: np.pad(x, 0) })],
    ["a broadcast to the same shape", ({ x }) => ({ z: np.broadcastTo(x, [3, 4]) })],
    ["a cast to the same type", ({ x }) => ({ z: x.astype(np.float32) })],
    ["a concatenation of one array", ({ x }) => ({ z: np.concatenate([x], 0) })],
    ["a split into one part", ({ x }) => ({ z: np.split(x, 1, 0)[0] })],
    ["a flip of no axis", ({ x }) => ({ z: np.flip(x, []) })],
  ];

  test.each(nothing)("%s is removed", (_, f) => {
    expect(remaining(f)).toEqual([]);
  });

  test("several reshapes or transposes in a row become one", () => {
    expect(remaining(({ x }) => ({ z: x.reshape([2, 6]).reshape([12]).reshape([4, 3]) }))).toEqual([
      "reshape",
    ]);
    const turns = ({ x }: Readonly<Record<string, np.Array>>) => ({
      z: np.transpose(np.transpose(x.reshape([3, 2, 2]), [1, 2, 0]), [1, 0, 2]),
    });
    expect(remaining(turns)).toEqual(["reshape", "transpose"]);
  });
});

describe("arithmetic", () => {
  const rules: [rule: string, remaining: string[], f: ArrayFunction][] = [
    ["x + 0 is x", [], ({ x }) => ({ z: np.add(x, np.zeros([3, 4])) })],
    ["0 + x is x", [], ({ x }) => ({ z: np.add(np.zeros([3, 4]), x) })],
    ["x · 1 is x", [], ({ x }) => ({ z: np.multiply(x, np.ones([3, 1])) })],
    ["1 · x is x", [], ({ x }) => ({ z: np.multiply(np.ones([4]), x) })],
    ["x · −1 is −x", ["neg"], ({ x }) => ({ z: np.multiply(x, -1) })],
    ["−(−x) is x", [], ({ x }) => ({ z: np.negative(np.negative(x)) })],
    ["x + (−y) is x − y", ["sub"], ({ x, y }) => ({ z: np.add(x, np.negative(y)) })],
    ["(−y) + x is x − y", ["sub"], ({ x, y }) => ({ z: np.add(np.negative(y), x) })],
    ["−(x − y) is y − x", ["sub"], ({ x, y }) => ({ z: np.negative(np.subtract(x, y)) })],
    ["x · (1 / y) is x / y", ["div"], ({ x, y }) => ({ z: np.multiply(x, np.reciprocal(y)) })],
    ["(1 / y) · x is x / y", ["div"], ({ x, y }) => ({ z: np.multiply(np.reciprocal(y), x) })],
  ];

  test.each(rules)("%s", (_, expected, f) => {
    expect(remaining(f)).toEqual(expected);
  });

  test.each<[name: string, of: (zero: np.Array, y: np.Array) => np.Array]>([
    ["itself", (zero) => zero],
    ["its product with anything", (zero, y) => np.multiply(np.exp(y), zero)],
    ["its negative", (zero) => np.negative(zero)],
    ["its sum along an axis, broadcast", (zero, y) => np.multiply(np.sum(zero, 1, { keepdims: true }), y)],
    ["sums of such terms", (zero, y) => np.add(np.multiply(zero, y), np.negative(zero))],
  ])("x − x is dropped from a sum: %s", (_, of) => {
    expect(remaining(({ x, y }) => ({ z: np.add(np.sin(y), of(np.subtract(x, x), y)) }))).toEqual(["sin"]);
  });

  test("a term that is not linear in x − x is kept", () => {
    const f: ArrayFunction = ({ x, y }) => ({ z: np.add(np.sin(y), np.cos(np.subtract(x, x))) });
    expect(remaining(f)).toContain("cos");
    const largest: ArrayFunction = ({ x, y }) => ({ z: np.add(y, np.maximum(np.subtract(x, x), y)) });
    expect(remaining(largest)).toContain("max");
  });

  test("keeps a zero or a one if the result takes its shape from it", () => {
    expect(remaining(({ row }) => ({ z: np.add(row, np.zeros([3, 4])) }))).toContain("add");
    expect(remaining(({ row }) => ({ z: np.multiply(np.ones([3, 4]), row) }))).toContain("mul");
  });

  test("keeps a reciprocal with other uses", () => {
    const shared = remaining(({ x, y }) => {
      const r = np.reciprocal(y);
      return { z: np.multiply(x, r), w: np.sin(r) };
    });
    expect(shared).toEqual(["reciprocal", "mul", "sin"]);
  });
});

describe("splits and concatenations", () => {
  test("a split of a part of a split is merged into the outer split", () => {
    const f: ArrayFunction = ({ x }) => {
      const [first, rest] = np.split(x, [1], 1);
      const [second, third] = np.split(rest, [1], 1);
      return { first, second, third };
    };
    expect(remaining(f)).toEqual(["split"]);
    expect(
      remaining(({ row }) => ({
        z: np.add(...(np.split(np.concatenate([row, row, row]), 12) as [np.Array, np.Array])),
      })),
    ).toEqual(["concatenate", "split", "add"]);
  });

  test("a split along another axis, or of a part with two uses, is not merged", () => {
    const across: ArrayFunction = ({ x }) => {
      const [, rest] = np.split(x, [1], 1);
      return { z: np.split(rest, [1], 0)[0] };
    };
    expect(remaining(across)).toEqual(["split", "split"]);
    const twice: ArrayFunction = ({ x }) => {
      const [, rest] = np.split(x, [1], 1);
      return { rest, z: np.split(rest, [1], 1)[0] };
    };
    expect(remaining(twice)).toEqual(["split", "split"]);
  });

  test("splits of one array are merged if one of them has every used part", () => {
    const f: ArrayFunction = ({ row }) => {
      const [head] = np.split(row, [1]);
      const [first, second, rest] = np.split(row, [1, 2]);
      return { head: np.sin(head), first: np.cos(first), second, rest };
    };
    expect(remaining(f)).toEqual(["split", "sin", "cos"]);
  });

  test("splits of one array are not merged if one cuts a part of the other, or along another axis", () => {
    const f: ArrayFunction = ({ row }) => {
      const [, tail] = np.split(row, [1]);
      return { tail, second: np.split(row, [1, 2])[1] };
    };
    expect(remaining(f)).toEqual(["split", "split"]);
    const across: ArrayFunction = ({ x }) => ({ z: np.split(x, [1], 0)[0], w: np.split(x, [1], 1)[0] });
    expect(remaining(across)).toEqual(["split", "split"]);
  });

  test("a split of a concatenation becomes its operands, if the split cuts none of them", () => {
    const f = (cuts: number[]): ArrayFunction => {
      return ({ x, y }) => {
        const parts = np.split(np.concatenate([x, y, np.sin(x)], 0), cuts, 0);
        return Object.fromEntries(parts.map((part, i) => [`part${i}`, part]));
      };
    };
    expect(remaining(f([3, 6]))).toEqual(["sin"]);
    expect(remaining(f([3]))).toEqual(["sin", "concatenate"]);
    expect(remaining(f([3, 5]))).toEqual(["sin", "concatenate", "split"]);
    expect(remaining(f([4]))).toEqual(["sin", "concatenate", "split"]);
  });

  test("nested concatenations are merged", () => {
    const f: ArrayFunction = ({ x, y }) => ({
      z: np.concatenate([np.concatenate([x, y], 0), np.concatenate([y, x, x], 0)], 0),
    });
    expect(remaining(f)).toEqual(["concatenate"]);
  });

  test("a concatenation along another axis, or with two uses, is not merged", () => {
    const f: ArrayFunction = ({ x, y }) => ({
      z: np.concatenate([np.concatenate([x, y], 1), np.concatenate([y, x], 1)], 0),
    });
    expect(remaining(f)).toEqual(["concatenate", "concatenate", "concatenate"]);
    const twice: ArrayFunction = ({ x, y }) => {
      const inner = np.concatenate([x, y], 0);
      return { inner, z: np.concatenate([inner, x], 0) };
    };
    expect(remaining(twice)).toEqual(["concatenate", "concatenate"]);
  });
});

describe("a hand-written derivative", () => {
  /** The value is sin(x) and the hand-written derivative is exp(x). */
  const handWritten = (x: np.Array) => {
    const zero = np.subtract(x, lax.stopGradient(x));
    return np.add(lax.stopGradient(np.sin(x)), np.multiply(zero, lax.stopGradient(np.exp(x))));
  };

  test("adds no operation to the value", () => {
    expect(remaining(({ x }) => ({ z: handWritten(x) }))).toEqual(["sin"]);
    expect(remaining(({ x }) => ({ z: np.multiply(handWritten(np.multiply(x, 2)), x) }))).toEqual([
      "constant",
      "mul",
      "sin",
      "mul",
    ]);
  });

  test("is the only operation of the gradient", () => {
    const slope: ArrayFunction = ({ x }) => ({ z: grad((a: np.Array) => np.sum(handWritten(a)))(x) });
    expect(remaining(slope)).toEqual(["exp"]);
    const { z } = interpret(simplify(trace(slope, specs)), inputs);
    expect(relativeDifference(z, inputs.x.map(Math.exp))).toBeLessThan(1e-6);
  });
});

describe("all rules together", () => {
  const programs = Array.from({ length: 100 }, (_, seed) => randomProgram(seed));

  test("keep the results of 100 random programs", () => {
    for (const { name, f, example, inputs: data } of programs) {
      const traced = trace(f, example, name);
      const simplified = simplify(traced);
      const [before, after] = [interpret(traced, data), interpret(simplified, data)];
      expect(Object.keys(after)).toEqual(Object.keys(before));
      for (const key in before) {
        expect(relativeDifference(after[key], before[key]), `${name} ${key}`).toBeLessThan(1e-5);
      }
    }
  });

  test("never add nodes, and change nothing when applied again", () => {
    for (const { f, example } of programs) {
      const traced = trace(f, example);
      const simplified = simplify(traced);
      expect(simplified.nodes.length).toBeLessThanOrEqual(traced.nodes.length);
      expect(printGraph(simplify(simplified))).toBe(printGraph(simplified));
    }
  });
});
