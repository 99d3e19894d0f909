// `gflownet sample`: samples objects from a run, under the environment's noise.

import type { SampleFormat } from "../../run/sample-format-names.ts";
import { formatSamples } from "../../run/sample-formats.ts";
import { openRun } from "../../run/saved-run.ts";
import { write } from "../output.ts";

export interface SampleOptions {
  readonly count: number;
  readonly format: SampleFormat;
  readonly greedy?: boolean;
  readonly seed: number;
}

export async function sample(folder: string, { count, format, greedy, seed }: SampleOptions): Promise<void> {
  const trained = await openRun(folder);
  try {
    let written = 0;
    // Written batch by batch: all samples may not fit into memory.
    for await (const batch of trained.samples({ seed, greedy })) {
      const samples = batch.slice(0, count - written);
      await write(formatSamples(format, trained, samples, written));
      written += samples.length;
      if (written === count) break;
    }
  } finally {
    await trained.dispose();
  }
}
