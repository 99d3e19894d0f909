// Histories listed: pairs of what was written and what was intended, for policies that read both.
//
// The list is an enumeration like any other, so everything exact works on it. Its states are numbered as prefixes are,
// with pairs for letters: history h has the children h · A² + 1 + a · A + c.

import { type Enumeration, enumeration, type Transition, terminal } from "../enumeration.ts";
import {
  type EnumerableEnvironment,
  type Environment,
  hasHistories,
  isEnumerable,
  listingOf,
} from "../environment.ts";
import { isStrings } from "../environments/kind.ts";
import type { PolicyTable } from "./exact.ts";

/** States are histories; terminals are the written strings, numbered as the environment does. */
export interface HistoryListing extends Enumeration {
  /** Letters of a string; a history has fewer. */
  readonly length: number;
  /** The state each history is in, by what was written alone: `State.index`. As `groups` of `limitBySearch`, the limit
   * of policies that do not read the thought. */
  readonly prefixes: Int32Array;
  /** Letters of each history, intended and as they came out; −1 where none is yet. [states · length] each. */
  readonly intended: Int16Array;
  readonly realised: Int16Array;
}

/** More histories than this are not listed. */
const LARGEST_LISTING = 2 ** 21;

/** Whether there is such a list, and of a size that is made. */
export function canListHistories(environment: Environment): boolean {
  if (!isStrings(environment) || environment.variable) return false;
  const known = hasHistories(environment) || isEnumerable(environment);
  return known && countBelow(environment.outcomes ** 2, environment.length) <= LARGEST_LISTING;
}

/** Law of the next outcome after a history, [actions · outcomes]: row a, column c. */
export type KernelAfter = (intended: readonly number[], realised: readonly number[]) => Float64Array;

/** All histories of strings of a fixed length, with the environment's own kernel after each. */
export function historyListing(environment: Environment): HistoryListing {
  const where = `historyListing: ${environment.name}`;
  if (!isStrings(environment) || environment.variable) {
    throw new RangeError(`${where} are not strings of a fixed length, so their histories are not listed`);
  }
  const { outcomes: A, length: L } = environment;
  const states = countBelow(A * A, L);
  if (states > LARGEST_LISTING) {
    throw new RangeError(
      `${where} have ${states} histories, more than the ${LARGEST_LISTING} that are listed; take fewer letters`,
    );
  }
  const prefixes = new Int32Array(states);
  const intended = new Int16Array(states * L).fill(-1);
  const realised = new Int16Array(states * L).fill(-1);
  for (let child = 1; child < states; child++) {
    const parent = Math.floor((child - 1) / (A * A));
    const pair = (child - 1) % (A * A);
    const [a, c] = [Math.floor(pair / A), pair % A];
    prefixes[child] = prefixes[parent] * A + 1 + c;
    for (const [letters, letter] of [
      [intended, a],
      [realised, c],
    ] as const) {
      letters.copyWithin(child * L, parent * L, (parent + 1) * L);
      letters[letters.indexOf(-1, child * L)] = letter;
    }
  }

  const kernelAfter = kernelsOf(environment);
  const inner = countBelow(A, L);
  const sizes = { states, terminals: A ** L, actions: A, outcomes: A };
  let kernel: Float64Array = new Float64Array();
  const listed = enumeration(sizes, (state, action): Transition[] => {
    if (action === 0) kernel = kernelAfter(lettersOf(intended, state), lettersOf(realised, state));
    const transitions: Transition[] = [];
    for (let outcome = 0; outcome < A; outcome++) {
      const probability = kernel[action * A + outcome];
      const child = state * A * A + 1 + action * A + outcome;
      const target = child < states ? child : terminal(prefixes[state] * A + 1 + outcome - inner);
      if (probability > 0) transitions.push({ target, outcome, probability });
    }
    return transitions;
  });
  return { ...listed, length: L, prefixes, intended, realised };

  function lettersOf(letters: Int16Array, state: number): number[] {
    return Array.from(letters.subarray(state * L, (state + 1) * L)).filter((letter) => letter >= 0);
  }
}

/** The same policy for all histories of a prefix: one that does not read the thought. */
export function withoutThought({ prefixes, actions }: HistoryListing, policy: PolicyTable): PolicyTable {
  const spread = new Float64Array(prefixes.length * actions);
  prefixes.forEach((prefix, history) => {
    spread.set(policy.subarray(prefix * actions, (prefix + 1) * actions), history * actions);
  });
  return spread;
}

/** The kernel after histories: the environment's own, or that of the listed state, which is all that matters there. */
function kernelsOf(environment: Environment): KernelAfter {
  if (hasHistories(environment)) {
    return (intended, realised) => environment.kernelAfter(intended, realised);
  }
  if (isEnumerable(environment)) return listedKernels(environment);
  throw new RangeError(
    `historyListing: ${environment.name} have no kernelAfter and no list of states, so their kernel is not known`,
  );
}

function listedKernels(environment: EnumerableEnvironment): KernelAfter {
  const { offsets, outcome, probabilities } = listingOf(environment);
  const { outcomes: A } = environment;
  return (_, realised) => {
    const prefix = realised.reduce((index, letter) => index * A + 1 + letter, 0);
    const kernel = new Float64Array(A * A);
    for (let a = 0; a < A; a++) {
      const at = prefix * A + a;
      for (let i = offsets[at]; i < offsets[at + 1]; i++) kernel[a * A + outcome[i]] = probabilities[i];
    }
    return kernel;
  };
}

/** Strings of fewer than `length` letters. */
function countBelow(letters: number, length: number): number {
  return letters === 1 ? length : (letters ** length - 1) / (letters - 1);
}
