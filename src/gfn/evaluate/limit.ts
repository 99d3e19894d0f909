// The limit: the best terminal distribution that any policy can reach, in KL(target ‖ ·).
//
// Under noise, the target itself may be unreachable. Expectation maximisation over state-action occupancies finds the best
// policy for any kernel on any acyclic graph. For stick noise on a tree there is a closed form, water-filling.

import { klDivergence, totalVariation } from "../../math/distances.ts";
import type { Enumeration } from "../environment/enumeration.ts";
import { type PolicyTable, uniformPolicy, type Visitation, visitation } from "./exact.ts";
import { type StateGroups, stateGroups } from "./state-groups.ts";

/** The best distribution over objects that a policy can reach under the noise, with the policy that reaches it. */
export interface Limit {
  readonly policy: PolicyTable;
  /** KL(target ‖ terminals), at most `gap` above the minimum over all policies. */
  readonly kl: number;
  /** Upper bound on `kl` minus its minimum: 0 for the closed form, NaN if states are grouped, where no bound is known. */
  readonly gap: number;
  /** Total variation between target and terminals. A policy with a larger `kl` may have a slightly smaller `tv`. */
  readonly tv: number;
  /** Probability of each terminal under the policy. */
  readonly terminals: Float64Array;
}

export interface ExpectationMaximisationOptions {
  /** Stop once `gap` is at most this. Default: 1e-7. */
  readonly tolerance?: number;
  /** Default: 20,000. */
  readonly maxSteps?: number;
  /** Index of the group of each state: restricts the search to policies that are equal in all states of a group. Such a
   * search has no bound and may end in a local minimum. It stops when 20 steps lower the KL by at most the tolerance. */
  readonly groups?: Int32Array;
  /** Initial policy. Default: uniform. */
  readonly start?: PolicyTable;
}

interface EvaluatedPolicy extends Visitation {
  readonly policy: PolicyTable;
  readonly kl: number;
}

/** Steps over which the decrease of the KL is measured if states are grouped. */
const WINDOW = 20;

/**
 * Expectation maximisation with momentum. A plain step never raises the KL, but can lower it slowly. Before each step, the
 * log policy is therefore extrapolated along the previous step with Nesterov's weights. If this raises the KL, the
 * extrapolation is undone and the momentum restarts, so that the KL never increases.
 */
export function limitByExpectationMaximisation(
  enumeration: Enumeration,
  target: Float64Array,
  { tolerance = 1e-7, maxSteps = 20_000, groups, start }: ExpectationMaximisationOptions = {},
): Limit {
  const tiedStates = groups && stateGroups(enumeration, groups);
  const evaluate = (policy: PolicyTable): EvaluatedPolicy => {
    const visits = visitation(enumeration, policy);
    return { policy, ...visits, kl: klDivergence(target, visits.terminals) };
  };
  let current = evaluate(start ?? uniformPolicy(enumeration));
  let previous = current;
  let windowKl = Number.POSITIVE_INFINITY; // at the start of the window
  let momentumSteps = 0;
  for (let step = 1; ; step++) {
    const ahead =
      momentumSteps > 0
        ? evaluate(
            extrapolated(enumeration, previous.policy, current.policy, momentumSteps / (momentumSteps + 3)),
          )
        : current;
    const improves = ahead.kl <= current.kl;
    const from = improves ? ahead : current;
    const { policy, gap } = expectationMaximisationStep(enumeration, target, from, tiedStates);
    let converged = gap <= tolerance;
    if (tiedStates && step % WINDOW === 0) {
      converged = windowKl - from.kl <= tolerance;
      windowKl = from.kl;
    }
    if (converged || step > maxSteps) {
      const { kl, terminals } = from;
      return { policy: from.policy, kl, gap, tv: totalVariation(target, terminals), terminals };
    }
    momentumSteps = improves ? momentumSteps + 1 : 1;
    previous = current;
    current = evaluate(policy);
  }
}

/** The policy proportional to after · (after / before)^weight. */
function extrapolated(
  enumeration: Enumeration,
  before: PolicyTable,
  after: PolicyTable,
  weight: number,
): PolicyTable {
  const policy = new Float64Array(after.length);
  for (let start = 0; start < policy.length; start += enumeration.actions) {
    const end = start + enumeration.actions;
    let sum = 0;
    for (let row = start; row < end; row++) {
      if (before[row] > 0) policy[row] = after[row] * (after[row] / before[row]) ** weight;
      sum += policy[row];
    }
    for (let row = start; row < end; row++) policy[row] /= sum;
  }
  return policy;
}

/**
 * One step of expectation maximisation: π(a|s) becomes proportional to the expected number of uses of (s, a) if the
 * terminal is drawn from the target. If states are grouped, these numbers are summed over each group. The recursion
 * goes backwards over the states, from the ratio target / p of the terminals.
 *
 * The same ratio bounds the possible reduction of the divergence. For any policy with terminal distribution q,
 * KL(target ‖ p) − KL(target ‖ q) is Σ target log(q / p), by Jensen's inequality at most log Σ q · target / p, and so
 * at most the logarithm of the largest expected ratio over all policies, which dynamic programming computes.
 */
function expectationMaximisationStep(
  enumeration: Enumeration,
  target: Float64Array,
  { policy, terminals, states: visits }: EvaluatedPolicy,
  tiedStates?: StateGroups,
): { policy: PolicyTable; gap: number } {
  const { states, actions, offsets, targets, probabilities } = enumeration;
  const ratio = target.map((wanted, t) => (wanted > 0 ? wanted / terminals[t] : 0));
  const value = new Float64Array(states);
  const largest = new Float64Array(states);
  const next = new Float64Array(policy.length);
  for (let state = states - 1; state >= 0; state--) {
    const [start, end] = [state * actions, (state + 1) * actions];
    let [sum, best] = [0, 0];
    for (let row = start; row < end; row++) {
      let [expected, most] = [0, 0];
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const to = targets[i];
        expected += probabilities[i] * (to >= 0 ? value[to] : ratio[-1 - to]);
        most += probabilities[i] * (to >= 0 ? largest[to] : ratio[-1 - to]);
      }
      next[row] = policy[row] * expected;
      sum += next[row];
      best = Math.max(best, most);
    }
    value[state] = sum;
    largest[state] = best;
    for (let row = start; row < end; row++) {
      // In the sum over a group, each state is weighted by its visit probability. Without groups, the row is normalised.
      if (tiedStates) next[row] *= visits[state];
      else next[row] = sum > 0 ? next[row] / sum : policy[row];
    }
  }
  if (tiedStates) return { policy: tiedStates.pooledPolicy(next, policy), gap: Number.NaN };
  return { policy: next, gap: Math.max(0, Math.log(largest[0])) };
}

/**
 * The limit by water-filling for stick noise on a tree, by expectation maximisation with these options otherwise.
 *
 * @example
 * ```ts
 * import { sequenceEnvironment } from "gflownet";
 * import { limitOf } from "gflownet/gfn";
 *
 * // With this noise no policy ends in A more often than in 75 % of all trajectories.
 * const environment = sequenceEnvironment({ alphabet: "AB", length: 1, stick: 0.5 });
 * const { terminals, tv } = limitOf(environment, environment.enumerate(), Float64Array.of(0.9, 0.1));
 * console.log(terminals[0].toFixed(3), tv.toFixed(3)); // 0.750 0.150
 * ```
 */
export function limitOf(
  { tree, stick }: { readonly tree: boolean; readonly stick: number },
  enumeration: Enumeration,
  target: Float64Array,
  options: Pick<ExpectationMaximisationOptions, "tolerance" | "maxSteps"> = {},
): Limit {
  return tree && isStickNoise(enumeration, stick)
    ? limitByWaterFilling(enumeration, target, stick)
    : limitByExpectationMaximisation(enumeration, target, options);
}

/** Whether each action except a stop has its outcome with probability 1 − stick + stick / n, and each of the n − 1 others with
 * stick / n, where n is the same for all actions of a state. */
function isStickNoise({ actions, offsets, outcome, probabilities }: Enumeration, stick: number): boolean {
  let countInState = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const count = offsets[row + 1] - offsets[row];
    if (row % actions === 0) countInState = 0;
    if (count > 0 && outcome[offsets[row]] >= 0) {
      if (countInState > 0 && count !== countInState) return false;
      countInState = count;
    }
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      if (outcome[i] < 0) continue;
      const intended = outcome[i] === row % actions ? 1 - stick : 0;
      if (Math.abs(probabilities[i] - intended - (stick > 0 ? stick / count : 0)) > 1e-12) return false;
    }
  }
  return true;
}

/**
 * Closed form for stick noise on a tree, where the KL is a sum over states: the outcome probabilities of a state are
 * max(floor, k · share), with k such that they sum to one. Outcomes that no action intends have the floor.
 */
export function limitByWaterFilling(enumeration: Enumeration, target: Float64Array, stick: number): Limit {
  const { states, actions, offsets, targets, outcome } = enumeration;
  const mass = new Float64Array(states);
  const massOf = (to: number) => (to >= 0 ? mass[to] : target[-1 - to]);
  const policy = new Float64Array(states * actions);
  for (let state = states - 1; state >= 0; state--) {
    // Noisy actions all lead to the same children; a stop has one outcome.
    const noisy: { row: number; mass: number }[] = [];
    let stopRow = -1;
    let stopMass = 0;
    let outcomes = 0;
    let noisyMass = 0;
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      if (offsets[row] === offsets[row + 1]) continue;
      const intended = intendedTransition(row);
      if (intended < 0) {
        stopRow = row;
        stopMass = massOf(targets[offsets[row]]);
      } else {
        if (noisy.length === 0) {
          outcomes = offsets[row + 1] - offsets[row];
          for (let i = offsets[row]; i < offsets[row + 1]; i++) noisyMass += massOf(targets[i]);
        }
        noisy.push({ row, mass: massOf(targets[intended]) });
      }
    }
    // Without noise, each action has one outcome of its own.
    if (stick === 0) {
      noisyMass = noisy.reduce((sum, { mass }) => sum + mass, 0);
      outcomes = noisy.length;
    }
    mass[state] = noisyMass + stopMass;
    if (mass[state] === 0) {
      const allowed = noisy.length + (stopRow >= 0 ? 1 : 0);
      for (const { row } of noisy) policy[row] = 1 / allowed;
      if (stopRow >= 0) policy[stopRow] = 1 / allowed;
      continue;
    }
    const moving = noisyMass / mass[state];
    if (stopRow >= 0) policy[stopRow] = 1 - moving;
    if (noisy.length === 0 || moving === 0) continue;
    const floor = stick / outcomes;
    const filled = waterFill(
      noisy.map(({ mass }) => mass / noisyMass),
      floor,
      1 - floor * (outcomes - noisy.length),
    );
    // The sum is 1 − stick up to rounding. If stick is nearly 1, rounding may leave 0.
    const above = filled.map((share) => share - floor);
    const sum = above.reduce((a, b) => a + b);
    noisy.forEach(({ row }, i) => {
      policy[row] = moving * (sum > 0 ? above[i] / sum : 1 / noisy.length);
    });
  }
  const { terminals } = visitation(enumeration, policy);
  const kl = klDivergence(target, terminals);
  return { policy, kl, gap: 0, tv: totalVariation(target, terminals), terminals };

  /** The transition whose outcome is the action of the row; −1 for a stop. */
  function intendedTransition(row: number): number {
    const action = row % actions;
    for (let i = offsets[row]; i < offsets[row + 1]; i++) if (outcome[i] === action) return i;
    return -1;
  }
}

/** Water-filling: max(floor, k · share_i), with k such that the results sum to `total`. */
export function waterFill(shares: readonly number[], floor: number, total = 1): number[] {
  const order = shares.map((_, i) => i).sort((a, b) => shares[a] - shares[b]);
  let remaining = total;
  let shareLeft = shares.reduce((sum, share) => sum + share, 0);
  const result = new Array<number>(shares.length);
  for (const [position, i] of order.entries()) {
    const k = shareLeft > 0 ? remaining / shareLeft : 0;
    if (k * shares[i] >= floor && shareLeft > 0) {
      for (const j of order.slice(position)) result[j] = k * shares[j];
      return result;
    }
    result[i] = floor;
    remaining -= floor;
    shareLeft -= shares[i];
  }
  return result;
}
