// Samples objects from a trained policy, without exploration and with the noise of the environment.

import { numpy as np } from "@jax-js/jax";
import { compile, type EngineName, type RandomStream, spec } from "../../engine/index.ts";
import { UserError } from "../../issues.ts";
import { isSequence } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";
import { objectEnvironment } from "../environment/preference.ts";
import type { Model } from "../policy/model.ts";
import { rollout, type Trajectories, trajectoryIndices, uniformsPerStep } from "./rollout.ts";
import type { ActionConditions } from "./template.ts";

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
  /** Samples objects with these policy parameters. `conditions` are required exactly if the sampler is `conditioned`. */
  sample(
    policy: Float32Array,
    count: number,
    stream: RandomStream,
    conditions?: ActionConditions,
  ): Promise<Sample[]>;
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
  /** Whether each call has conditions: a temperature, and a mask of the actions of each step. Default: false. */
  readonly conditioned?: boolean;
}

type Arrays = Readonly<Record<string, np.Array>>;

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
  { engine, threads, batch = DEFAULT_BATCH, greedy, conditioned = false }: SamplerOptions = {},
): Promise<Sampler> {
  const { environment } = model;
  const { maxSteps: T } = environment;
  const shape = [T, batch, uniformsPerStep(environment)];
  const uniform = new Float32Array(shape.reduce((a, b) => a * b));
  const program = await compile(
    ({ policy, uniform, allowed, temperature }: Arrays): Arrays => {
      const behaviour = { greedy, ...(conditioned && { allowed, temperature }) };
      const trajectories = rollout(environment, model.incrementalPolicy(policy, batch), uniform, behaviour);
      return {
        ...trajectoryIndices(trajectories), // [T, B] twice
        terminal: environment.terminalIndex(trajectories.states[T]), // [B]
        ...(conditioned && { stuck: stuckRows(trajectories) }), // [T]
      };
    },
    {
      policy: spec([model.policyLayout.size]),
      uniform: spec(shape),
      ...(conditioned && { allowed: spec([T, environment.actions], "bool"), temperature: spec([]) }),
    },
    { name: "sample", engine, threads },
  );
  return {
    async sample(policy, count, stream, conditions) {
      const samples: Sample[] = [];
      if (conditioned !== (conditions !== undefined)) {
        throw new TypeError(
          "sampler: internal: conditions are required exactly if the sampler is conditioned",
        );
      }
      const given = conditions && {
        allowed: conditions.allowed,
        temperature: Float32Array.of(conditions.temperature),
      };
      while (samples.length < count) {
        const { actions, outcomes, terminal, stuck } = await program.run({
          policy,
          uniform: stream.fillUniform(uniform),
          ...given,
        });
        if (conditioned) checkStuck(environment, stuck);
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

/** Number of trajectories without a legal action before each step, [T]: the mask of the actions may leave none. */
function stuckRows({ allowed, states }: Trajectories): np.Array {
  const counts = allowed.map((mask, t) => {
    const isStuck = np.less(np.sum(mask.astype(np.float32), 1), 0.5).astype(np.float32); // [B] or [1]
    return np.sum(np.multiply(isStuck, states[t].running)).reshape([1]); // [1]
  });
  return np.concatenate(counts, 0); // [T]
}

/** Throws a UserError if the conditions left some trajectory without an action. */
function checkStuck({ name }: Environment, stuck: ArrayLike<number>): void {
  const step = Array.from(stuck).findIndex((count) => count > 0);
  if (step < 0) return;
  const message = `must leave a legal letter at every position of ${name}, but there is none at position ${step + 1} after some of the letters before it`;
  throw new UserError([{ path: "template", code: "range", message }]);
}

/** Text of a thought: letters for a sequence, otherwise the names or indices of the actions, and "stop". */
export function formatThought(given: Environment, thought: readonly number[]): string {
  const environment = objectEnvironment(given);
  const stop = environment.hasStop ? environment.actions - 1 : -1;
  if (isSequence(environment)) return environment.describe(thought.filter((action) => action !== stop));
  const names = environment.actionNames;
  return thought.map((action) => (action === stop ? "stop" : (names?.[action] ?? action))).join(" ");
}
