// Which evaluation a run gets: exact where states can be listed and all scores are known, else from samples.

import { RandomStream } from "../engine/index.ts";
import { normalise } from "./evaluate/distances.ts";
import { exactEvaluator } from "./evaluate/exact-evaluator.ts";
import { canListStates } from "./evaluate/listed-states.ts";
import type { ModelParameters } from "./evaluate/network-tables.ts";
import { type ModesTask, modesCounter } from "./evaluate/run-metrics.ts";
import { sampledMeasures } from "./evaluate/sampled-evaluator.ts";
import type { ExactEvaluationEvent, SampledEvaluationEvent } from "./events.ts";
import { readsThought } from "./reading.ts";
import { sampler } from "./sample.ts";
import type { Trainer, TrainerOptions } from "./trainer.ts";

export interface EvaluationOptions {
  /** Objects drawn for an evaluation that cannot be exact, and (1000 at most) to look for modes in. */
  readonly samples?: number;
  /** Has an exact evaluation count the modes that were found. */
  readonly modes?: ModesTask;
  /** Exact where that is possible, unless `sampled` is asked for: a large space may take long to go through. */
  readonly evaluation?: "exact" | "sampled";
}

type Measured =
  | Pick<ExactEvaluationEvent, "exact" | "reached" | "limit" | "uniform" | "modes">
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
  { objective, engine, threads, seed, modes, samples }: TrainerOptions & EvaluationOptions,
): Promise<Evaluation> {
  // A glance at the modes is not to take longer than the evaluation.
  const count = Math.min(samplesOf(samples), DEFAULT_SAMPLES);
  const reader = await exactEvaluator({
    model,
    reward,
    balance: objective.balance,
    usesDynamics,
    engine,
    threads,
  });
  const { limit, uniform } = reader;
  const counter = modes && modesCounter(modes);
  return {
    program: "evaluate",
    async evaluate(parameters) {
      const { reached, terminals } = await reader.evaluate(parameters);
      if (!modes || !counter) return { exact: true, reached, limit, uniform };
      const drawn = drawTerminals(terminals, count, RandomStream.fromSeed(seed).split("evaluation"));
      const found = counter(
        drawn.map((terminal) => modes.decode(terminal)),
        drawn.map((terminal) => modes.scores[terminal]),
      );
      return { exact: true, reached, limit, uniform, modes: found };
    },
    dispose: () => reader.dispose(),
  };
}

async function fromSamples(
  { model, reward, oracle }: Trainer,
  options: TrainerOptions & EvaluationOptions,
): Promise<Evaluation> {
  const { engine, threads, known, seed, scores: table } = options;
  const count = samplesOf(options.samples);
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

function samplesOf(count = DEFAULT_SAMPLES): number {
  if (Number.isInteger(count) && count >= 1) return count;
  throw new RangeError(`train: samples must be a whole number of at least 1, got ${count}`);
}

/** Draws from exact probabilities: no network is asked, and no random number of training is used. */
function drawTerminals(probabilities: Float64Array, count: number, stream: RandomStream): number[] {
  let sum = 0;
  const upTo = probabilities.map((probability) => {
    sum += probability;
    return sum;
  });
  return Array.from({ length: count }, () => {
    const at = stream.uniform() * sum;
    let low = 0;
    for (let high = upTo.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (upTo[middle] > at) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}
