// The enumeration of an environment: all states with the exact kernel, on the host in float64. Exact evaluation
// computes on it.
//
// State 0 is the start, and every transition leads to a state with a higher index or to a terminal object. Under noise,
// one action has several transitions, one per possible outcome.

import { formatBytes, memoryBudget } from "../../math/memory-budget.ts";

/** All states of an environment with the exact kernel. */
export interface Enumeration {
  /** Number of states that are not terminal. */
  readonly states: number;
  /** Number of terminal objects. */
  readonly terminals: number;
  /** Number of actions over all states. An action is legal in a state if it has a transition there. */
  readonly actions: number;
  /** Number of outcomes that an action can have. */
  readonly outcomes: number;
  /** The transitions of state s and action a are the entries from offsets[s·actions + a] up to the next offset. */
  readonly offsets: Uint32Array;
  /** Target of each transition: a state index, or −1 − t for terminal t. */
  readonly targets: Int32Array;
  /** Outcome of each transition; −1 for a stop, which has no outcome. */
  readonly outcome: Int16Array;
  /** Probability of each transition, given its state and action. */
  readonly probabilities: Float64Array;
}

/** One possible result of an action in a state, for `enumerationFrom`. */
export interface Transition {
  readonly target: number;
  readonly outcome: number;
  readonly probability: number;
}

/** The number that stands for a terminal object among the targets of transitions. */
export function terminalTarget(index: number): number {
  return -1 - index;
}

/**
 * Builds an enumeration. `transitionsOf(state, action)` returns an empty array if the action is not legal. The returned
 * array is copied before the next call, so the function may reuse one array.
 *
 * @example
 * ```ts
 * import { enumerationFrom, terminalTarget, uniformPolicy, visitation } from "gflownet/gfn";
 *
 * // One state, two actions: action i ends in object i with probability 0.75, and in the other one otherwise.
 * const enumeration = enumerationFrom({ states: 1, terminals: 2, actions: 2, outcomes: 2 }, (_, action) =>
 *   [0, 1].map((outcome) => ({
 *     target: terminalTarget(outcome),
 *     outcome,
 *     probability: outcome === action ? 0.75 : 0.25,
 *   })),
 * );
 * const { terminals } = visitation(enumeration, uniformPolicy(enumeration));
 * console.log(terminals.join(" ")); // 0.5 0.5
 * ```
 */
export function enumerationFrom(
  sizes: Pick<Enumeration, "states" | "terminals" | "actions" | "outcomes">,
  transitionsOf: (state: number, action: number) => readonly Transition[],
): Enumeration {
  const { states, actions } = sizes;
  const offsets = new Uint32Array(states * actions + 1);
  let targets = new Int32Array(states * actions);
  let outcome = new Int16Array(states * actions);
  let probabilities = new Float64Array(states * actions);
  let count = 0;
  for (let row = 0, state = 0; state < states; state++) {
    for (let action = 0; action < actions; action++) {
      const transitions = transitionsOf(state, action);
      if (count + transitions.length > targets.length) {
        // The arrays grow by half of their length, so that they are rarely copied.
        const capacity = Math.ceil(1.5 * count) + transitions.length;
        checkCapacity(capacity, state, states);
        targets = copyInto(new Int32Array(capacity), targets);
        outcome = copyInto(new Int16Array(capacity), outcome);
        probabilities = copyInto(new Float64Array(capacity), probabilities);
      }
      for (const transition of transitions) {
        targets[count] = transition.target;
        outcome[count] = transition.outcome;
        probabilities[count] = transition.probability;
        count++;
      }
      offsets[++row] = count;
    }
  }
  return {
    ...sizes,
    offsets,
    targets: targets.slice(0, count),
    outcome: outcome.slice(0, count),
    probabilities: probabilities.slice(0, count),
  };
}

/** Bytes of a transition. */
const TRANSITION_BYTES = 4 + 2 + 8;

/** Throws before the arrays grow beyond the available memory. */
function checkCapacity(capacity: number, state: number, states: number): void {
  const [bytes, { memory }] = [TRANSITION_BYTES * capacity, memoryBudget()];
  if (bytes <= memory) return;
  throw new RangeError(
    `enumerationFrom: the transitions of ${states} states would take more than ${formatBytes(bytes)} of memory ` +
      `(${state} of them are done), but about ${formatBytes(memory)} are available; use an environment with ` +
      "fewer states or actions, or one without an enumeration",
  );
}

function copyInto<A extends Int32Array | Int16Array | Float64Array>(larger: A, array: A): A {
  larger.set(array);
  return larger;
}

/** Throws a RangeError that names the first mistake: probabilities must sum to one, transitions must lead forward, and
 * every state and terminal must be reachable. */
export function checkEnumeration(environment: string, enumeration: Enumeration): void {
  const { states, terminals, actions, offsets, targets, probabilities } = enumeration;
  const reached = new Uint8Array(states);
  const ended = new Uint8Array(terminals);
  reached[0] = 1;
  for (let state = 0; state < states; state++) {
    let allowed = 0;
    for (let action = 0; action < actions; action++) {
      const [from, to] = [offsets[state * actions + action], offsets[state * actions + action + 1]];
      if (from === to) continue;
      allowed++;
      let sum = 0;
      for (let i = from; i < to; i++) {
        const [target, probability] = [targets[i], probabilities[i]];
        if (!(probability >= 0)) {
          throw new RangeError(
            `${environment}: state ${state}, action ${action}: probability ${probability}`,
          );
        }
        if (target >= 0 && target <= state) {
          throw new RangeError(
            `${environment}: state ${state} leads back to state ${target}; it must go forward`,
          );
        }
        if (target >= states || -1 - target >= terminals) {
          throw new RangeError(`${environment}: state ${state} leads to ${target}, which does not exist`);
        }
        if (probability > 0) {
          if (target >= 0) reached[target] |= reached[state];
          else ended[-1 - target] |= reached[state];
        }
        sum += probability;
      }
      if (Math.abs(sum - 1) > 1e-9) {
        throw new RangeError(
          `${environment}: state ${state}, action ${action}: probabilities sum to ${sum}, not 1`,
        );
      }
    }
    if (allowed === 0)
      throw new RangeError(`${environment}: state ${state} allows no action and is not terminal`);
  }
  const unreachedState = reached.indexOf(0);
  if (unreachedState >= 0) throw new RangeError(`${environment}: state ${unreachedState} cannot be reached`);
  const unreachedTerminal = ended.indexOf(0);
  if (unreachedTerminal >= 0)
    throw new RangeError(`${environment}: terminal ${unreachedTerminal} cannot be reached`);
}
