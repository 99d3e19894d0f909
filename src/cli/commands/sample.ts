// `gflownet sample`: samples objects from a run, under the environment's noise.

import { runSampler, SAMPLE_BATCH } from "../../run/run-sampler.ts";
import type { SampleFormat } from "../../run/sample-format-names.ts";
import { formatSamples } from "../../run/sample-formats.ts";
import { openTrainedRun } from "../../run/trained-run.ts";
import { write } from "../output.ts";

export interface SampleOptions {
  readonly count: number;
  readonly format: SampleFormat;
  readonly greedy?: boolean;
  readonly seed: number;
}

/** Number of samples that are written at a time, because all samples together may not fit into memory. */
const CHUNK = 16 * SAMPLE_BATCH;

export async function sample(folder: string, { count, format, greedy, seed }: SampleOptions): Promise<void> {
  const trained = await openTrainedRun(folder);
  const sampler = await runSampler(trained, { seed, greedy });
  try {
    for (let before = 0; before < count; before += CHUNK) {
      const samples = await sampler.sample(Math.min(CHUNK, count - before));
      await write(formatSamples(format, trained.task, samples, before));
    }
  } finally {
    await sampler.dispose();
  }
}
