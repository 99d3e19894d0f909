// The best that any policy can reach: the policy whose terminal distribution is nearest to the target in KL(target ‖ ·).
//
// With noise the target itself may be out of reach. The nearest policy follows from expectation maximisation over
// occupancies, for any kernel, on trees and other acyclic graphs; for stick noise on a tree it has a closed form.

import type { Enumeration } from "../enumeration.ts";
import { divergence, totalVariation } from "./distances.ts";
import { type PolicyTable, uniformPolicy, type Visitation, visitation } from "./exact.ts";
import { type Groups, groupsOf } from "./groups.ts";

export interface Limit {
  readonly policy: PolicyTable;
  /** The smallest KL(target ‖ policy) there is, or at most `gap` above it. */
  readonly kl: number;
  /** NaN where no bound is known: for policies that are the same in groups of states. */
  readonly gap: number;
  /** Total variation of that policy; another may have a slightly smaller one. */
  readonly tv: number;
  readonly terminals: Float64Array;
}

export interface SearchOptions {
  /** Stop when no policy can have a divergence that is smaller by more than this. */
  readonly tolerance?: number;
  readonly maxSteps?: number;
  /** Number of a group for each state: only policies that are the same in all states of a group. No bound is known for
   * them, and there may be local minima; the search stops when a few steps together gain less than the tolerance. */
  readonly groups?: Int32Array;
  /** Where to start; uniform if not given. */
  readonly start?: PolicyTable;
}

interface Reached extends Visitation {
  readonly policy: PolicyTable;
  readonly kl: number;
}

/** Steps that are looked at together where only the gain says when to stop. */
const WINDOW = 20;

/**
 * Expectation maximisation with momentum. A plain step never raises the divergence, but can lower it slowly; so the
 * logarithm of the policy is first carried on in the direction of the step before (Nesterov's weights). Where that
 * raises the divergence, it is undone and the momentum starts anew: the divergence falls from step to step.
 */
export function limitBySearch(
  listed: Enumeration,
  target: Float64Array,
  { tolerance = 1e-7, maxSteps = 20_000, groups, start }: SearchOptions = {},
): Limit {
  const tied = groups && groupsOf(listed, groups);
  const reach = (policy: PolicyTable): Reached => {
    const visits = visitation(listed, policy);
    return { policy, ...visits, kl: divergence(target, visits.terminals) };
  };
  let current = reach(start ?? uniformPolicy(listed));
  let before = current;
  let last = Number.POSITIVE_INFINITY; // divergence a window ago
  let moved = 0; // steps since the momentum started
  for (let step = 1; ; step++) {
    const ahead =
      moved > 0 ? reach(carriedOn(listed, before.policy, current.policy, moved / (moved + 3))) : current;
    const falls = ahead.kl <= current.kl;
    const from = falls ? ahead : current;
    const { policy, gap } = improved(listed, target, from, tied);
    let found = gap <= tolerance;
    if (tied && step % WINDOW === 0) {
      found = last - from.kl <= tolerance;
      last = from.kl;
    }
    if (found || step > maxSteps) {
      const { kl, terminals } = from;
      return { policy: from.policy, kl, gap, tv: totalVariation(target, terminals), terminals };
    }
    moved = falls ? moved + 1 : 1;
    before = current;
    current = reach(policy);
  }
}

/** The policy that is proportional to after · (after / before)^weight. */
function carriedOn(
  listed: Enumeration,
  before: PolicyTable,
  after: PolicyTable,
  weight: number,
): PolicyTable {
  const policy = new Float64Array(after.length);
  for (let start = 0; start < policy.length; start += listed.actions) {
    const end = start + listed.actions;
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
 * One step of expectation maximisation: π(a|s) becomes proportional to how often (s, a) is used when the terminal is
 * drawn from the target; where states are tied, how often together. Goes backwards over the states with the ratio
 * target / reached carried from the terminals.
 *
 * The same ratio says how much can be left to gain. For any other policy q, KL(target ‖ p) − KL(target ‖ q) is
 * Σ target log(q / p), which by Jensen is at most log Σ q · target / p; so at most the logarithm of the largest
 * expected ratio, which dynamic programming gives.
 */
function improved(
  listed: Enumeration,
  target: Float64Array,
  { policy, terminals, states: visits }: Reached,
  tied?: Groups,
): { policy: PolicyTable; gap: number } {
  const { states, actions, offsets, targets, probabilities } = listed;
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
      // Of a state alone only proportions matter; in a group, states count as often as they are used.
      if (tied) next[row] *= visits[state];
      else next[row] = sum > 0 ? next[row] / sum : policy[row];
    }
  }
  if (tied) return { policy: tied.pooled(next, policy), gap: Number.NaN };
  return { policy: next, gap: Math.max(0, Math.log(largest[0])) };
}

/** The best by whichever way fits: closed form for stick noise on a tree, search otherwise. */
export function limitOf(
  { tree, stick }: { readonly tree: boolean; readonly stick: number },
  listed: Enumeration,
  target: Float64Array,
): Limit {
  return tree && isStick(listed, stick)
    ? limitByFilling(listed, target, stick)
    : limitBySearch(listed, target);
}

/** Whether every noisy intention comes true but for a share, which goes to all outcomes of its state alike. */
function isStick({ actions, offsets, outcome, probabilities }: Enumeration, stick: number): boolean {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const count = offsets[row + 1] - offsets[row];
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      if (outcome[i] < 0) continue;
      const intended = outcome[i] === row % actions ? 1 - stick : 0;
      if (Math.abs(probabilities[i] - intended - (stick > 0 ? stick / count : 0)) > 1e-12) return false;
    }
  }
  return true;
}

/**
 * Closed form for stick noise on a tree, where the divergence is a sum over states: the outcome probabilities of a
 * state are max(floor, k · share), with k such that they sum to one ("water-filling").
 */
export function limitByFilling(listed: Enumeration, target: Float64Array, stick: number): Limit {
  const { states, actions, offsets, targets, outcome } = listed;
  const mass = new Float64Array(states);
  const massOf = (to: number) => (to >= 0 ? mass[to] : target[-1 - to]);
  const policy = new Float64Array(states * actions);
  for (let state = states - 1; state >= 0; state--) {
    // Letters are noisy and lead, intended or not, to the same children; a stop is certain.
    const letters: { row: number; mass: number }[] = [];
    let stopRow = -1;
    let stopMass = 0;
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      if (offsets[row] === offsets[row + 1]) continue;
      const own = ownTransition(row);
      if (own < 0) {
        stopRow = row;
        stopMass = massOf(targets[offsets[row]]);
      } else letters.push({ row, mass: massOf(targets[own]) });
    }
    const letterMass = letters.reduce((sum, letter) => sum + letter.mass, 0);
    mass[state] = letterMass + stopMass;
    if (mass[state] === 0) {
      const allowed = letters.length + (stopRow >= 0 ? 1 : 0);
      for (const { row } of letters) policy[row] = 1 / allowed;
      if (stopRow >= 0) policy[stopRow] = 1 / allowed;
      continue;
    }
    const moving = letterMass / mass[state];
    if (stopRow >= 0) policy[stopRow] = 1 - moving;
    if (letters.length === 0 || moving === 0) continue;
    const floor = stick / letters.length;
    const filled = fill(
      letters.map((letter) => letter.mass / letterMass),
      floor,
    );
    // Together 1 − stick, but for what is lost in the difference; where stick is nearly 1 that may be all of it.
    const above = filled.map((share) => share - floor);
    const sum = above.reduce((a, b) => a + b);
    letters.forEach(({ row }, i) => {
      policy[row] = moving * (sum > 0 ? above[i] / sum : 1 / letters.length);
    });
  }
  const { terminals } = visitation(listed, policy);
  const kl = divergence(target, terminals);
  return { policy, kl, gap: 0, tv: totalVariation(target, terminals), terminals };

  /** The transition in which a row's own letter comes out, or −1 for a stop. */
  function ownTransition(row: number): number {
    const action = row % actions;
    for (let i = offsets[row]; i < offsets[row + 1]; i++) if (outcome[i] === action) return i;
    return -1;
  }
}

/** max(floor, k · share_i) with k such that they sum to one. */
export function fill(shares: readonly number[], floor: number): number[] {
  const order = shares.map((_, i) => i).sort((a, b) => shares[a] - shares[b]);
  let remaining = 1;
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
