// Large square matrix products and nothing else: how fast this machine multiplies matrices.

import { numpy as np } from "@jax-js/jax";
import { compile, RandomStream, spec } from "../../src/engine/index.ts";
import type { Running, WorkloadOptions } from "./workload.ts";

/** Products per call, so that passing the matrices in costs next to nothing. */
const CHAIN = 8;

/** A matrix times another one, eight times over. */
export async function gemm({ hidden: side, engine, threads }: WorkloadOptions): Promise<Running> {
  function products({ a, b }: Readonly<Record<"a" | "b", np.Array>>) {
    let product = a; // [side, side]
    for (let i = 0; i < CHAIN; i++) product = np.matmul(product, b); // [side, side]
    return { mean: np.mean(product) }; // []
  }
  const square = spec([side, side]);
  const program = await compile(products, { a: square, b: square }, { name: "gemm", engine, threads });
  const stream = RandomStream.fromSeed(0);
  const a = Float32Array.from({ length: side * side }, () => stream.normal()); // [side, side]
  const b = a.map((x) => x / Math.sqrt(side)); // [side, side], keeps the size of what it multiplies
  return {
    graph: program.graph,
    compileSeconds: program.compileSeconds,
    iterate: async () => (await program.run({ a, b })).mean[0],
  };
}
