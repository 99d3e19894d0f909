// Policies that are equal in all states of a group, because their inputs do not distinguish these states.

import type { Enumeration } from "../environment/enumeration.ts";
import type { PolicyTable } from "./exact.ts";

export interface StateGroups {
  /** The policy proportional to counts [states · actions], summed over each group; `fallback` where the sum is 0. */
  pooledPolicy(counts: Float64Array, fallback: PolicyTable): PolicyTable;
}

/** `groups[state]` is the index of the group of a state. Throws if states of a group allow different actions. */
export function stateGroups({ states, actions, offsets }: Enumeration, groups: Int32Array): StateGroups {
  if (groups.length !== states) {
    throw new RangeError(`groups: must have one index for each of ${states} states, got ${groups.length}`);
  }
  const count = groups.reduce((most, group) => Math.max(most, group + 1), 0);
  const firstState = new Int32Array(count).fill(-1);
  const allows = (state: number, action: number) =>
    offsets[state * actions + action + 1] > offsets[state * actions + action];
  groups.forEach((group, state) => {
    if (group < 0) throw new RangeError(`groups: must not be negative, got ${group} for state ${state}`);
    if (firstState[group] < 0) firstState[group] = state;
    for (let action = 0; action < actions; action++) {
      if (allows(state, action) === allows(firstState[group], action)) continue;
      throw new RangeError(
        `groups: the states of a group must allow the same actions, but of states ${firstState[group]} and ${state} in group ${group} only one allows action ${action}`,
      );
    }
  });
  return {
    pooledPolicy(counts, fallback) {
      const sums = new Float64Array(count * actions);
      groups.forEach((group, state) => {
        for (let action = 0; action < actions; action++) {
          sums[group * actions + action] += counts[state * actions + action];
        }
      });
      const policy = fallback.slice();
      groups.forEach((group, state) => {
        let sum = 0;
        for (let i = group * actions; i < (group + 1) * actions; i++) sum += sums[i];
        if (sum === 0) return;
        for (let action = 0; action < actions; action++) {
          policy[state * actions + action] = sums[group * actions + action] / sum;
        }
      });
      return policy;
    },
  };
}
