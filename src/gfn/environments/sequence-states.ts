// The states of autoregressive strings: a tree of prefixes, numbered level by level.
//
// Prefix number i has the children i·A + 1 + c (its heap index), so that numbers never need a table.

import { type Enumeration, enumeration, type Transition, terminal } from "../enumeration.ts";

export interface SequenceSpace {
  /** Size of the alphabet. */
  readonly letters: number;
  /** Largest number of letters. */
  readonly length: number;
  /** Strings may stop early, by an action of its own; else all have the full length. */
  readonly variable: boolean;
}

/** All prefixes and strings, with stick noise on every letter. */
export function enumerateSequences(
  { letters: A, length, variable }: SequenceSpace,
  stick: number,
): Enumeration {
  const prefixes = A === 1 ? length + 1 : (A ** (length + 1) - 1) / (A - 1);
  const full = A ** length;
  const inner = prefixes - full;
  // The same few objects for every prefix: there are many, and `enumeration` keeps none of them.
  const byIntention = Array.from({ length: A }, (_, intended) =>
    Array.from({ length: A }, (_, c) => ({
      target: 0,
      outcome: c,
      probability: (c === intended ? 1 - stick : 0) + stick / A,
    })).filter(({ probability }) => probability > 0),
  );
  if (variable) {
    // A stop ends the string at any prefix, which then is terminal number prefix.
    return enumeration(
      { states: prefixes, terminals: prefixes, actions: A + 1, outcomes: A },
      (state, action): Transition[] => {
        if (action === A) return [{ target: terminal(state), outcome: -1, probability: 1 }];
        return state < inner ? lettersAfter(state, action) : [];
      },
    );
  }
  return enumeration({ states: inner, terminals: full, actions: A, outcomes: A }, lettersAfter);

  function lettersAfter(state: number, intended: number): Transition[] {
    for (const transition of byIntention[intended]) {
      const child = state * A + 1 + transition.outcome;
      transition.target = variable || child < inner ? child : terminal(child - inner);
    }
    return byIntention[intended];
  }
}

/** Letters in prefix number `index`. */
export function prefixLength(index: number, letters: number): number {
  let length = 0;
  for (let rest = index; rest > 0; length++) rest = Math.floor((rest - 1) / letters);
  return length;
}
