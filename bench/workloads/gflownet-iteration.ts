// A complete training iteration of a GFlowNet with the sizes of TFBind8. `gflownet_iteration` of
// rivals/pytorch_iteration.py does the same work. The measured time includes drawing random numbers on the host.

import { compile, RandomStream } from "../../src/engine/index.ts";
import {
  BENCHMARK_ITERATION_STATE,
  benchmarkIteration,
  DEFAULT_BENCHMARK_ITERATION,
} from "../../test/support/benchmark-iteration.ts";
import type { CompiledWorkload, WorkloadOptions } from "./workload.ts";

/** Rollout, reward, dynamics update and policy update on 32 strings of eight letters. */
export async function gflownetIteration({
  hidden,
  engine,
  threads,
}: WorkloadOptions): Promise<CompiledWorkload> {
  const { batch, length, letters } = DEFAULT_BENCHMARK_ITERATION;
  const stream = RandomStream.fromSeed(0);
  const reward = stream.split("reward");
  const logReward = Float32Array.from({ length: letters ** length }, () => Math.log(reward.uniform() + 0.1));
  const { iteration, example, init } = benchmarkIteration(
    { ...DEFAULT_BENCHMARK_ITERATION, hidden },
    logReward,
  );
  const name = "gflownet-iteration";
  const program = await compile(iteration, example, {
    name,
    engine,
    threads,
    state: BENCHMARK_ITERATION_STATE,
  });
  program.write(init(stream.split("init")));
  const noise = stream.split("noise");
  const uniform = new Float32Array(length * batch * (letters + 2)); // [T, B, A + 2]
  return {
    graphs: [program.graph],
    compileSeconds: program.compileSeconds,
    iterate: async () => (await program.run({ uniform: noise.fillUniform(uniform) })).loss[0],
  };
}
