// Frequencies of sampled objects, where the distribution of the policy is not known exactly.

import type { EnumeratedRun } from "./opened-run.ts";

/** Samples of an estimate. */
export const SAMPLES = 8192;

/** How often samples end in each object, as fractions. */
export async function sampledFrequencies(run: EnumeratedRun, objects: number): Promise<Float64Array> {
  const counts = new Float64Array(objects);
  for (const { terminal } of await run.samples(SAMPLES)) counts[terminal] += 1 / SAMPLES;
  return counts;
}
