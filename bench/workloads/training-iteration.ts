// An iteration of the trainer that `train` uses, on strings with the sizes of TFBind8.
//
// - default: Half of the batch is off-policy, and the policy has a state table.
// - plain: Sizes are those of the engine benchmark. All rows are on-policy, and there is no state table.
// - thought: Like plain, with a policy conditioned on its earlier actions by a transformer.
// - large: Like plain, with three hidden layers, meant for wide ones.
// - long: Strings of 50 letters out of 20, which a function scores.
//
// rivals/pytorch_training.py and rivals/jax_training.py do the same work, with the transformer in pytorch_thought.py and
// jax_thought.py, and long strings in jax_long.py. The measured time includes choosing off-policy strings and drawing random numbers on the host.

import { type Graph, RandomStream, simplify, trace } from "../../src/engine/index.ts";
import type { EnumerableEnvironment } from "../../src/gfn/environment/environment.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { model } from "../../src/gfn/policy/model.ts";
import { rewardsFromScoreTable } from "../../src/gfn/reward/score-table.ts";
import { defaultSettings } from "../../src/gfn/training/defaults.ts";
import { trainingIteration } from "../../src/gfn/training/iteration.ts";
import type { Settings, SettingsInput } from "../../src/gfn/training/settings.ts";
import { modelTrainer, type TrainerOptions } from "../../src/gfn/training/trainer.ts";
import type { CompiledWorkload, WorkloadOptions } from "./workload.ts";

/** Number of iterations over which the learning rates decrease. */
const ITERATIONS = 100_000;

const strings = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.25 });

const longStrings = longSequenceEnvironment({ alphabet: "ACDEFGHIKLMNPQRSTVWY", length: 50, stick: 0.25 });

/** The settings of each training that differ from the defaults. */
const CHANGES = {
  "training-default": (hidden: number): Partial<Settings> => ({
    batch: 128,
    hidden: [hidden, hidden],
    stateTableRateScale: 1,
    dynamicsHidden: [16],
    uniformShare: 0.5,
  }),
  "training-plain": (hidden: number): Partial<Settings> => ({
    batch: 32,
    hidden: [hidden, hidden],
    stateTableRows: 0,
    dynamicsHidden: [hidden, hidden],
    uniformShare: 0,
  }),
  // The transformer has its default sizes: 2 layers, width 64, 4 heads.
  "training-thought": historyConditioned,
  "training-large": (hidden: number): Partial<Settings> => ({
    batch: 32,
    hidden: [hidden, hidden, hidden],
    stateTableRows: 0,
    dynamicsHidden: [64],
    uniformShare: 0,
    epsilon: 0,
  }),
  "training-long": (hidden: number): SettingsInput => ({
    objective: "kl",
    batch: 32,
    hidden: [hidden, hidden],
    stateTableRows: 0,
    dynamicsHidden: [64],
    uniformShare: 0,
    epsilon: 0,
  }),
};

export type TrainingName = keyof typeof CHANGES;

export function defaultTraining(options: WorkloadOptions): Promise<CompiledWorkload> {
  return training(trainingOptions("training-default", options.hidden), options);
}

export function plainTraining(options: WorkloadOptions): Promise<CompiledWorkload> {
  return training(trainingOptions("training-plain", options.hidden), options);
}

export function thoughtTraining(options: WorkloadOptions): Promise<CompiledWorkload> {
  return training(trainingOptions("training-thought", options.hidden), options);
}

export function largeTraining(options: WorkloadOptions): Promise<CompiledWorkload> {
  return training(trainingOptions("training-large", options.hidden), options);
}

/** A perceptron on strings of 50 letters out of 20 that a function scores. */
export function longTraining(options: WorkloadOptions): Promise<CompiledWorkload> {
  return training(trainingOptions("training-long", options.hidden), options);
}

/** Like `thoughtTraining`, with strings of 64 letters that a function scores. */
export function longThoughtTraining(options: WorkloadOptions): Promise<CompiledWorkload> {
  const environment = longSequenceEnvironment({ alphabet: "ACGT", length: 64, stick: 0.25 });
  return training(optionsFor(environment, shareOfA, historyConditioned(options.hidden)), options);
}

/** The options of a trainer on strings with the sizes of TFBind8 and random scores, or on long strings. */
export function trainingOptions(name: TrainingName, hidden: number): TrainerOptions {
  const changes = CHANGES[name](hidden);
  return name === "training-long"
    ? optionsFor(longStrings, shareOfA, changes)
    : optionsFor(strings, randomScores(), changes);
}

function historyConditioned(hidden: number): Partial<Settings> {
  return {
    batch: 32,
    hidden: [hidden, hidden],
    stateTableRows: 0,
    encoder: "thought",
    dynamicsHidden: [hidden, hidden],
    uniformShare: 0,
    epsilon: 0,
  };
}

function shareOfA(texts: readonly string[]): number[] {
  return texts.map((text) => 0.1 + [...text].filter((letter) => letter === "A").length / text.length);
}

/** Random scores for all strings. */
function randomScores(): Float64Array {
  const stream = RandomStream.fromSeed(0);
  return Float64Array.from({ length: 4 ** 8 }, () => stream.uniform() + 0.1);
}

function optionsFor(
  environment: TrainerOptions["environment"],
  scores: TrainerOptions["scores"],
  changes: SettingsInput,
): TrainerOptions {
  const rate = { from: 1e-3, to: 1e-5, shape: "cosine" } as const;
  const settings = defaultSettings(environment, {
    learningRate: rate,
    dynamicsLearningRate: rate,
    ...changes,
  });
  return { ...settings, environment, scores, seed: 0 };
}

async function training(
  options: TrainerOptions,
  { engine, threads }: WorkloadOptions,
): Promise<CompiledWorkload> {
  const started = performance.now();
  const trainer = await modelTrainer({ ...options, engine, threads });
  const compileSeconds = (performance.now() - started) / 1000;
  let t = 0;
  return {
    graphs: graphsOf(options),
    compileSeconds,
    async iterate() {
      const { loss } = await trainer.step(t, progressAt(t));
      t++;
      return loss;
    },
  };
}

/**
 * The programs of an iteration. The trainer keeps its graphs to itself, so they are traced once more, to count their operations.
 */
export function graphsOf({ environment, scores, ...settings }: TrainerOptions): Graph[] {
  const { rewardExponent: exponent, rewardFloor: floor } = settings;
  const table =
    typeof scores === "function"
      ? undefined
      : rewardsFromScoreTable(environment as EnumerableEnvironment, scores, { exponent, floor });
  const { train, rollout, update } = trainingIteration(model(environment, settings), {
    ...settings,
    rewards: table?.logRewards,
  });
  return (table ? [train] : [rollout, update]).map(({ run, example }) => simplify(trace(run, example)));
}

/** The progress of a run of `ITERATIONS` iterations, on which the learning rates depend. */
export function progressAt(t: number): number {
  return Math.min(t / ITERATIONS, 1);
}
