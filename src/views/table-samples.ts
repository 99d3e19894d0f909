// Samples from the tables of a policy: faster than the compiled sampler if there are few samples, because nothing is compiled.

import type { RandomStream } from "../engine/index.ts";
import type { Enumeration } from "../gfn/environment/enumeration.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import type { PolicyTable } from "../gfn/evaluate/exact.ts";
import type { Sample } from "../gfn/sampling/sampler.ts";
import { indexSampler } from "../math/index-sampler.ts";

/** Samples of the policy, with the noise of the true kernel. */
export function sampledFromTables(
  environment: Environment,
  { enumeration, policy }: { readonly enumeration: Enumeration; readonly policy: PolicyTable },
  count: number,
  stream: RandomStream,
): Sample[] {
  const { actions, offsets, targets, outcome, probabilities } = enumeration;
  return Array.from({ length: count }, () => {
    const thought: number[] = [];
    const outcomes: number[] = [];
    let node = 0;
    while (node >= 0) {
      const action = indexSampler(policy.subarray(node * actions, (node + 1) * actions)).indexOf(
        stream.uniform(),
      );
      const [from, to] = [offsets[node * actions + action], offsets[node * actions + action + 1]];
      const i = from + indexSampler(probabilities.subarray(from, to)).indexOf(stream.uniform());
      thought.push(action);
      if (outcome[i] >= 0) outcomes.push(outcome[i]);
      node = targets[i];
    }
    return { object: environment.describe(outcomes), outcomes, thought, terminal: -1 - node };
  });
}
