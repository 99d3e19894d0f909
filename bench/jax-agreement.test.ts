// Tests that this library and the JAX script of the training benchmark compute the same: from equal weights and equal random
// numbers, their losses agree over twenty iterations.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeSafetensors, type StoredTensor } from "../src/formats/safetensors.ts";
import { offPolicyData } from "../src/gfn/sampling/off-policy-data.ts";
import { uniformsPerStep } from "../src/gfn/sampling/rollout.ts";
import { createStreams } from "../src/gfn/training/random-streams.ts";
import { modelTrainer, type Trainer, type TrainerOptions } from "../src/gfn/training/trainer.ts";
import type { Layout } from "../src/nn/index.ts";
import { findJaxPython, scriptPath } from "./python.ts";
import { progressAt, type TrainingName, trainingOptions } from "./workloads/training-iteration.ts";

const TRAININGS = [
  "training-plain",
  "training-default",
  "training-thought",
  "training-large",
  "training-long",
] as const;
const ITERATIONS = 20;
const HIDDEN = 16;
const TOLERANCE = 1e-4;
/** XLA compiles the transformer for some fifteen seconds on an idle machine. */
const TIMEOUT = 180_000;

const python = await findJaxPython();
if (!python) {
  const asked = process.env.GFLOWNET_JAX_PYTHON;
  // If GFLOWNET_JAX_PYTHON is set, a Python without JAX is an error instead of a skipped test.
  if (asked) throw new Error(`GFLOWNET_JAX_PYTHON is ${asked}, and it cannot import jax`);
  console.warn(
    "bench/jax-agreement.test.ts is skipped: no Python with jax was found; set GFLOWNET_JAX_PYTHON to one",
  );
}

const float32 = (shape: readonly number[], data: Float32Array): StoredTensor => ({
  dtype: "F32",
  shape,
  data,
});

/** The parameters of a flat vector as one tensor per path. */
function tensorsOf(
  net: string,
  { entries }: Pick<Layout<unknown>, "entries">,
  flat: Float32Array,
): Record<string, StoredTensor> {
  const tensors = entries.map(({ path, offset, size, shape }) => {
    return [`${net}.${path}`, float32(shape, flat.slice(offset, offset + size))] as const;
  });
  return Object.fromEntries(tensors);
}

/** The random numbers that a trainer of these options will use. */
function randomNumbers(options: TrainerOptions): Record<string, StoredTensor> {
  const { environment, batch, seed } = options;
  const streams = createStreams(seed);
  const offPolicy = offPolicyData(environment, options, streams);
  const width = uniformsPerStep(environment);
  const steps = environment.maxSteps;
  const uniform = new Float32Array(ITERATIONS * steps * batch * width); // [iterations, T, B, A + 3]
  const letters: number[] = []; // [iterations, T, off-policy rows]
  for (let t = 0; t < ITERATIONS; t++) {
    offPolicy.sampleRows(progressAt(t));
    const { mask, outcomes } = offPolicy.rows;
    letters.push(...outcomes.filter((_, i) => mask[i % batch] === 1));
    const size = steps * batch * width;
    streams.rollout.fillUniform(uniform.subarray(t * size, (t + 1) * size));
  }
  return {
    uniform: float32([ITERATIONS, steps, batch, width], uniform),
    offPolicy: {
      dtype: "I32",
      shape: [ITERATIONS, steps, letters.length / ITERATIONS / steps],
      data: Int32Array.from(letters),
    },
  };
}

async function inputsOf(trainer: Trainer, options: TrainerOptions): Promise<Uint8Array> {
  const { policy, dynamics } = await trainer.parameters();
  const { model, reward } = trainer;
  // The script scores long strings itself.
  const logReward = Float32Array.from(reward ?? [1], Math.log);
  return encodeSafetensors({
    ...tensorsOf("policy", model.policyLayout, policy),
    ...tensorsOf("dynamics", model.dynamicsLayout, dynamics),
    ...randomNumbers(options),
    logReward: float32([logReward.length], logReward),
  });
}

describe.skipIf(!python)("the JAX script", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gflownet-agreement-"));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  /** The losses of the script from the weights and random numbers in a file. */
  function lossesOf(name: TrainingName, file: string): number[] {
    const output = execFileSync((python as { file: string }).file, [
      scriptPath("jax_agreement.py"),
      name,
      file,
    ]);
    return JSON.parse(output.toString()).losses;
  }

  test.each(TRAININGS)(
    "has the losses of this library in %s over twenty iterations",
    async (name) => {
      const options = trainingOptions(name, HIDDEN);
      const trainer = await modelTrainer(options);
      const file = join(folder, `${name}.safetensors`);
      writeFileSync(file, await inputsOf(trainer, options));
      const ours: number[] = [];
      for (let t = 0; t < ITERATIONS; t++) ours.push((await trainer.step(t, progressAt(t))).loss);
      await trainer.dispose();
      const theirs = lossesOf(name, file);
      expect(theirs).toHaveLength(ITERATIONS);
      const differences = ours.map((loss, t) => Math.abs(loss - theirs[t]) / Math.max(1, Math.abs(loss)));
      expect(Math.max(...differences)).toBeLessThan(TOLERANCE);
      // A training that stood still would agree, too.
      expect(new Set(ours).size).toBe(ITERATIONS);
    },
    TIMEOUT,
  );
});
