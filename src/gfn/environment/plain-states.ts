// The states of a plain environment: pairs of a step and a state of the world, breadth first, so that every transition
// leads to a higher index although the world may have cycles. A trajectory ends in an object, which several pairs share.
//
// An outcome of a pair is one of the nodes (pairs or objects) that can follow it. If every action has a single one,
// outcome i is that of action i. Otherwise outcomes are numbered so that action i is most likely to have outcome i.

import { type Enumeration, enumerationFrom, type Transition, terminalTarget } from "./enumeration.ts";
import { ALTERNATIVE, grouped, MAX_TRANSITIONS, type Refuse, tooMany, type World } from "./plain-world.ts";

/** Largest number of pairs of step and state. */
const MAX_PAIRS = 200_000;
/** Largest number of actions, and of nodes that can follow one pair. */
const MAX_OUTCOMES = 256;

export interface PlainStates {
  readonly enumeration: Enumeration;
  /** The step and the state of the world of each state of the enumeration. */
  readonly pairs: readonly { readonly step: number; readonly state: number }[];
}

/** The nodes that an action can lead to, as targets of transitions, with their probabilities. */
type Successors = ReadonlyMap<number, number>;

export function enumeratePairs<S, O>(world: World<S, O>, steps: number, refuse: Refuse): PlainStates {
  const levels = levelsOf(world, steps, refuse);
  const pairs = levels.flatMap((level, step) => [...level.keys()].map((state) => ({ step, state })));
  const successorsOf = (pair: number) => {
    const { step, state } = pairs[pair];
    return world.actionsOf(state).map(({ action, outcomes }) => {
      const successors = new Map<number, number>();
      for (const { state: next, probability } of outcomes) {
        const node = levels[step + 1]?.get(next) ?? terminalTarget(world.objectOf(next));
        successors.set(node, (successors.get(node) ?? 0) + probability);
      }
      return { action, successors };
    });
  };
  let mostOutcomes = 1;
  let deterministic = true;
  for (let pair = 0; pair < pairs.length; pair++) {
    const nodes = new Set<number>();
    for (const { successors } of successorsOf(pair)) {
      deterministic &&= successors.size === 1;
      for (const node of successors.keys()) nodes.add(node);
    }
    mostOutcomes = Math.max(mostOutcomes, nodes.size);
  }
  const actions = world.actionNames.length;
  const count = deterministic ? actions : Math.max(actions, mostOutcomes);
  if (count > MAX_OUTCOMES) {
    const what =
      actions > MAX_OUTCOMES ? `${actions} actions` : `${mostOutcomes} states that can follow one state`;
    refuse(
      actions > MAX_OUTCOMES ? "actions" : "step",
      `may give up to ${MAX_OUTCOMES}, got ${what}; ${ALTERNATIVE}`,
    );
  }
  const sizes = { states: pairs.length, terminals: world.objects.length, actions: count, outcomes: count };
  let current = -1;
  let transitions: Transition[][] = [];
  const enumeration = enumerationFrom(sizes, (pair, action) => {
    // Pairs come in order, with all actions of one before the next.
    if (pair !== current) {
      current = pair;
      transitions = transitionsOf(successorsOf(pair), count, deterministic);
    }
    return transitions[action];
  });
  return { enumeration, pairs };
}

/** The states of the world that are reached after each number of steps and continue, with their indices as pairs. */
function levelsOf<S, O>(world: World<S, O>, steps: number, refuse: Refuse): Map<number, number>[] {
  if (world.actionsOf(world.start).length === 0) {
    refuse(
      "actions",
      `must give the start at least one action, got none for ${world.states[world.start].key}`,
    );
  }
  const levels = [new Map([[world.start, 0]])];
  let [pairs, ends, transitions] = [1, 0, 0];
  for (let step = 0; step < steps && levels[step].size > 0; step++) {
    const next = new Map<number, number>();
    const ended = new Set<number>();
    for (const state of levels[step].keys()) {
      for (const { outcomes } of world.actionsOf(state)) {
        transitions += outcomes.length;
        for (const { state: after } of outcomes) {
          if (step + 1 < steps && world.actionsOf(after).length > 0) {
            if (!next.has(after)) next.set(after, pairs++);
          } else if (!ended.has(after)) {
            ended.add(after);
            ends++;
            world.objectOf(after);
          }
        }
      }
      const reached = `after ${step + 1} of ${grouped(steps)} steps`;
      if (pairs + ends > MAX_PAIRS) refuse("steps", tooMany(MAX_PAIRS, "pairs of step and state", reached));
      if (transitions > MAX_TRANSITIONS) refuse("steps", tooMany(MAX_TRANSITIONS, "transitions", reached));
    }
    levels.push(next);
  }
  return levels.filter((level) => level.size > 0);
}

/** The transitions of every action of a pair. */
function transitionsOf(
  actions: readonly { readonly action: number; readonly successors: Successors }[],
  count: number,
  deterministic: boolean,
): Transition[][] {
  const outcomeOf = deterministic ? undefined : numberOutcomes(actions, count);
  const transitions = Array.from({ length: count }, (): Transition[] => []);
  for (const { action, successors } of actions) {
    for (const [target, probability] of successors) {
      transitions[action].push({ target, outcome: outcomeOf?.get(target) ?? action, probability });
    }
  }
  return transitions;
}

/** Numbers the nodes that can follow a pair: the most probable pairs of action and node get the number of the action, as
 * far as both are free, and other nodes the lowest free numbers. */
function numberOutcomes(
  actions: readonly { readonly action: number; readonly successors: Successors }[],
  count: number,
): ReadonlyMap<number, number> {
  const edges = actions.flatMap(({ action, successors }) =>
    Array.from(successors, ([node, probability]) => ({ action, node, probability })),
  );
  const numbers = new Map<number, number>();
  const free = new Set(Array.from({ length: count }, (_, i) => i));
  for (const { action, node } of edges.toSorted((a, b) => b.probability - a.probability)) {
    if (!numbers.has(node) && free.delete(action)) numbers.set(node, action);
  }
  for (const { node } of edges) {
    if (numbers.has(node)) continue;
    const [lowest] = free;
    numbers.set(node, lowest);
    free.delete(lowest);
  }
  return numbers;
}
