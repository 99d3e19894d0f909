// How often the policy of a design writes an illegal string under free noise, estimated from samples.

import type { ConstrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { leastIllegalProbability } from "../gfn/evaluate/illegal-probability.ts";
import type { Trained } from "../trained/trained.ts";

/** The share of illegal strings among samples. */
export interface IllegalShare {
  readonly share: number;
  readonly standardError: number;
  readonly samples: number;
  /** The least probability of illegal strings that any policy can have, exactly. */
  readonly least: number;
}

const SAMPLES = 1000;

/** Null if no string can become illegal: without constraints, without noise, or within the constraints. */
export async function illegalShare(
  trained: Pick<Trained, "sample">,
  environment: Pick<ConstrainedSequenceEnvironment, "noise" | "constraints" | "steps" | "isLegal">,
): Promise<IllegalShare | null> {
  const { noise, constraints } = environment;
  if (noise.kind === "none" || noise.mode !== "free" || constraints.length === 0) return null;
  const samples = await trained.sample(SAMPLES);
  const share = samples.filter(({ object }) => !environment.isLegal(object)).length / SAMPLES;
  const standardError = Math.sqrt((share * (1 - share)) / (SAMPLES - 1));
  return { share, standardError, samples: SAMPLES, least: leastIllegalProbability(environment) };
}
