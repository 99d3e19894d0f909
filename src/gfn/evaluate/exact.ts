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
