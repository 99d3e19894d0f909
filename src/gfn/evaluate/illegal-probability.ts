// The probability that a string becomes illegal under free noise: of a given policy, and the least of any policy.

import { isConstrained } from "../environment/capabilities.ts";
import type {
  ConstrainedSequenceEnvironment,
  EnumerableConstrainedEnvironment,
} from "../environment/constrained-sequence.ts";
import { type Environment, enumerationOf } from "../environment/environment.ts";
import { type PolicyTable, visitation } from "./exact.ts";

/** The probability that a policy builds an illegal string, exactly. It is 0 unless the noise is free. */
export function illegalProbability(
  environment: EnumerableConstrainedEnvironment,
  policy: PolicyTable,
): number {
  const { terminals } = visitation(enumerationOf(environment), policy);
  return illegalMass(environment.illegalObjects(), terminals);
}

/** Under free noise: the probability of illegal strings of a policy, beside policies that it can be compared with. */
export interface IllegalProbabilities {
  readonly policy: number;
  /** Of the best reachable policy. */
  readonly limit: number;
  readonly uniform: number;
  /** The least of any policy. */
  readonly least: number;
}

/** The probabilities from the distributions of terminal objects; null if strings cannot become illegal. */
export function illegalProbabilities(
  environment: Environment,
  { policy, limit, uniform }: Readonly<Record<"policy" | "limit" | "uniform", Float64Array>>,
): IllegalProbabilities | null {
  if (!isConstrained(environment) || !("illegalObjects" in environment)) return null;
  const illegal = (environment as EnumerableConstrainedEnvironment).illegalObjects();
  if (!illegal.includes(1)) return null;
  return {
    policy: illegalMass(illegal, policy),
    limit: illegalMass(illegal, limit),
    uniform: illegalMass(illegal, uniform),
    least: leastIllegalProbability(environment),
  };
}

function illegalMass(illegal: Uint8Array, terminals: Float64Array): number {
  return terminals.reduce((sum, probability, terminal) => sum + probability * illegal[terminal], 0);
}

/**
 * The least probability of an illegal string that any policy can have, by dynamic programming over the automaton. It needs
 * no enumeration, so strings may be long.
 */
export function leastIllegalProbability({ steps }: Pick<ConstrainedSequenceEnvironment, "steps">): number {
  const { letters: A, length, variable, nodes, firstIllegal, layer, next, allowed, ends } = steps;
  const least = new Float64Array(nodes).fill(1, firstIllegal);
  // The legal nodes are in the order of their layers.
  for (let node = firstIllegal - 1; node >= 0; node--) {
    if (layer[node] === length || (variable && ends[node] === 1)) continue;
    const kernel = steps.kernel(node);
    let best = 1;
    for (let a = 0; a < A; a++) {
      if (allowed[node * A + a] === 0) continue;
      let expected = 0;
      for (let c = 0; c < A; c++) {
        if (kernel[a * A + c] > 0) expected += kernel[a * A + c] * least[next[node * A + c]];
      }
      best = Math.min(best, expected);
    }
    least[node] = best;
  }
  return least[0];
}
