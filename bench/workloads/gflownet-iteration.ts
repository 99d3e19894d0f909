// A whole training iteration of a GFlowNet on TFBind8's sizes. The same work as `gflownet_iteration` of the PyTorch
// rival; drawing the random numbers on the host is part of it.

import { compile, RandomStream } from "../../src/engine/index.ts";
import { benchmarkIteration, DEFAULT_ITERATION, ITERATION_STATE } from "../../src/gfn/benchmark-iteration.ts";
import type { Running, WorkloadOptions } from "./workload.ts";

/** Rollout, reward, dynamics update and policy update on 32 strings of eight letters. */
export async function gflownetIteration({ hidden, engine, threads }: WorkloadOptions): Promise<Running> {
  const { batch, length, letters } = DEFAULT_ITERATION;
  const stream = RandomStream.fromSeed(0);
  const reward = stream.split("reward");
  const logReward = Float32Array.from({ length: letters ** length }, () => Math.log(reward.uniform() + 0.1));
  const { iteration, example, init } = benchmarkIteration({ ...DEFAULT_ITERATION, hidden }, logReward);
  const name = "gflownet-iteration";
  const program = await compile(iteration, example, { name, engine, threads, state: ITERATION_STATE });
  program.write(init(stream.split("init")));
  const noise = stream.split("noise");
  const uniform = new Float32Array(length * batch * (letters + 2)); // [T, B, A + 2]
  return {
    graph: program.graph,
    compileSeconds: program.compileSeconds,
    iterate: async () => (await program.run({ uniform: noise.fillUniform(uniform) })).loss[0],
  };
}
