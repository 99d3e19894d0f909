// Policies that are the same in all states of a group: what does not read everything cannot tell those states apart.

import type { Enumeration } from "../enumeration.ts";
import type { PolicyTable } from "./exact.ts";

export interface Groups {
  /** The policy proportional to counts [states · actions] added up in each group; `otherwise` where all are 0. */
  pooled(counts: Float64Array, otherwise: PolicyTable): PolicyTable;
}

/** `groups` has the number of a group for each state. Throws if states of a group allow different actions. */
export function groupsOf({ states, actions, offsets }: Enumeration, groups: Int32Array): Groups {
  if (groups.length !== states) {
    throw new RangeError(
      `groups: there must be one number for each of ${states} states, got ${groups.length}`,
    );
  }
  const count = groups.reduce((most, group) => Math.max(most, group + 1), 0);
  const first = new Int32Array(count).fill(-1);
  const allows = (state: number, action: number) =>
    offsets[state * actions + action + 1] > offsets[state * actions + action];
  groups.forEach((group, state) => {
    if (group < 0)
      throw new RangeError(`groups: a group must not be negative, got ${group} for state ${state}`);
    if (first[group] < 0) first[group] = state;
    for (let action = 0; action < actions; action++) {
      if (allows(state, action) === allows(first[group], action)) continue;
      throw new RangeError(
        `groups: states ${first[group]} and ${state} of group ${group} must allow the same actions, got action ${action} in one of them`,
      );
    }
  });
  return {
    pooled(counts, otherwise) {
      const sums = new Float64Array(count * actions);
      groups.forEach((group, state) => {
        for (let action = 0; action < actions; action++) {
          sums[group * actions + action] += counts[state * actions + action];
        }
      });
      const policy = otherwise.slice();
      groups.forEach((group, state) => {
        let sum = 0;
        for (let at = group * actions; at < (group + 1) * actions; at++) sum += sums[at];
        if (sum === 0) return;
        for (let action = 0; action < actions; action++) {
          policy[state * actions + action] = sums[group * actions + action] / sum;
        }
      });
      return policy;
    },
  };
}
