// Tests of hoisting: which operations move before a split, and which stay on its parts.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { relativeDifference } from "../../test/support/difference.ts";
import { spec } from "./dtype.ts";
import { hoistAboveSplits } from "./hoist.ts";
import { interpret } from "./interpret.ts";
import { printGraph } from "./print.ts";
import { simplify } from "./simplify.ts";
import { type ArrayFunction, trace } from "./trace.ts";

const specs = { x: spec([8, 3]), row: spec([3]), column: spec([2, 1]), layers: spec([2, 1, 3]) };
const inputs = {
  x: Float32Array.from({ length: 24 }, (_, k) => 0.5 + 0.4 * Math.sin(k + 1)),
  row: Float32Array.of(0.5, -1, 2),
  column: Float32Array.of(3, -2),
  layers: Float32Array.of(1, -1, 2, 0.5, 3, -2),
};

/** Counts of the operations in the simplified graph of a function. Checks that its results are unchanged. */
function remaining(f: ArrayFunction): Record<string, number> {
  const traced = trace(f, specs);
  const simplified = simplify(traced);
  const [before, after] = [traced, simplified].map((graph) => interpret(graph, inputs));
  for (const name in before) expect(relativeDifference(after[name], before[name]), name).toBeLessThan(1e-6);
  expect(printGraph(simplify(simplified))).toBe(printGraph(simplified));
  const counts: Record<string, number> = {};
  for (const { op } of simplified.nodes) counts[op] = (counts[op] ?? 0) + 1;
  return counts;
}

/** Applies a function to each of four parts of x, [2, 3] each, with one output per part. */
const onParts =
  (of: (part: np.Array, arrays: Readonly<Record<string, np.Array>>, i: number) => np.Array): ArrayFunction =>
  (arrays) =>
    Object.fromEntries(np.split(arrays.x, 4, 0).map((part, i) => [`y${i}`, of(part, arrays, i)]));

describe("an operation on all parts of a split", () => {
  test("is hoisted above the split", () => {
    expect(remaining(onParts((part) => np.log(np.negative(np.log(part)))))).toEqual({
      log: 2,
      neg: 1,
      split: 1,
    });
  });

  test("may have constants and shared rows as operands", () => {
    expect(remaining(onParts((part, { row }) => np.multiply(np.add(part, 2), row)))).toEqual({
      constant: 1,
      add: 1,
      mul: 1,
      split: 1,
    });
  });

  test("may have an operand with more axes than the parts", () => {
    expect(remaining(onParts((part, { layers }) => np.sin(np.multiply(part, layers))))).toEqual({
      mul: 1,
      sin: 1,
      split: 1,
    });
  });

  test("may be a split along another axis with unused parts", () => {
    expect(remaining(onParts((part) => np.sin(np.split(part, [2], 1)[1])))).toEqual({ split: 2, sin: 1 });
  });

  test("may have the part as both operands", () => {
    expect(remaining(onParts((part) => np.multiply(part, part)))).toEqual({ mul: 1, split: 1 });
  });

  test("may be one of several operations on each part, which are all hoisted", () => {
    const both = remaining(({ x }) =>
      Object.fromEntries(
        np.split(x, 4, 0).flatMap((part, i) => [
          [`sin${i}`, np.sin(part)],
          [`cos${i}`, np.cos(part)],
        ]),
      ),
    );
    expect(both).toEqual({ sin: 1, cos: 1, split: 2 });
  });

  test("leaves only one split if its results are split again", () => {
    const rows: ArrayFunction = ({ x }) => {
      const parts = np.split(x, 4, 0).flatMap((part) => np.split(np.sin(part), 2, 0));
      return Object.fromEntries(parts.map((part, i) => [`y${i}`, part]));
    };
    expect(remaining(rows)).toEqual({ sin: 1, split: 1 });
  });

  test("may have two parts as operands, and is then hoisted for only one of them", () => {
    const products: ArrayFunction = ({ row }) => {
      // Broadcasts are not shared, so there are two equal splits.
      const [p, q] = [0, 1].map(() => np.split(np.broadcastTo(row, [2, 3]), 3, 1));
      const pairs = [
        [p[0], q[0]],
        [p[0], p[1]],
        [p[1], q[1]],
        [p[2], p[0]],
        [p[2], p[1]],
      ];
      return Object.fromEntries(pairs.map(([a, b], i) => [`y${i}`, np.multiply(a, b)]));
    };
    const made = hoistAboveSplits(trace(products, specs)).nodes.flatMap(({ outputs }) => outputs);
    expect(new Set(made).size).toBe(made.length);
    expect(remaining(products)).toMatchObject({ mul: 3 });
  });

  test("may be applied to the last part first", () => {
    const backwards: ArrayFunction = ({ x, row }) => {
      const parts = np.split(x, 4, 0);
      const results: Record<string, np.Array> = {};
      let carried = row; // [3]
      for (const i of [3, 2, 1, 0]) {
        carried = np.add(np.sum(np.exp(parts[i]), 0), np.sin(carried)); // [3]
        results[`y${i}`] = carried;
      }
      return results;
    };
    expect(remaining(backwards)).toMatchObject({ exp: 1, sin: 4, reduce: 4 });
  });
});

describe("is not hoisted:", () => {
  test("an operation on some parts only", () => {
    expect(remaining(onParts((part, _, i) => (i === 2 ? np.cos(part) : np.sin(part))))).toMatchObject({
      sin: 3,
      cos: 1,
    });
  });

  test("an operation with a different constant per part", () => {
    expect(remaining(onParts((part, _, i) => np.add(part, i + 1)))).toMatchObject({ add: 4 });
  });

  test("an operation with constants that differ in the sign of infinity or zero", () => {
    const signs = [Infinity, -Infinity, 0, -0];
    const below = onParts((part, _, i) => np.less(np.subtract(part, part), signs[i]).astype(np.float32));
    expect(remaining(below)).toMatchObject({ compare: 4 });
  });

  test("an operation with an operand that varies along the split axis", () => {
    expect(remaining(onParts((part, { column }) => np.multiply(part, column)))).toMatchObject({ mul: 4 });
  });

  test("a split into at least as many parts as the outer split", () => {
    const inTurn = (rows: number): ArrayFunction => {
      return ({ x }) => {
        const parts = np.split(x, rows, 0).flatMap((part) => np.split(part, 3, 1));
        return Object.fromEntries(parts.map((part, i) => [`y${i}`, part]));
      };
    };
    expect(remaining(inTurn(2))).toEqual({ split: 3 });
    expect(remaining(inTurn(4))).toEqual({ split: 4 });
    expect(remaining(inTurn(8))).toEqual({ split: 4 });
  });

  test("an operation on the parts of a split into two", () => {
    const halves: ArrayFunction = ({ x }) => {
      const [a, b] = np.split(x, 2, 0);
      return { a: np.sin(a), b: np.sin(b) };
    };
    expect(remaining(halves)).toEqual({ split: 1, sin: 2 });
  });
});
