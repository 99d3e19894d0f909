// Samples objects from a trained policy, without exploration and with the noise of the environment.

import { compile, type EngineName, type RandomStream, spec } from "../../engine/index.ts";
import { isSequence } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";
import type { Model } from "../policy/model.ts";
import { rollout, trajectoryIndices, uniformsPerStep } from "./rollout.ts";

/** A sampled object with the trajectory that led to it. */
export interface Sample {
  /** Text of the sampled object. */
  readonly object: string;
  /** Outcome of each step. */
  readonly outcomes: readonly number[];
  /** Action of each step, including the stop. */
  readonly thought: readonly number[];
  /** Index of the object among the terminals. Without an enumeration it has no meaning. */
  readonly terminal: number;
}

/** Samples objects from the policy of a model. */
export interface Sampler {
  /** Samples objects with these policy parameters. */
  sample(policy: Float32Array, count: number, stream: RandomStream): Promise<Sample[]>;
  /** Frees the compiled program. */
  dispose(): Promise<void>;
}

/** Options of `sampler`. */
export interface SamplerOptions {
  readonly engine?: EngineName;
  readonly threads?: number;
  /** Objects per call of the compiled program. Default: 512. */
  readonly batch?: number;
  /** Take the most probable legal action at every step. The noise of the environment stays on. Default: false. */
  readonly greedy?: boolean;
}

const DEFAULT_BATCH = 512;

/**
 * Compiles the sampler of a model.
 *
 * @example
 * ```ts
 * import { defaultSettings, sequenceEnvironment } from "gflownet";
 * import { RandomStream } from "gflownet/engine";
 * import { model, sampler } from "gflownet/gfn";
 *
 * const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25 });
 * const networks = model(environment, defaultSettings(environment, { hidden: [8] }));
 * const stream = RandomStream.fromSeed(0);
 * const compiled = await sampler(networks, { batch: 16 });
 * const samples = await compiled.sample(networks.policyLayout.init(stream.split("init")), 4, stream);
 * console.log(samples.length, samples.every(({ object }) => /^[AB]{3}$/.test(object))); // 4 true
 * await compiled.dispose();
 * ```
 */
export async function sampler(
  model: Model,
  { engine, threads, batch = DEFAULT_BATCH, greedy }: SamplerOptions = {},
): Promise<Sampler> {
  const { environment } = model;
  const { maxSteps: T } = environment;
  const shape = [T, batch, uniformsPerStep(environment)];
  const uniform = new Float32Array(shape.reduce((a, b) => a * b));
  const program = await compile(
    ({ policy, uniform }) => {
      const trajectories = rollout(environment, model.incrementalPolicy(policy), uniform, { greedy });
      return {
        ...trajectoryIndices(trajectories), // [T, B] twice
        terminal: environment.terminalIndex(trajectories.states[T]), // [B]
      };
    },
    { policy: spec([model.policyLayout.size]), uniform: spec(shape) },
    { name: "sample", engine, threads },
  );
  return {
    async sample(policy, count, stream) {
      const samples: Sample[] = [];
      while (samples.length < count) {
        const { actions, outcomes, terminal } = await program.run({
          policy,
          uniform: stream.fillUniform(uniform),
        });
        for (let row = 0; row < batch && samples.length < count; row++) {
          const column = (indices: ArrayLike<number>) =>
            Array.from({ length: T }, (_, t) => indices[t * batch + row]).filter((index) => index >= 0);
          const rowOutcomes = column(outcomes);
          samples.push({
            object: environment.describe(rowOutcomes),
            outcomes: rowOutcomes,
            thought: column(actions),
            terminal: terminal[row],
          });
        }
      }
      return samples;
    },
    dispose: () => program.dispose(),
  };
}

/** Text of a thought: letters for a sequence, otherwise the names or indices of the actions, and "stop". */
export function formatThought(environment: Environment, thought: readonly number[]): string {
  const stop = environment.hasStop ? environment.actions - 1 : -1;
  if (isSequence(environment)) return environment.describe(thought.filter((action) => action !== stop));
  const names = environment.actionNames;
  return thought.map((action) => (action === stop ? "stop" : (names?.[action] ?? action))).join(" ");
}
