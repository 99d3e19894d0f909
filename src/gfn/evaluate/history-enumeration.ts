// Enumeration of histories, for policies that are conditioned on actions as well as outcomes.
//
// A history is a sequence of pairs (action a, outcome c). The enumeration has histories as states, so all exact methods
// work on it. With A letters, history h has the children h · A² + 1 + a · A + c.

import { hasAllStrings } from "../environment/capabilities.ts";
import {
  type Enumeration,
  enumerationFrom,
  type Transition,
  terminalTarget,
} from "../environment/enumeration.ts";
import {
  type EnumerableEnvironment,
  type Environment,
  enumerationOf,
  isEnumerable,
  isHistoryDependent,
} from "../environment/environment.ts";
import type { SequenceEnvironment } from "../environment/sequence.ts";
import type { PolicyTable } from "./exact.ts";

/** States are histories. Terminals are complete strings, numbered as in the environment. */
export interface HistoryEnumeration extends Enumeration {
  /** Letters of a complete string; every history is shorter. */
  readonly length: number;
  /** `State.index` of the state that each history leads to, which depends on its outcomes alone. As `groups` of
   * `limitByExpectationMaximisation`, it gives the limit of policies that are not conditioned on the thought. */
  readonly stateIndex: Int32Array;
  /** Actions of each history, −1 after its end, [states · length]. */
  readonly actionHistory: Int16Array;
  /** Outcomes of each history, −1 after its end, [states · length]. */
  readonly outcomeHistory: Int16Array;
}

const MAX_HISTORIES = 2 ** 21;

/** Whether `enumerateHistories` supports the environment. */
export function canEnumerateHistories(environment: Environment): boolean {
  if (!hasAllStrings(environment) || environment.variable) return false;
  const hasKernel = isHistoryDependent(environment) || isEnumerable(environment);
  return hasKernel && countHistories(environment) <= MAX_HISTORIES;
}

/** Number of histories before a complete string. */
export function countHistories({
  outcomes,
  length,
}: Pick<SequenceEnvironment, "outcomes" | "length">): number {
  return countShorter(outcomes ** 2, length);
}

/** Distribution of the next outcome c for each action a after a history, [actions · outcomes]: row a, column c. */
export type HistoryKernel = (actions: readonly number[], outcomes: readonly number[]) => Float64Array;

/** Enumerates all histories of strings of a fixed length, with the kernel of the environment after each. */
export function enumerateHistories(environment: Environment): HistoryEnumeration {
  if (!hasAllStrings(environment) || environment.variable) {
    throw new RangeError(
      `enumerateHistories: the objects must be strings of a fixed length without constraints, got ${environment.name}`,
    );
  }
  const { outcomes: A, length: L } = environment;
  const states = countShorter(A * A, L);
  if (states > MAX_HISTORIES) {
    throw new RangeError(
      `enumerateHistories: there must be at most ${MAX_HISTORIES} histories, got ${states} for ${environment.name}; use a shorter length or a smaller alphabet`,
    );
  }
  const stateIndex = new Int32Array(states);
  const actionHistory = new Int16Array(states * L).fill(-1);
  const outcomeHistory = new Int16Array(states * L).fill(-1);
  for (let child = 1; child < states; child++) {
    const parent = Math.floor((child - 1) / (A * A));
    const pair = (child - 1) % (A * A);
    const [a, c] = [Math.floor(pair / A), pair % A];
    stateIndex[child] = stateIndex[parent] * A + 1 + c;
    for (const [letters, letter] of [
      [actionHistory, a],
      [outcomeHistory, c],
    ] as const) {
      letters.copyWithin(child * L, parent * L, (parent + 1) * L);
      letters[letters.indexOf(-1, child * L)] = letter;
    }
  }

  const kernelAfter = historyKernel(environment);
  const prefixes = countShorter(A, L);
  const sizes = { states, terminals: A ** L, actions: A, outcomes: A };
  let kernel: Float64Array = new Float64Array();
  const enumeration = enumerationFrom(sizes, (state, action): Transition[] => {
    if (action === 0) kernel = kernelAfter(lettersOf(actionHistory, state), lettersOf(outcomeHistory, state));
    const transitions: Transition[] = [];
    for (let outcome = 0; outcome < A; outcome++) {
      const probability = kernel[action * A + outcome];
      const child = state * A * A + 1 + action * A + outcome;
      const target = child < states ? child : terminalTarget(stateIndex[state] * A + 1 + outcome - prefixes);
      if (probability > 0) transitions.push({ target, outcome, probability });
    }
    return transitions;
  });
  return { ...enumeration, length: L, stateIndex, actionHistory, outcomeHistory };

  function lettersOf(letters: Int16Array, state: number): number[] {
    const found: number[] = [];
    for (let i = state * L; i < (state + 1) * L && letters[i] >= 0; i++) found.push(letters[i]);
    return found;
  }
}

/** A policy of histories that takes the row of the state in `policy`, and so ignores the thought. */
export function broadcastToHistories(
  { stateIndex, actions }: HistoryEnumeration,
  policy: PolicyTable,
): PolicyTable {
  const broadcast = new Float64Array(stateIndex.length * actions);
  stateIndex.forEach((state, history) => {
    broadcast.set(policy.subarray(state * actions, (state + 1) * actions), history * actions);
  });
  return broadcast;
}

function historyKernel(environment: Environment): HistoryKernel {
  if (isHistoryDependent(environment)) {
    return (actions, outcomes) => environment.kernelAfter(actions, outcomes);
  }
  if (isEnumerable(environment)) return stateKernel(environment);
  throw new RangeError(
    `enumerateHistories: the environment must have kernelAfter or enumerate, got ${environment.name} with neither`,
  );
}

/** The kernel of an enumerable environment, which depends on the history only through the state. */
function stateKernel(environment: EnumerableEnvironment): HistoryKernel {
  const { offsets, outcome, probabilities } = enumerationOf(environment);
  const { outcomes: A } = environment;
  return (_, outcomes) => {
    const state = outcomes.reduce((index, letter) => index * A + 1 + letter, 0);
    const kernel = new Float64Array(A * A);
    for (let a = 0; a < A; a++) {
      const row = state * A + a;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) kernel[a * A + outcome[i]] = probabilities[i];
    }
    return kernel;
  };
}

/** Number of strings that are shorter than `length`. */
function countShorter(letters: number, length: number): number {
  return letters === 1 ? length : (letters ** length - 1) / (letters - 1);
}
