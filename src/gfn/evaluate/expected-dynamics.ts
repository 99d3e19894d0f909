// Exact solutions of the two objectives with dynamics form `expected`, soft Q-learning and expected flows, by dynamic
// programming with the true kernel and a uniform backward policy.
//
// Both compute a flow for each (state, action) from the flows of the next states, and the policy is proportional to it.
// Soft Q-learning takes the expectation of the log flow, expected flows take the expectation of the flow.

import type { Enumeration } from "../environment/enumeration.ts";
import type { PolicyTable } from "./exact.ts";

/** The exact solution of an objective with expected dynamics: its policy and its log flows. */
export interface FlowSolution {
  readonly policy: PolicyTable;
  /** log F of each state; for soft Q-learning, the soft state values. */
  readonly logFlow: Float64Array;
}

/** Soft value iteration with temperature 1 and terminal value log R: log F(s) π(a|s) = E[log F(s') P_B(s|s')]. */
export function solveSoftQ(enumeration: Enumeration, reward: Float64Array): FlowSolution {
  return solveBackwards(enumeration, reward, (logs, probabilities) => {
    let sum = 0;
    for (let i = 0; i < logs.length; i++) sum += probabilities[i] * logs[i];
    return sum;
  });
}

/** Expected flows: F(s) π(a|s) = E[F(s') P_B(s|s')], with F = R at terminals. */
export function solveExpectedFlows(enumeration: Enumeration, reward: Float64Array): FlowSolution {
  return solveBackwards(enumeration, reward, (logs, probabilities) => {
    const peak = logs.reduce((a, b) => Math.max(a, b));
    let sum = 0;
    for (let i = 0; i < logs.length; i++) sum += probabilities[i] * Math.exp(logs[i] - peak);
    return peak + Math.log(sum);
  });
}

/** Backward recursion over the states. `expect` combines the log flows after an action, weighted by their probabilities. */
function solveBackwards(
  enumeration: Enumeration,
  reward: Float64Array,
  expect: (logs: Float64Array, probabilities: Float64Array) => number,
): FlowSolution {
  const { states, actions, offsets, targets, outcome, probabilities } = enumeration;
  const parentEdges = countParentEdges(enumeration);
  const logFlow = new Float64Array(states);
  const policy = new Float64Array(states * actions);
  for (let state = states - 1; state >= 0; state--) {
    const [first, last] = [state * actions, (state + 1) * actions];
    const edges = outgoingEdges(enumeration, state);
    const logAfter = (i: number) => {
      const target = targets[i];
      const log = target >= 0 ? logFlow[target] : Math.log(reward[-1 - target]);
      return outcome[i] < 0 ? log : log + Math.log((edges.get(outcome[i]) as number) / parentEdges(target));
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

/** Number of parent edges of each target, stops excluded. The backward policy is uniform over them. */
function countParentEdges({ states, terminals, targets, outcome, probabilities }: Enumeration) {
  const counts = new Uint32Array(states + terminals);
  const slotOf = (target: number) => (target >= 0 ? target : states - 1 - target);
  for (let i = 0; i < targets.length; i++) {
    if (outcome[i] >= 0 && probabilities[i] > 0) counts[slotOf(targets[i])]++;
  }
  return (target: number) => counts[slotOf(target)];
}

/** Outcomes of the actions of a state, with the number of actions that can have each. */
function outgoingEdges(
  { actions, offsets, outcome, probabilities }: Enumeration,
  state: number,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
    if (outcome[i] < 0 || probabilities[i] === 0) continue;
    counts.set(outcome[i], (counts.get(outcome[i]) ?? 0) + 1);
  }
  return counts;
}
