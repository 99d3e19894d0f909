// Tests of printed graphs: readable, complete, and equal for equal traces.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import { expect, test } from "vitest";
import { randomProgram } from "../../test/support/random-program.ts";
import { spec } from "./dtype.ts";
import { printGraph } from "./print.ts";
import { simplify } from "./simplify.ts";
import { type ArrayFunction, trace } from "./trace.ts";

/** One gradient step of linear regression. */
const fit: ArrayFunction = ({ weight, x, target }) => {
  const squaredError = (w: np.Array) => {
    const residual = np.subtract(np.matmul(x, w), target); // [3]
    return np.dot(residual, residual); // []
  };
  const [loss, slope] = valueAndGrad(squaredError)(weight);
  return { loss, weight: np.subtract(weight, np.multiply(slope, 0.1)) };
};
const example = { weight: spec([2]), x: spec([3, 2]), target: spec([3]) };

test("a gradient program prints one line per operation", () => {
  expect(printGraph(simplify(trace(fit, example, "fit")))).toMatchInlineSnapshot(`
    "fit(weight: float32[2], x: float32[3, 2], target: float32[3]) {
      %0: float32[3] = dot(x, weight)
      %1: float32[3] = sub(%0, target)
      %2: float32[] = dot(%1, %1)
      %3: float32[] = constant<1>()
      %4: float32[3] = broadcast<shape=[3], axes=[0]>(%3)
      %5: float32[3, 1] = reshape<shape=[3, 1]>(%4)
      %6: float32[3, 1] = reshape<shape=[3, 1]>(%1)
      %7: float32[3] = dot(%5, %6)
      %8: float32[3] = broadcast<shape=[3], axes=[0]>(%3)
      %9: float32[3, 1] = reshape<shape=[3, 1]>(%8)
      %10: float32[3] = dot(%9, %6)
      %11: float32[3] = add(%7, %10)
      %12: float32[3, 2] = broadcast<shape=[3, 2], axes=[1]>(%11)
      %13: float32[2, 3] = transpose<permutation=[1, 0]>(%12)
      %14: float32[2, 3] = transpose<permutation=[1, 0]>(x)
      %15: float32[2] = dot(%13, %14)
      %16: float32[] = constant<0.1>()
      %17: float32[2] = mul(%15, %16)
      %18: float32[2] = sub(weight, %17)
      return { loss: %2, weight: %18 }
    }"
  `);
});

test("attributes and constants are printed, long constants abbreviated", () => {
  const f: ArrayFunction = ({ i }) => ({
    y: np.take(np.array([0.1, 1 / 3, -2, 1e20]), np.sort(i), 0),
    z: np.pad(np.arange(50).astype(np.float32), [[1, 2]]),
    t: np.less(lax.stopGradient(i), 3),
  });
  expect(printGraph(trace(f, { i: spec([2], "int32") }, "attributes"))).toMatchInlineSnapshot(`
    "attributes(i: int32[2]) {
      %0: float32[4] = constant<0.1 0.3333333 -2 100000000000000000000>()
      %1: int32[50] = constant<0 1 2 3 4 5 … 50 numbers>()
      %2: int32[2] = sort(i)
      %3: float32[2] = gather<axes=[0], outDim=0>(%0, %2)
      %4: float32[50] = cast<dtype=float32>(%1)
      %5: float32[53] = pad<widths=[[1, 2]]>(%4)
      %6: float32[] = constant<3>()
      %7: int32[] = cast<dtype=int32>(%6)
      %8: bool[2] = compare<kind=less>(i, %7)
      return { y: %3, z: %5, t: %8 }
    }"
  `);
});

test("a program without operations prints its inputs and outputs", () => {
  expect(printGraph(trace(({ x }) => ({ x, y: x }), { x: spec([]) }, "same"))).toBe(
    "same(x: float32[]) {\n  return { x: x, y: x }\n}",
  );
});

test("two traces of one function print equally", () => {
  for (let seed = 0; seed < 20; seed++) {
    const { f, example: specs, name } = randomProgram(seed);
    const [first, second] = [0, 1].map(() => trace(f, specs, name));
    expect(printGraph(second)).toBe(printGraph(first));
    expect(printGraph(simplify(second))).toBe(printGraph(simplify(first)));
  }
});

test("every value is defined before its use and has a unique name", () => {
  const lines = printGraph(trace(fit, example)).split("\n").slice(1, -2);
  const defined = new Set(Object.keys(example));
  for (const line of lines) {
    const [results, call] = line.split(" = ");
    const operands = call
      .slice(call.lastIndexOf("(") + 1, -1)
      .split(", ")
      .filter(Boolean);
    for (const operand of operands) expect(defined).toContain(operand);
    for (const [, name] of results.matchAll(/(%\d+):/g)) {
      expect(defined).not.toContain(name);
      defined.add(name);
    }
  }
});
