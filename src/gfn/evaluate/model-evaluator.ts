// Evaluates a model, during training and afterwards: exactly if its states can be enumerated and a table has all scores, else from samples.

import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards } from "../../math/distances.ts";
import { indexSampler } from "../../math/index-sampler.ts";
import { isThoughtConditioned } from "../policy/history-embedding.ts";
import type { CachedScoreFunction } from "../reward/cached-score-function.ts";
import { sampler } from "../sampling/sampler.ts";
import type { ExactEvaluationEvent, SampledEvaluationEvent } from "../training/events.ts";
import type { Trainer, TrainerOptions } from "../training/trainer.ts";
import { canEnumerateStates } from "./enumerated-states.ts";
import { exactEvaluator } from "./exact-evaluator.ts";
import { heldOutMetrics, importanceSampleSize } from "./held-out.ts";
import { logPairEvaluator } from "./log-pairs.ts";
import { type ModeCountingTask, modeCounter } from "./mode-counts.ts";
import type { ModelParameters } from "./network-tables.ts";
import { sampleMetrics } from "./sample-metrics.ts";

export interface EvaluationOptions {
  /** Objects drawn for a sampled evaluation, and (at most 1000) for counting modes in an exact one. Default: 1000. */
  readonly samples?: number;
  /** Objects that training does not use. If present, sampled evaluations report how well the log-probabilities of these
   * objects follow their rewards, and the effective sample size of the samples. A score function scores them once. */
  readonly heldOutObjects?: readonly string[];
  /** If present, exact evaluations count modes. */
  readonly modes?: ModeCountingTask;
  /** Default: exact if possible. `sampled` saves time if there are many states. */
  readonly evaluation?: "exact" | "sampled";
  /** Whether exact evaluations report the policy and the dynamics model in every state. Default: false. */
  readonly reportTables?: boolean;
}

/** The metrics of an evaluation: exact, or from samples. */
export type Evaluation =
  | Pick<ExactEvaluationEvent, "exact" | "reached" | "limit" | "uniform" | "modes" | "tables">
  | Pick<SampledEvaluationEvent, "exact" | "sampled" | "heldOut" | "oracleCalls">;

export interface ModelEvaluator {
  /** Name of its compiled program; null if it has none. */
  readonly programName: string | null;
  evaluate(parameters: ModelParameters): Promise<Evaluation>;
  dispose(): Promise<void>;
}

export const DEFAULT_SAMPLES = 1000;

/** The model to evaluate, with its rewards: `reward` for a table of scores, `oracle` for a score function. */
export type EvaluatedModel = Pick<Trainer, "model" | "learnsDynamics" | "reward" | "oracle">;

export async function modelEvaluator(
  trained: EvaluatedModel,
  options: TrainerOptions & EvaluationOptions,
): Promise<ModelEvaluator> {
  const { environment, evaluation: kind } = options;
  const canBeExact = canEnumerateStates(trained.model) && trained.reward !== null;
  if (kind === "exact" && !canBeExact) {
    const reason = trained.reward
      ? `the ${isThoughtConditioned(trained.model) ? "histories" : "states"} of ${environment.name} cannot be enumerated`
      : "the scores come from a function";
    throw new RangeError(`evaluation: an exact evaluation is not possible, because ${reason}; use sampled`);
  }
  return canBeExact && kind !== "sampled"
    ? exactModelEvaluator(trained, trained.reward as Float64Array, options)
    : sampledModelEvaluator(trained, options);
}

/** Evaluates a run with a call budget without calls: from the objects that it collected last, or from the known ones if it
 * collected none. Exploration is part of how
 * they were drawn, and the first ones were drawn uniformly. */
export function collectedEvaluator(
  oracle: CachedScoreFunction,
  {
    samples,
    offlineObjects: knownObjects,
  }: Pick<TrainerOptions & EvaluationOptions, "samples" | "offlineObjects">,
): ModelEvaluator {
  const count = checkedSamples(samples);
  return {
    programName: null,
    async evaluate() {
      // Objects that failed or are free have no score that one could average.
      const scored = [...oracle.objects.keys()].filter((at) => Number.isFinite(oracle.scoreAt(at)));
      if (scored.length === 0) throw new RangeError("no object has a score, so there is nothing to evaluate");
      const collected = scored.filter((at) => at >= oracle.known);
      const last = (collected.length > 0 ? collected : scored).slice(-count);
      const texts = last.map((at) => oracle.objects[at]);
      const scores = Float64Array.from(last, (at) => oracle.scoreAt(at));
      return {
        exact: false,
        sampled: sampleMetrics({ texts, scores, knownObjects }),
        oracleCalls: oracle.calls,
      };
    },
    dispose: async () => {},
  };
}

async function exactModelEvaluator(
  { model, learnsDynamics: usesDynamics }: EvaluatedModel,
  reward: Float64Array,
  {
    balance,
    engine,
    threads,
    seed,
    modes,
    samples,
    reportTables = false,
  }: TrainerOptions & EvaluationOptions,
): Promise<ModelEvaluator> {
  // Counting modes must not take longer than the evaluation itself.
  const count = Math.min(checkedSamples(samples), DEFAULT_SAMPLES);
  const evaluator = await exactEvaluator({ model, reward, balance, usesDynamics, engine, threads });
  const { limit, uniform } = evaluator;
  const counter = modes && modeCounter(modes);
  return {
    programName: "evaluate",
    async evaluate(parameters) {
      const { reached, terminals, policy, logDynamics } = await evaluator.evaluate(parameters);
      const tables = reportTables && { tables: { policy, logDynamics } };
      if (!modes || !counter) return { exact: true, reached, limit, uniform, ...tables };
      const drawn = drawTerminals(terminals, count, RandomStream.fromSeed(seed).split("evaluation"));
      const found = counter(
        drawn.map((terminal) => modes.decode(terminal)),
        drawn.map((terminal) => modes.scores[terminal]),
        { policy: terminals, target: evaluator.target },
      );
      return { exact: true, reached, limit, uniform, modes: found, ...tables };
    },
    dispose: () => evaluator.dispose(),
  };
}

async function sampledModelEvaluator(
  trained: EvaluatedModel,
  options: TrainerOptions & EvaluationOptions,
): Promise<ModelEvaluator> {
  const { engine, threads, offlineObjects, seed, scores: table, heldOutObjects = [] } = options;
  const { model, reward, oracle } = trained;
  const count = checkedSamples(options.samples);
  const heldOut = [...new Set(heldOutObjects)];
  const { rewardExponent: exponent, rewardFloor: floor, largestScore: largest } = options;
  const evaluator =
    heldOut.length > 0
      ? logPairEvaluator(
          trained,
          { transform: { exponent, floor, largest }, engine, threads },
          "heldOutObjects",
        )
      : null;
  const target = reward ? normaliseRewards(reward).target : undefined;
  const objects = await sampler(model, { engine, threads, batch: Math.min(count, options.batch) });
  return {
    programName: "sample",
    async evaluate(parameters) {
      const { policy } = parameters;
      // Every evaluation uses the same separate random stream, so that evaluations do not affect training.
      const samples = await objects.sample(policy, count, RandomStream.fromSeed(seed).split("evaluation"));
      const texts = samples.map(({ object }) => object);
      const terminals = samples.map(({ terminal }) => terminal);
      const scores = oracle
        ? await oracle.scores(texts)
        : Float64Array.from(terminals, (terminal) => (table as Float64Array)[terminal]);
      const sampled = sampleMetrics({
        texts,
        scores,
        knownObjects: offlineObjects,
        ...(target && { terminals, target }),
      });
      if (!evaluator) return { exact: false, sampled, oracleCalls: oracle?.calls ?? null };
      const effectiveSampleSize = importanceSampleSize(await evaluator.logPairs(parameters, texts));
      return {
        exact: false,
        sampled: { ...sampled, effectiveSampleSize },
        heldOut: heldOutMetrics(await evaluator.logPairs(parameters, heldOut)),
        oracleCalls: oracle?.calls ?? null,
      };
    },
    async dispose() {
      await objects.dispose();
      await evaluator?.dispose();
    },
  };
}

function checkedSamples(count = DEFAULT_SAMPLES): number {
  if (Number.isInteger(count) && count >= 1) return count;
  throw new RangeError(`samples: must be a whole number from 1 on, got ${count}`);
}

/** Draws terminals from their exact probabilities. */
function drawTerminals(probabilities: Float64Array, count: number, stream: RandomStream): number[] {
  const { indexOf } = indexSampler(probabilities);
  return Array.from({ length: count }, () => indexOf(stream.uniform()));
}
