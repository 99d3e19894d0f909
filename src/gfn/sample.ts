// Drawing objects from a trained policy, with the environment's noise on and no exploration.

import { compile, type EngineName, type RandomStream, spec } from "../engine/index.ts";
import type { Environment } from "./environment.ts";
import { isStrings } from "./environments/kind.ts";
import type { Model } from "./model.ts";
import { numbersOf, rollout, uniformsPerStep } from "./rollout.ts";

export interface Sample {
  /** What came out. */
  readonly object: string;
  /** The outcomes that led there. */
  readonly way: readonly number[];
  /** What was intended at each step, a stop included. */
  readonly thought: readonly number[];
  /** Its number among the terminals, where the environment numbers them. */
  readonly terminal: number;
}

export interface Sampler {
  draw(policy: Float32Array, count: number, stream: RandomStream): Promise<Sample[]>;
  dispose(): Promise<void>;
}

export interface SamplerOptions {
  readonly engine?: EngineName;
  readonly threads?: number;
  /** Objects drawn at once. */
  readonly batch?: number;
  /** At every step the likeliest legal intention instead of a draw. The environment's noise stays on. */
  readonly greedy?: boolean;
}

const LARGEST_BATCH = 512;

export async function sampler(
  model: Model,
  { engine, threads, batch = LARGEST_BATCH, greedy }: SamplerOptions = {},
): Promise<Sampler> {
  const { environment } = model;
  const { maxSteps: T } = environment;
  const shape = [T, batch, uniformsPerStep(environment)];
  const uniform = new Float32Array(shape.reduce((a, b) => a * b));
  const program = await compile(
    ({ policy, uniform }) => {
      const episodes = rollout(environment, model.policyAlong(policy), uniform, { greedy });
      return { ...numbersOf(episodes), terminal: environment.terminalIndex(episodes.states[T]) }; // [T, B] twice, [B]
    },
    { policy: spec([model.policyLayout.size]), uniform: spec(shape) },
    { name: "sample", engine, threads },
  );
  return {
    async draw(policy, count, stream) {
      const samples: Sample[] = [];
      while (samples.length < count) {
        const { actions, outcomes, terminal } = await program.run({
          policy,
          uniform: stream.fillUniform(uniform),
        });
        for (let row = 0; row < batch && samples.length < count; row++) {
          const column = (numbers: ArrayLike<number>) =>
            Array.from({ length: T }, (_, t) => numbers[t * batch + row]).filter((number) => number >= 0);
          const way = column(outcomes);
          samples.push({
            object: environment.describe(way),
            way,
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

/** What was intended, for people: letters for strings, otherwise the numbers of the intentions, and "stop". */
export function thoughtText(environment: Environment, thought: readonly number[]): string {
  const stop = environment.stops ? environment.actions - 1 : -1;
  if (isStrings(environment)) return environment.describe(thought.filter((action) => action !== stop));
  return thought.map((action) => (action === stop ? "stop" : action)).join(" ");
}
