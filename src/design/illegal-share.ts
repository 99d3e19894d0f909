// How often the policy of a design writes an illegal string under free noise, estimated from samples, beside the best
// reachable policy and the least of any policy.

import { countStrings } from "../constraints/index.ts";
import type {
  ConstrainedSequenceEnvironment,
  EnumerableConstrainedEnvironment,
} from "../gfn/environment/constrained-sequence.ts";
import { enumeratedStates } from "../gfn/evaluate/enumerated-states.ts";
import { illegalProbabilities, leastIllegalProbability } from "../gfn/evaluate/illegal-probability.ts";
import { rememberedLimit } from "../gfn/evaluate/remembered-limit.ts";
import { normaliseRewards } from "../math/distances.ts";
import { formatCount, formatNumber } from "../report/text-format.ts";
import type { Trained } from "../trained/trained.ts";

/** The share of illegal strings among samples. */
export interface IllegalShare {
  readonly share: number;
  readonly standardError: number;
  readonly samples: number;
  /** The probability of the best reachable policy, exactly; null if it is not known, because not all of the legal strings were
   * scored. */
  readonly limit: number | null;
  /** Number of legal strings. */
  readonly legal: number;
  /** The least probability of illegal strings that any policy can have, exactly. */
  readonly least: number;
}

const SAMPLES = 1000;

/** Null if no string can become illegal: without constraints, without noise, or within the constraints. `rewards` has the
 * reward of every object; null if some legal strings have no score. */
export async function illegalShare(
  trained: Pick<Trained, "sample">,
  environment: ConstrainedSequenceEnvironment | EnumerableConstrainedEnvironment,
  rewards: Float64Array | null,
): Promise<IllegalShare | null> {
  const { noise, constraints } = environment;
  if (noise.kind === "none" || noise.mode !== "free" || constraints.length === 0) return null;
  const samples = await trained.sample(SAMPLES);
  const share = samples.filter(({ object }) => !environment.isLegal(object)).length / SAMPLES;
  const standardError = Math.sqrt((share * (1 - share)) / (SAMPLES - 1));
  const limit = rewards && illegalLimit(environment, rewards);
  const legal = Number(countStrings(environment.automaton));
  const least = leastIllegalProbability(environment);
  return { share, standardError, samples: SAMPLES, limit, legal, least };
}

/** The probability of illegal strings under the best reachable policy. */
function illegalLimit(
  environment: ConstrainedSequenceEnvironment | EnumerableConstrainedEnvironment,
  rewards: Float64Array,
): number | null {
  const inputs = { environment, historyInputs: {} };
  const states = enumeratedStates(inputs);
  if (!states) return null;
  const { target } = normaliseRewards(rewards);
  const { terminals: limit } = rememberedLimit(inputs, target, () => states.limit(target));
  return illegalProbabilities(environment, { policy: limit, limit, uniform: limit })?.limit ?? null;
}

/** The share as a sentence. */
export function illegalShareText({
  share,
  standardError,
  samples,
  limit,
  legal,
  least,
}: IllegalShare): string {
  const sampled = `${formatNumber(share)} ± ${formatNumber(standardError)} of ${formatCount(samples)} samples`;
  const best =
    limit === null
      ? `that of the best reachable policy needs the scores of all ${formatCount(legal)} legal strings`
      : `that of the best reachable policy is ${formatNumber(limit)}`;
  return `Illegal strings under free noise: ${sampled}; ${best}; the least of any policy is ${formatNumber(least)}.`;
}
