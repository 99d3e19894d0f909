// Flows through the states of an enumeration: visits by step, the target's mass below states, and sets of states that one
// path of outcomes leads to.

import type { Enumeration } from "../gfn/environment/enumeration.ts";
import type { PolicyTable } from "../gfn/evaluate/exact.ts";

/** Calls `visit` with the probability that a trajectory of the policy is in a state before a step, for all steps. */
export function visitsByStep(
  { states, actions, offsets, targets, probabilities }: Enumeration,
  policy: PolicyTable,
  visit: (step: number, state: number, probability: number) => void,
): void {
  let mass = new Float64Array(states);
  let next = new Float64Array(states);
  let active = [0];
  mass[0] = 1;
  for (let step = 0; active.length > 0; step++) {
    const reached: number[] = [];
    for (const state of active) {
      const here = mass[state];
      mass[state] = 0;
      visit(step, state, here);
      for (let row = state * actions; row < (state + 1) * actions; row++) {
        const taken = here * policy[row];
        if (taken === 0) continue;
        for (let i = offsets[row]; i < offsets[row + 1]; i++) {
          const target = targets[i];
          const moved = taken * probabilities[i];
          if (target < 0 || moved === 0) continue;
          if (next[target] === 0) reached.push(target);
          next[target] += moved;
        }
      }
    }
    [mass, next] = [next, mass];
    active = reached;
  }
}

/** The node of each outcome of a state: a state, or −1 − t for terminal t. The outcome of a stop is −1. On a tree of
 * histories, several nodes have one outcome; any of them stands for all. */
export function* nodesAfter(
  { actions, offsets, targets, outcome, outcomes }: Enumeration,
  state: number,
): Generator<readonly [outcome: number, node: number]> {
  const seen = new Uint8Array(outcomes + 1);
  for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
    if (seen[outcome[i] + 1] === 1) continue;
    seen[outcome[i] + 1] = 1;
    yield [outcome[i], targets[i]];
  }
}

/** The probability of the objects below each state of a tree. */
export function massBelow(enumeration: Enumeration, target: Float64Array): Float64Array {
  const below = new Float64Array(enumeration.states);
  for (let state = enumeration.states - 1; state >= 0; state--) {
    for (const [, node] of nodesAfter(enumeration, state)) {
      below[state] += node >= 0 ? below[node] : target[-1 - node];
    }
  }
  return below;
}

/** States, or −1 − t for terminals, with the probability of being in each: what one path of outcomes leads to. */
export type Place = ReadonlyMap<number, number>;

/** Where trajectories are after one more outcome, for each outcome that has a probability. */
export function placesAfter(
  { actions, offsets, targets, outcome, probabilities }: Enumeration,
  policy: PolicyTable,
  place: Place,
): Map<number, Map<number, number>> {
  const places = new Map<number, Map<number, number>>();
  for (const [state, mass] of place) {
    if (state < 0) continue;
    for (let row = state * actions; row < (state + 1) * actions; row++) {
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const after = places.get(outcome[i]) ?? new Map<number, number>();
        places.set(outcome[i], after);
        after.set(targets[i], (after.get(targets[i]) ?? 0) + mass * policy[row] * probabilities[i]);
      }
    }
  }
  return places;
}

/** The probability of a place. */
export function massOf(place: Place): number {
  let sum = 0;
  for (const mass of place.values()) sum += mass;
  return sum;
}
