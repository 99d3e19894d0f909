// Trains some iterations of the benchmark workload, in Node or in a browser.

import { compile, type EngineName, RandomStream } from "../../src/engine/index.ts";
import {
  BENCHMARK_ITERATION_STATE,
  benchmarkIteration,
  DEFAULT_BENCHMARK_ITERATION,
} from "../support/benchmark-iteration.ts";

export interface BriefTraining {
  readonly engine: EngineName;
  readonly threads?: number;
  /** Default: 16. */
  readonly hidden?: number;
  /** Default: 600. */
  readonly iterations?: number;
}

/** The losses, one per iteration. */
export async function trainBriefly({
  engine,
  threads,
  hidden = 16,
  iterations = 600,
}: BriefTraining): Promise<number[]> {
  const sizes = { ...DEFAULT_BENCHMARK_ITERATION, hidden, batch: 16, length: 3, learningRate: 1e-2 };
  const { batch, length, letters } = sizes;
  const stream = RandomStream.fromSeed(7);
  const rewards = stream.split("rewards");
  const logReward = Float32Array.from({ length: letters ** length }, () => Math.log(rewards.uniform()));
  const { iteration, example, init } = benchmarkIteration(sizes, logReward);
  const program = await compile(iteration, example, {
    ...{ name: "brief", engine, threads },
    state: BENCHMARK_ITERATION_STATE,
    finite: ["loss"],
  });
  program.write(init(stream.split("init")));
  const draws = stream.split("rollout");
  const uniform = new Float32Array(length * batch * (letters + 2));
  const losses: number[] = [];
  for (let i = 0; i < iterations; i++)
    losses.push((await program.run({ uniform: draws.fillUniform(uniform) })).loss[0]);
  await program.dispose();
  return losses;
}
