// Exact evaluation of a policy table by dynamic programming over an enumeration with the true kernel.

import type { Enumeration } from "../environment/enumeration.ts";

/** π(a|s) for every state, [states · actions] in float64; each row sums to one over the legal actions. */
export type PolicyTable = Float64Array;

/** The probabilities with which trajectories of a policy visit states and end in terminals. */
export interface Visitation {
  /** Probability that a trajectory visits each state. */
  readonly states: Float64Array;
  /** Probability that a trajectory ends in each terminal. */
  readonly terminals: Float64Array;
}

/**
 * Visit probabilities of all states and terminals under a policy.
 *
 * @example
 * ```ts
 * import { sequenceEnvironment } from "gflownet";
 * import { visitation } from "gflownet/gfn";
 *
 * // A policy that always chooses A: noise turns a quarter of its choices into A or B with equal probability.
 * const environment = sequenceEnvironment({ alphabet: "AB", length: 1, stick: 0.25 });
 * const { terminals } = visitation(environment.enumerate(), Float64Array.of(1, 0));
 * console.log(terminals.join(" ")); // 0.875 0.125
 * ```
 */
export function visitation(enumeration: Enumeration, policy: PolicyTable): Visitation {
  const { states, terminals, actions, offsets, targets, probabilities } = enumeration;
  const visits = new Float64Array(states);
  const ends = new Float64Array(terminals);
  visits[0] = 1;
  for (let state = 0; state < states; state++) {
    for (let action = 0; action < actions; action++) {
      const row = state * actions + action;
      const mass = visits[state] * policy[row];
      if (mass === 0) continue;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const target = targets[i];
        if (target >= 0) visits[target] += mass * probabilities[i];
        else ends[-1 - target] += mass * probabilities[i];
      }
    }
  }
  return { states: visits, terminals: ends };
}

/** The policy that is uniform over the legal actions of each state. */
export function uniformPolicy(enumeration: Enumeration): PolicyTable {
  const { states, actions, offsets } = enumeration;
  const policy = new Float64Array(states * actions);
  for (let state = 0; state < states; state++) {
    let allowed = 0;
    for (let row = state * actions; row < (state + 1) * actions; row++)
      if (offsets[row + 1] > offsets[row]) allowed++;
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      if (offsets[row + 1] > offsets[row]) policy[row] = 1 / allowed;
    }
  }
  return policy;
}

/** The largest expected reward of any policy. */
export function largestExpectedReward(enumeration: Enumeration, reward: Float64Array): number {
  const { states, actions, offsets, targets, probabilities } = enumeration;
  const value = new Float64Array(states);
  for (let state = states - 1; state >= 0; state--) {
    let best = Number.NEGATIVE_INFINITY;
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      if (offsets[row + 1] === offsets[row]) continue;
      let expected = 0;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const target = targets[i];
        expected += probabilities[i] * (target >= 0 ? value[target] : reward[-1 - target]);
      }
      best = Math.max(best, expected);
    }
    value[state] = best;
  }
  return value[0];
}

/**
 * Error of a dynamics model under a policy: KL(P ‖ P̂) of the outcomes, in nats per step. This is
 * Σ visits(s) π(a|s) Σ K(c|s, a) log(K / P̂) over all (s, a) except stops, divided by the expected number of such steps,
 * deterministic ones included. Null if the policy makes no such step. `visits` are `Visitation.states` of the policy and
 * `logDynamics` is log P̂, [states · outcomes · outcomes].
 */
export function dynamicsDivergence(
  enumeration: Enumeration,
  policy: PolicyTable,
  visits: Float64Array,
  logDynamics: ArrayLike<number>,
): number | null {
  const { actions, outcomes, outcome, probabilities } = enumeration;
  return meanPerStep(enumeration, policy, visits, (mass, state, row, i) => {
    const logs = (state * outcomes + row - state * actions) * outcomes;
    return mass * probabilities[i] * (Math.log(probabilities[i]) - logDynamics[logs + outcome[i]]);
  });
}

/**
 * Entropy of the outcomes under the true kernel, in nats per step, over the same steps as `dynamicsDivergence`: the smallest
 * cross-entropy that a dynamics model can have. Null if the policy makes no such step.
 */
export function kernelEntropy(
  enumeration: Enumeration,
  policy: PolicyTable,
  visits: Float64Array,
): number | null {
  const { probabilities } = enumeration;
  return meanPerStep(enumeration, policy, visits, (mass, _state, _row, i) =>
    probabilities[i] > 0 ? -(mass * probabilities[i] * Math.log(probabilities[i])) : 0,
  );
}

/** Sum of `term` over the transitions of all (state, action) except stops, divided by the expected number of such steps.
 * `mass` is the probability that a trajectory visits the state and takes the action. */
function meanPerStep(
  { states, actions, offsets, outcome }: Enumeration,
  policy: PolicyTable,
  visits: Float64Array,
  term: (mass: number, state: number, row: number, transition: number) => number,
): number | null {
  let [sum, steps] = [0, 0];
  for (let state = 0; state < states; state++) {
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      const [from, to] = [offsets[row], offsets[row + 1]];
      if (from === to || outcome[from] < 0) continue;
      const mass = visits[state] * policy[row];
      steps += mass;
      for (let i = from; i < to; i++) sum += term(mass, state, row, i);
    }
  }
  return steps > 0 ? sum / steps : null;
}
