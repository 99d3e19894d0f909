// `gflownet sample`: objects drawn from a run, with the environment's noise.

import { write } from "../output.ts";
import { BATCH, readerOf } from "../reader.ts";
import type { SampleFormat } from "../sample-formats.ts";
import { formatSamples } from "../samples.ts";
import { openTrained } from "../trained.ts";

export interface SampleOptions {
  readonly count: number;
  readonly format: SampleFormat;
  readonly greedy?: boolean;
  readonly seed: number;
}

/** Written while more are drawn: there may be more than fit into memory. */
const AT_ONCE = 16 * BATCH;

export async function sample(folder: string, { count, format, greedy, seed }: SampleOptions): Promise<void> {
  const trained = await openTrained(folder);
  const reader = await readerOf(trained, { seed, greedy });
  try {
    for (let before = 0; before < count; before += AT_ONCE) {
      const samples = await reader.draw(Math.min(AT_ONCE, count - before));
      await write(formatSamples(format, trained.task, samples, before));
    }
  } finally {
    await reader.dispose();
  }
}
