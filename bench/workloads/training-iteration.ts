// An iteration of real training, as `train` drives it, on TFBind8's strings: with the default settings but for what is
// said here (half of the batch given, a memory), and plain (the sizes of the engine's benchmark, no memory, all rows
// drawn), and plain with a transformer over the thought. The same work as rivals/pytorch_training.py,
// rivals/jax_training.py and rivals/pytorch_thought.py. Choosing the given strings and
// drawing the random numbers on the host is part of it.
//
// All use of the trainer is in this file.

import { RandomStream } from "../../src/engine/index.ts";
import { defaultSettings } from "../../src/gfn/defaults.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../../src/gfn/environments/sequence.ts";
import type { Settings } from "../../src/gfn/settings.ts";
import { createTrainer, type TrainerOptions } from "../../src/gfn/trainer.ts";
import type { Opaque, WorkloadOptions } from "./workload.ts";

/** The run that the learning rates are scheduled for. */
const ITERATIONS = 100_000;

const strings = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.25 });

export function defaultTraining(options: WorkloadOptions): Promise<Opaque> {
  const { hidden } = options;
  return training(options, {
    batch: 128,
    policy: { hidden: [hidden, hidden], memoryRows: strings.states },
    dynamics: { hidden: [16] },
    mixture: { uniform: 0.5, offline: 0, replay: 0 },
  });
}

export function plainTraining(options: WorkloadOptions): Promise<Opaque> {
  const { hidden } = options;
  return training(options, {
    batch: 32,
    policy: { hidden: [hidden, hidden] },
    dynamics: { hidden: [hidden, hidden] },
    mixture: { uniform: 0, offline: 0, replay: 0 },
  });
}

/** As plain, with a policy that reads what was intended through a transformer of two layers, 64 wide. */
export function thoughtTraining(options: WorkloadOptions): Promise<Opaque> {
  return training(options, thoughtful(options.hidden));
}

function thoughtful(hidden: number): Partial<Settings> {
  return {
    batch: 32,
    policy: { hidden: [hidden, hidden], encoder: { reads: "thought", layers: 2, width: 64, heads: 4 } },
    dynamics: { hidden: [hidden, hidden] },
    mixture: { uniform: 0, offline: 0, replay: 0 },
    exploration: { epsilon: 0, temperature: 1 },
  };
}

/** As the one before with strings of 64 letters, which a function scores. */
export function longThoughtTraining(options: WorkloadOptions): Promise<Opaque> {
  const environment = longSequenceEnvironment({ alphabet: "ACGT", length: 64, stick: 0.25 });
  return training(options, thoughtful(options.hidden), { environment, scores: sharesOfA });
}

function sharesOfA(texts: readonly string[]): number[] {
  return texts.map((text) => 0.1 + [...text].filter((letter) => letter === "A").length / text.length);
}

/** Random scores of all strings. */
function tableOfScores(): Float64Array {
  const stream = RandomStream.fromSeed(0);
  return Float64Array.from({ length: 4 ** 8 }, () => stream.uniform() + 0.1);
}

async function training(
  { engine, threads }: WorkloadOptions,
  changes: Partial<Settings>,
  { environment, scores }: Pick<TrainerOptions, "environment" | "scores"> = {
    environment: strings,
    scores: tableOfScores(),
  },
): Promise<Opaque> {
  const rate = { from: 1e-3, to: 1e-5, shape: "cosine" } as const;
  const settings = defaultSettings(environment, {
    learningRate: rate,
    dynamicsLearningRate: rate,
    ...changes,
  });
  const started = performance.now();
  const trainer = await createTrainer({ ...settings, environment, scores, seed: 0, engine, threads });
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
