// A workload that consists only of products of large square matrices. It measures the peak speed of matrix
// multiplication.

import { numpy as np } from "@jax-js/jax";
import { compile, RandomStream, spec } from "../../src/engine/index.ts";
import type { CompiledWorkload, WorkloadOptions } from "./workload.ts";

/** Products per call. With several products, the cost of passing the matrices to the program is negligible. */
const CHAIN = 8;

/** Multiplies a matrix by the same other matrix eight times. */
export async function gemm({ hidden: side, engine, threads }: WorkloadOptions): Promise<CompiledWorkload> {
  function products({ a, b }: Readonly<Record<"a" | "b", np.Array>>) {
    let product = a; // [side, side]
    for (let i = 0; i < CHAIN; i++) product = np.matmul(product, b); // [side, side]
    return { mean: np.mean(product) }; // []
  }
  const square = spec([side, side]);
  const program = await compile(products, { a: square, b: square }, { name: "gemm", engine, threads });
  const stream = RandomStream.fromSeed(0);
  const a = Float32Array.from({ length: side * side }, () => stream.normal()); // [side, side]
  const b = a.map((x) => x / Math.sqrt(side)); // [side, side], scaled so that products keep their magnitude
  return {
    graphs: [program.graph],
    compileSeconds: program.compileSeconds,
    iterate: async () => (await program.run({ a, b })).mean[0],
  };
}
