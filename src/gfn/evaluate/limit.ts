// The best that any policy can reach: the policy whose terminal distribution is nearest to the target in KL(target ‖ ·).
//
// With noise the target itself may be out of reach. The nearest policy follows from expectation maximisation over
// occupancies, for any kernel, on trees and other acyclic graphs; for stick noise on a tree it has a closed form.

import type { Enumeration } from "../enumeration.ts";
import { divergence, totalVariation } from "./distances.ts";
import { type PolicyTable, uniformPolicy, visitation } from "./exact.ts";

export interface Limit {
  readonly policy: PolicyTable;
  /** The smallest KL(target ‖ policy) there is. */
  readonly kl: number;
  /** Total variation of that policy; another may have a slightly smaller one. */
  readonly tv: number;
  readonly terminals: Float64Array;
}

export interface SearchOptions {
  /** Stop when a step improves the divergence by less than this. */
  readonly tolerance?: number;
  readonly maxSteps?: number;
}

/**
 * Expectation maximisation: π(a|s) becomes proportional to how often (s, a) is used when the terminal is drawn from
 * the target. Every step lowers the divergence.
 */
export function limitBySearch(
  listed: Enumeration,
  target: Float64Array,
  { tolerance = 1e-10, maxSteps = 20_000 }: SearchOptions = {},
): Limit {
  const policy = uniformPolicy(listed);
  let { terminals } = visitation(listed, policy);
  let kl = divergence(target, terminals);
  for (let step = 0; step < maxSteps; step++) {
    improve(listed, target, policy, terminals);
    terminals = visitation(listed, policy).terminals;
    const next = divergence(target, terminals);
    if (kl - next < tolerance) {
      kl = next;
      break;
    }
    kl = next;
  }
  return { policy, kl, tv: totalVariation(target, terminals), terminals };
}

/** One step, in place: backwards over the states with the ratio target / reached carried from the terminals. */
function improve(
  listed: Enumeration,
  target: Float64Array,
  policy: PolicyTable,
  reached: Float64Array,
): void {
  const { states, actions, offsets, targets, probabilities } = listed;
  const ratio = target.map((wanted, t) => (wanted > 0 ? wanted / reached[t] : 0));
  const value = new Float64Array(states);
  for (let state = states - 1; state >= 0; state--) {
    let sum = 0;
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      let expected = 0;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const to = targets[i];
        expected += probabilities[i] * (to >= 0 ? value[to] : ratio[-1 - to]);
      }
      policy[row] *= expected;
      sum += policy[row];
    }
    value[state] = sum;
    if (sum > 0) for (let row = state * actions; row < (state + 1) * actions; row++) policy[row] /= sum;
  }
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
    letters.forEach(({ row }, i) => {
      policy[row] = (moving * (filled[i] - floor)) / (1 - stick);
    });
  }
  const { terminals } = visitation(listed, policy);
  return { policy, kl: divergence(target, terminals), tv: totalVariation(target, terminals), terminals };

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
