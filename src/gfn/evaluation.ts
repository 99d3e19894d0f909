// Which evaluation a run gets: exact where states can be listed and all scores are known, else from samples.

import { RandomStream } from "../engine/index.ts";
import { normalise } from "./evaluate/distances.ts";
import { exactEvaluator } from "./evaluate/exact-evaluator.ts";
import { canListStates } from "./evaluate/listed-states.ts";
import type { ModelParameters } from "./evaluate/network-tables.ts";
import { sampledMeasures } from "./evaluate/sampled-evaluator.ts";
import type { ExactEvaluationEvent, SampledEvaluationEvent } from "./events.ts";
import { readsThought } from "./reading.ts";
import { sampler } from "./sample.ts";
import type { Trainer, TrainerOptions } from "./trainer.ts";

export interface EvaluationOptions {
  /** Objects drawn for an evaluation that cannot be exact. */
  readonly samples?: number;
  /** Exact where that is possible, unless `sampled` is asked for: a large space may take long to go through. */
  readonly evaluation?: "exact" | "sampled";
}

type Measured =
  | Pick<ExactEvaluationEvent, "exact" | "reached" | "limit" | "uniform">
  | Pick<SampledEvaluationEvent, "exact" | "sampled" | "oracleCalls">;

export interface Evaluation {
  /** Name of its program. */
  readonly program: string;
  evaluate(parameters: ModelParameters): Promise<Measured>;
  dispose(): Promise<void>;
}

const DEFAULT_SAMPLES = 1000;

export async function evaluation(
  trainer: Trainer,
  options: TrainerOptions & EvaluationOptions,
): Promise<Evaluation> {
  const { environment, evaluation: kind } = options;
  const possible = canListStates(trainer.model) && trainer.reward !== null;
  if (kind === "exact" && !possible) {
    const missing = trainer.reward
      ? `${environment.name} does not list ${readsThought(trainer.model) ? "what a policy that reads has before it" : "its states"}`
      : "scores come from a function";
    throw new RangeError(`train: an exact evaluation is not possible, for ${missing}`);
  }
  return possible && kind !== "sampled"
    ? exactly(trainer, trainer.reward as Float64Array, options)
    : fromSamples(trainer, options);
}

async function exactly(
  { model, learnsDynamics: usesDynamics }: Trainer,
  reward: Float64Array,
  { objective, engine, threads }: TrainerOptions,
): Promise<Evaluation> {
  const reader = await exactEvaluator({
    model,
    reward,
    balance: objective.balance,
    usesDynamics,
    engine,
    threads,
  });
  const { limit, uniform } = reader;
  return {
    program: "evaluate",
    async evaluate(parameters) {
      const { reached } = await reader.evaluate(parameters);
      return { exact: true, reached, limit, uniform };
    },
    dispose: () => reader.dispose(),
  };
}

async function fromSamples(
  { model, reward, oracle }: Trainer,
  options: TrainerOptions & EvaluationOptions,
): Promise<Evaluation> {
  const { samples: count = DEFAULT_SAMPLES, engine, threads, known, seed, scores: table } = options;
  if (!Number.isInteger(count) || count < 1) {
    throw new RangeError(`train: samples must be a whole number of at least 1, got ${count}`);
  }
  const target = reward ? normalise(reward).target : undefined;
  const reader = await sampler(model, { engine, threads, batch: Math.min(count, options.batch) });
  return {
    program: "sample",
    async evaluate({ policy }) {
      // The same random numbers every time, and none of those that train: evaluating changes nothing.
      const samples = await reader.draw(policy, count, RandomStream.fromSeed(seed).split("evaluation"));
      const texts = samples.map(({ object }) => object);
      const terminals = samples.map(({ terminal }) => terminal);
      const scores = oracle
        ? await oracle.scores(texts)
        : Float64Array.from(terminals, (terminal) => (table as Float64Array)[terminal]);
      const sampled = sampledMeasures({ texts, scores, known, ...(target && { terminals, target }) });
      return { exact: false, sampled, oracleCalls: oracle?.calls ?? null };
    },
    dispose: () => reader.dispose(),
  };
}
