import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { type ArrayFunction, spec, trace } from "../src/engine/index.ts";
import { matrixFlops } from "./flops.ts";
import { findJaxPython, scriptPath } from "./python.ts";
import { workloads } from "./workloads/index.ts";

function flopsOf(f: ArrayFunction, ...shapes: number[][]): number {
  return matrixFlops(trace(f, Object.fromEntries(shapes.map((shape, i) => ["xyz"[i], spec(shape)]))));
}

test("a matrix product costs two operations per row, column and contracted element", () => {
  expect(flopsOf(({ x, y }) => ({ z: np.matmul(x, y) }), [3, 5], [5, 7])).toBe(2 * 3 * 5 * 7);
  expect(flopsOf(({ x, y }) => ({ z: np.matmul(x, y) }), [4, 3, 5], [4, 5, 7])).toBe(2 * 4 * 3 * 5 * 7);
});

test("dot products of vectors and elementwise operations are not counted", () => {
  expect(flopsOf(({ x, y }) => ({ z: np.dot(x, y), sum: np.add(x, y) }), [9], [9])).toBe(0);
});

/** FLOPs of the forward product and both backward products of each layer, without the gradient of the input. */
function trainingFlops(rows: number, widths: readonly number[]): number {
  const layers = widths.slice(1).map((width, i) => 2 * rows * widths[i] * width);
  const forward = layers.reduce((sum, flops) => sum + flops);
  return 3 * forward - layers[0];
}

const options = { engine: "jax", threads: 1 } as const;

test.each([64, 128])(
  "the count for the training step of a network of width %i matches the formula",
  async (hidden) => {
    const {
      graphs: [graph],
    } = await workloads["mlp-step"]({ ...options, hidden });
    expect(matrixFlops(graph)).toBe(trainingFlops(256, [32, hidden, hidden, 8]));
  },
);

test("the count for a GFlowNet iteration is rollout, training of two networks and one forward pass", async () => {
  const {
    graphs: [graph],
  } = await workloads["gflownet-iteration"]({ ...options, hidden: 64 });
  const forward = (rows: number, widths: number[]) =>
    widths.slice(1).reduce((sum, width, i) => sum + 2 * rows * widths[i] * width, 0);
  const policy = [32, 64, 64, 9];
  const dynamics = [36, 64, 64, 4];
  const rewardLookup = 2 * 32 * 32;
  expect(matrixFlops(graph)).toBe(
    8 * forward(32, policy) +
      trainingFlops(256, dynamics) +
      forward(256, dynamics) +
      trainingFlops(288, policy) +
      rewardLookup,
  );
});

test("the workload gemm is eight matrix products", async () => {
  const {
    graphs: [graph],
  } = await workloads.gemm({ ...options, hidden: 32 });
  expect(matrixFlops(graph)).toBe(8 * 2 * 32 ** 3);
});

const python = await findJaxPython();

test.skipIf(!python)("the count in a JAX function matches the formula, with all iterations of a loop", () => {
  const program = `
import jax
from jax import numpy as jnp
from jax_flops import matrix_flops
from jax_layers import init_mlp, mlp

params, x = init_mlp(jax.random.key(0), 32, 64, 64, 8), jnp.ones((256, 32))
gradient = jax.grad(lambda params: (mlp(params, x) ** 2).mean())
print(matrix_flops(lambda params: jax.lax.scan(lambda p, _: (gradient(p), None), params, length=3), params))
`;
  const { file } = python as { file: string };
  const output = execFileSync(file, ["-c", program], { cwd: dirname(scriptPath("jax_flops.py")) });
  expect(Number(output.toString())).toBe(3 * trainingFlops(256, [32, 64, 64, 8]));
});
