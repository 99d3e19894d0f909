// Trains 600 iterations of the benchmark workload on the jax engine, in Node or in a browser.

import { compile, RandomStream } from "../../src/engine/index.ts";
import {
  BENCHMARK_ITERATION_STATE,
  benchmarkIteration,
  DEFAULT_BENCHMARK_ITERATION,
} from "../support/benchmark-iteration.ts";

const SIZES = { ...DEFAULT_BENCHMARK_ITERATION, hidden: 16, batch: 16, length: 3, learningRate: 1e-2 };

/** The losses, one per iteration. */
export async function trainBriefly(): Promise<number[]> {
  const { batch, length, letters } = SIZES;
  const stream = RandomStream.fromSeed(7);
  const rewards = stream.split("rewards");
  const logReward = Float32Array.from({ length: letters ** length }, () => Math.log(rewards.uniform()));
  const { iteration, example, init } = benchmarkIteration(SIZES, logReward);
  const program = await compile(iteration, example, {
    name: "brief",
    engine: "jax",
    state: BENCHMARK_ITERATION_STATE,
    finite: ["loss"],
  });
  program.write(init(stream.split("init")));
  const draws = stream.split("rollout");
  const uniform = new Float32Array(length * batch * (letters + 2));
  const losses: number[] = [];
  for (let i = 0; i < 600; i++)
    losses.push((await program.run({ uniform: draws.fillUniform(uniform) })).loss[0]);
  await program.dispose();
  return losses;
}
