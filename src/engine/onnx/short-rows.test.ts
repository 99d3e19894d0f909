// Tests of operations on many short rows, which the native engine computes with other operators because its own take rows one by
// one.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { spec } from "../dtype.ts";
import { compile } from "../program.ts";
import { simplify } from "../simplify.ts";
import { type ArrayFunction, trace } from "../trace.ts";
import { lower } from "./lower.ts";

const [ROWS, WIDTH] = [300, 4];
const inputs = { x: spec([ROWS, WIDTH]) };
const X = Float32Array.from({ length: ROWS * WIDTH }, (_, i) => (i * 7) % 5);

const operators = (f: ArrayFunction<"x", "y">) =>
  lower(simplify(trace(f, inputs, "f"))).nodes.map(({ operator }) => operator);

async function computed(f: ArrayFunction<"x", "y">): Promise<number[]> {
  const program = await compile(f, inputs, { name: "f", engine: "native" });
  const { y } = await program.run({ x: X });
  await program.dispose();
  return Array.from(y);
}

test("sums of short rows are a matrix product", async () => {
  const f: ArrayFunction<"x", "y"> = ({ x }) => ({ y: np.sum(x, 1) });
  expect(operators(f)).toContain("MatMul");
  expect(operators(f)).not.toContain("ReduceSum");
  const rows = Array.from({ length: ROWS }, (_, row) => X.slice(row * WIDTH, (row + 1) * WIDTH));
  expect(await computed(f)).toEqual(rows.map((row) => row.reduce((a, b) => a + b)));
});

test("a row of constants is repeated in the model", async () => {
  const f: ArrayFunction<"x", "y"> = ({ x }) => ({
    y: np.equal(x, np.arange(WIDTH).astype(np.float32)).astype(np.float32),
  });
  const { initializers } = lower(simplify(trace(f, inputs, "f")));
  expect(initializers.map(({ shape }) => shape)).toContainEqual([ROWS, WIDTH]);
  expect(await computed(f)).toEqual(Array.from(X, (x, i) => +(x === i % WIDTH)));
});
