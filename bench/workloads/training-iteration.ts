// An iteration of real training, as `train` drives it: the default settings but for what is said here, on TFBind8's
// sizes. The same work as rivals/pytorch_training.py and rivals/jax_training.py. Choosing the given strings and drawing
// the random numbers on the host is part of it.
//
// All use of the trainer is in this file.

import { RandomStream } from "../../src/engine/index.ts";
import { defaultSettings } from "../../src/gfn/defaults.ts";
import { sequenceEnvironment } from "../../src/gfn/environments/sequence.ts";
import { createTrainer } from "../../src/gfn/trainer.ts";
import type { Opaque, WorkloadOptions } from "./workload.ts";

/** The run that the learning rates are scheduled for. */
const ITERATIONS = 100_000;

export async function trainingIteration({ hidden, engine, threads }: WorkloadOptions): Promise<Opaque> {
  const environment = sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.25 });
  const rate = { from: 1e-3, to: 1e-5, shape: "cosine" } as const;
  const settings = defaultSettings(environment, {
    batch: 128,
    policy: { hidden: [hidden, hidden], memoryRows: environment.states },
    dynamics: { hidden: [16] },
    learningRate: rate,
    dynamicsLearningRate: rate,
    mixture: { uniform: 0.5, offline: 0, replay: 0 },
  });
  const stream = RandomStream.fromSeed(0);
  const scores = Float64Array.from({ length: 4 ** 8 }, () => stream.uniform() + 0.1);
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
