// Where the dynamics `expected` end, by dynamic programming with the true kernel: soft Q-learning, and expected flows.
//
// Both give every (state, intention) a flow out of the flows after it, and the policy is proportional to those. They
// differ in what they expect: the logarithm of the flow that comes, or the flow itself.

import type { Enumeration } from "../enumeration.ts";
import type { PolicyTable } from "./exact.ts";

export interface ExpectedSolution {
  readonly policy: PolicyTable;
  /** log F of every state; for soft Q-learning these are its values. */
  readonly logFlow: Float64Array;
}

/** Soft value iteration with temperature 1 and log R at the end: log F(s) π(a|s) = E[log F(s') P_B(s|s')]. */
export function softValues(listed: Enumeration, reward: Float64Array): ExpectedSolution {
  return backwards(listed, reward, (logs, probabilities) => {
    let sum = 0;
    for (let i = 0; i < logs.length; i++) sum += probabilities[i] * logs[i];
    return sum;
  });
}

/** Expected flows: F(s) π(a|s) = E[F(s') P_B(s|s')], with F = R at the end. */
export function expectedFlows(listed: Enumeration, reward: Float64Array): ExpectedSolution {
  return backwards(listed, reward, (logs, probabilities) => {
    const peak = logs.reduce((a, b) => Math.max(a, b));
    let sum = 0;
    for (let i = 0; i < logs.length; i++) sum += probabilities[i] * Math.exp(logs[i] - peak);
    return peak + Math.log(sum);
  });
}

/** `expect` makes one logarithm of those that an intention may lead to, and of how probable they are. */
function backwards(
  listed: Enumeration,
  reward: Float64Array,
  expect: (logs: Float64Array, probabilities: Float64Array) => number,
): ExpectedSolution {
  const { states, actions, offsets, targets, outcome, probabilities } = listed;
  const ways = waysInto(listed);
  const logFlow = new Float64Array(states);
  const policy = new Float64Array(states * actions);
  for (let state = states - 1; state >= 0; state--) {
    const [first, last] = [state * actions, (state + 1) * actions];
    const here = countsOf(listed, state);
    const logAfter = (i: number) => {
      const target = targets[i];
      const log = target >= 0 ? logFlow[target] : Math.log(reward[-1 - target]);
      return outcome[i] < 0 ? log : log + Math.log((here.get(target) as number) / ways(target));
    };
    let peak = Number.NEGATIVE_INFINITY;
    for (let row = first; row < last; row++) {
      const [from, to] = [offsets[row], offsets[row + 1]];
      if (from === to) continue;
      const logs = Float64Array.from({ length: to - from }, (_, k) => logAfter(from + k));
      policy[row] = expect(logs, probabilities.subarray(from, to));
      peak = Math.max(peak, policy[row]);
    }
    let sum = 0;
    for (let row = first; row < last; row++) {
      policy[row] = offsets[row + 1] > offsets[row] ? Math.exp(policy[row] - peak) : 0;
      sum += policy[row];
    }
    for (let row = first; row < last; row++) policy[row] /= sum;
    logFlow[state] = peak + Math.log(sum);
  }
  return { policy, logFlow };
}

/** How many pairs (state, intention) may lead to a target by a move; the backward policy takes them all alike. */
function waysInto(listed: Enumeration): (target: number) => number {
  const { states, terminals } = listed;
  const ways = new Uint32Array(states + terminals);
  const place = (target: number) => (target >= 0 ? target : states - 1 - target);
  for (let state = 0; state < states; state++) {
    for (const [target, count] of countsOf(listed, state)) ways[place(target)] += count;
  }
  return (target) => ways[place(target)];
}

/** Where moves out of a state lead, and by how many intentions. */
function countsOf(
  { actions, offsets, targets, outcome, probabilities }: Enumeration,
  state: number,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
    if (outcome[i] < 0 || probabilities[i] === 0) continue;
    counts.set(targets[i], (counts.get(targets[i]) ?? 0) + 1);
  }
  return counts;
}
