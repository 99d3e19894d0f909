// The states of autoregressive sequences: a tree of prefixes, indexed level by level.
//
// The children of prefix i have the heap indices i·A + 1 + c, so no table is needed.

import { type Enumeration, enumerationFrom, type Transition, terminalTarget } from "./enumeration.ts";

export interface SequenceSpace {
  readonly alphabetSize: number;
  /** Number of letters; the maximum if `variable`. */
  readonly length: number;
  /** Whether a stop action can end a sequence early. Otherwise every sequence has the full length. */
  readonly variable: boolean;
}

/** Enumerates all prefixes and sequences, with stick noise on every letter. */
export function enumerateSequences(
  { alphabetSize: A, length, variable }: SequenceSpace,
  stick: number,
): Enumeration {
  const prefixes = A === 1 ? length + 1 : (A ** (length + 1) - 1) / (A - 1);
  const full = A ** length;
  const inner = prefixes - full;
  // All prefixes share these objects: there are many prefixes, and `enumerationFrom` copies what it needs.
  const transitionsByAction = Array.from({ length: A }, (_, action) =>
    Array.from({ length: A }, (_, c) => ({
      target: 0,
      outcome: c,
      probability: (c === action ? 1 - stick : 0) + stick / A,
    })).filter(({ probability }) => probability > 0),
  );
  if (variable) {
    // A stop at prefix i ends in terminal i.
    return enumerationFrom(
      { states: prefixes, terminals: prefixes, actions: A + 1, outcomes: A },
      (state, action): Transition[] => {
        if (action === A) return [{ target: terminalTarget(state), outcome: -1, probability: 1 }];
        return state < inner ? writeLetter(state, action) : [];
      },
    );
  }
  return enumerationFrom({ states: inner, terminals: full, actions: A, outcomes: A }, writeLetter);

  function writeLetter(state: number, action: number): Transition[] {
    for (const transition of transitionsByAction[action]) {
      const child = state * A + 1 + transition.outcome;
      transition.target = variable || child < inner ? child : terminalTarget(child - inner);
    }
    return transitionsByAction[action];
  }
}

/** Number of letters of the prefix with this index. */
export function prefixLength(index: number, alphabetSize: number): number {
  let length = 0;
  for (let rest = index; rest > 0; length++) rest = Math.floor((rest - 1) / alphabetSize);
  return length;
}
