// An iteration of the trainer that `train` uses, on strings with the sizes of TFBind8.
//
// - default: Half of the batch is off-policy, and the policy has a state table.
// - plain: Sizes are those of the engine benchmark. All rows are on-policy, and there is no state table.
// - thought: Like plain, with a policy conditioned on its earlier actions by a transformer.
//
// rivals/pytorch_training.py, rivals/jax_training.py and rivals/pytorch_thought.py do the same work. The measured time
// includes choosing off-policy strings and drawing random numbers on the host.

import { RandomStream } from "../../src/engine/index.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { defaultSettings } from "../../src/gfn/training/defaults.ts";
import type { Settings } from "../../src/gfn/training/settings.ts";
import { modelTrainer, type TrainerOptions } from "../../src/gfn/training/trainer.ts";
import type { WorkloadOptions, WorkloadWithoutGraph } from "./workload.ts";

/** Number of iterations over which the learning rates decrease. */
const ITERATIONS = 100_000;

const strings = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.25 });

export function defaultTraining(options: WorkloadOptions): Promise<WorkloadWithoutGraph> {
  const { hidden } = options;
  return training(options, {
    batch: 128,
    hidden: [hidden, hidden],
    stateTableRateScale: 1,
    dynamicsHidden: [16],
    uniformShare: 0.5,
  });
}

export function plainTraining(options: WorkloadOptions): Promise<WorkloadWithoutGraph> {
  const { hidden } = options;
  return training(options, {
    batch: 32,
    hidden: [hidden, hidden],
    stateTableRows: 0,
    dynamicsHidden: [hidden, hidden],
    uniformShare: 0,
  });
}

/**
 * Like plain training, with a policy conditioned on its earlier actions by a transformer (default: 2 layers, width 64).
 */
export function thoughtTraining(options: WorkloadOptions): Promise<WorkloadWithoutGraph> {
  return training(options, historyConditioned(options.hidden));
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

/** Like `thoughtTraining`, with strings of 64 letters that a function scores. */
export function longThoughtTraining(options: WorkloadOptions): Promise<WorkloadWithoutGraph> {
  const environment = longSequenceEnvironment({ alphabet: "ACGT", length: 64, stick: 0.25 });
  return training(options, historyConditioned(options.hidden), { environment, scores: shareOfA });
}

function shareOfA(texts: readonly string[]): number[] {
  return texts.map((text) => 0.1 + [...text].filter((letter) => letter === "A").length / text.length);
}

/** Random scores for all strings. */
function randomScores(): Float64Array {
  const stream = RandomStream.fromSeed(0);
  return Float64Array.from({ length: 4 ** 8 }, () => stream.uniform() + 0.1);
}

async function training(
  { engine, threads }: WorkloadOptions,
  changes: Partial<Settings>,
  { environment, scores }: Pick<TrainerOptions, "environment" | "scores"> = {
    environment: strings,
    scores: randomScores(),
  },
): Promise<WorkloadWithoutGraph> {
  const rate = { from: 1e-3, to: 1e-5, shape: "cosine" } as const;
  const settings = defaultSettings(environment, {
    learningRate: rate,
    dynamicsLearningRate: rate,
    ...changes,
  });
  const started = performance.now();
  const trainer = await modelTrainer({ ...settings, environment, scores, seed: 0, engine, threads });
  const compileSeconds = (performance.now() - started) / 1000;
  let t = 0;
  return {
    compileSeconds,
    async iterate() {
      const { loss } = await trainer.step(t, Math.min(t / ITERATIONS, 1));
      t++;
      return loss;
    },
  };
}
