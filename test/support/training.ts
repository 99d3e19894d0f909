// A short training run of the benchmark iteration, for tests that compare runs.

import { compile, type EngineName, RandomStream } from "../../src/engine/index.ts";
import {
  BENCHMARK_ITERATION_STATE,
  benchmarkIteration,
  DEFAULT_BENCHMARK_ITERATION,
} from "./benchmark-iteration.ts";

export interface TrainingRequest {
  readonly engine: EngineName;
  readonly iterations: number;
  readonly threads?: number;
  readonly hidden?: number;
  readonly seed?: number;
}

export interface TrainingRecord {
  /** Loss of every iteration. */
  readonly losses: number[];
  /** Parameters of the policy after the last iteration. */
  readonly policy: Float32Array;
}

const LENGTH = 4;

/** Trains on strings of four letters with an artificial reward. Deterministic. */
export async function train(request: TrainingRequest): Promise<TrainingRecord> {
  const { engine, iterations, threads = 1, hidden = 16, seed = 11 } = request;
  const reward = Float32Array.from({ length: 4 ** LENGTH }, (_, k) => Math.sin(k));
  const options = { ...DEFAULT_BENCHMARK_ITERATION, hidden, length: LENGTH };
  const { iteration, example, init } = benchmarkIteration(options, reward);
  const program = await compile(iteration, example, {
    engine,
    threads,
    state: BENCHMARK_ITERATION_STATE,
    finite: ["loss"],
  });
  const root = RandomStream.fromSeed(seed);
  program.write(init(root.split("init")));
  const uniform = new Float32Array(example.uniform.shape.reduce((product, extent) => product * extent, 1));
  const draws = root.split("rollout");
  const losses: number[] = [];
  for (let k = 0; k < iterations; k++) {
    losses.push((await program.run({ uniform: draws.fillUniform(uniform) })).loss[0]);
  }
  const policy = (await program.read("policy")) as Float32Array;
  await program.dispose();
  return { losses, policy };
}
