// Exact evaluation: where a policy ends, by dynamic programming with the true kernel.

import type { Enumeration } from "../enumeration.ts";

/** π(a|s) for every state, [states · actions] in float64; rows sum to one over allowed actions. */
export type PolicyTable = Float64Array;

export interface Visitation {
  /** Probability that an episode passes through each state. */
  readonly states: Float64Array;
  /** Probability that an episode ends in each terminal. */
  readonly terminals: Float64Array;
}

/** One pass over the states in order. */
export function visitation(listed: Enumeration, policy: PolicyTable): Visitation {
  const { states, terminals, actions, offsets, targets, probabilities } = listed;
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

/** The policy that picks among allowed actions alike. */
export function uniformPolicy(listed: Enumeration): PolicyTable {
  const { states, actions, offsets } = listed;
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

/** Reward to go: the largest expected reward that any policy reaches, by dynamic programming. */
export function largestExpectedReward(listed: Enumeration, reward: Float64Array): number {
  const { states, actions, offsets, targets, probabilities } = listed;
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
 * How wrong a model of the dynamics is where the policy goes: KL(K ‖ P̂) of the outcomes, in nats per step. Steps are
 * weighed by how often an episode makes them: Σ visits(s) π(a|s) Σ K(c|s, a) log(K / P̂) over all (s, a) but stops,
 * divided by the expected number of such steps, those that can go only one way included. Null for a policy that makes
 * none. `visits` are those of the policy, `logDynamics` is log P̂, [states · outcomes · outcomes].
 */
export function dynamicsDivergence(
  { states, actions, outcomes, offsets, outcome, probabilities }: Enumeration,
  policy: PolicyTable,
  visits: Float64Array,
  logDynamics: ArrayLike<number>,
): number | null {
  let [sum, steps] = [0, 0];
  for (let state = 0; state < states; state++) {
    for (let action = 0; action < actions; action++) {
      const row = state * actions + action;
      const [from, to] = [offsets[row], offsets[row + 1]];
      if (from === to || outcome[from] < 0) continue;
      const mass = visits[state] * policy[row];
      const logs = (state * outcomes + action) * outcomes;
      steps += mass;
      for (let i = from; i < to; i++) {
        sum += mass * probabilities[i] * (Math.log(probabilities[i]) - logDynamics[logs + outcome[i]]);
      }
    }
  }
  return steps > 0 ? sum / steps : null;
}

/**
 * The least that any model of the dynamics can lose where the policy goes: the entropy of the outcomes under the true
 * kernel, in nats per step, over the same steps as `dynamicsDivergence`. Null for a policy that makes none.
 */
export function kernelEntropy(
  { states, actions, offsets, outcome, probabilities }: Enumeration,
  policy: PolicyTable,
  visits: Float64Array,
): number | null {
  let [sum, steps] = [0, 0];
  for (let state = 0; state < states; state++) {
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      const [from, to] = [offsets[row], offsets[row + 1]];
      if (from === to || outcome[from] < 0) continue;
      const mass = visits[state] * policy[row];
      steps += mass;
      for (let i = from; i < to; i++) {
        if (probabilities[i] > 0) sum -= mass * probabilities[i] * Math.log(probabilities[i]);
      }
    }
  }
  return steps > 0 ? sum / steps : null;
}
