// Part automata of forbidden motifs: one for all motifs of single tokens, and one for all motifs that have several tokens
// at a place, such as IUPAC codes.

import type { Part } from "./parts.ts";
import type { SequenceSpace } from "./space.ts";
import { StateTable } from "./state-table.ts";

/** A forbidden motif of single tokens, and the index of its constraint. */
export interface ForbiddenTokens {
  readonly constraint: number;
  readonly motif: readonly number[];
}

/** A forbidden motif with the tokens of each place, and the index of its constraint. */
export interface ForbiddenSets {
  readonly constraint: number;
  readonly motif: readonly (readonly number[])[];
}

/** Forbidden motifs that have too many states on their own. */
export class TooManyStates extends Error {
  override readonly name = "TooManyStates";
  /** Indices of their constraints. */
  readonly constraints: readonly number[];

  constructor(constraints: readonly number[]) {
    super("forbidden motifs have too many states");
    this.constraints = constraints;
  }
}

/** Largest number of integers in the tables of a part, 256 MB. */
const MOST_INTEGERS = 2 ** 26;

/** The automaton of Aho and Corasick: its states are the prefixes of the motifs, and no motif is a state. */
export function forbidPart({ tokens }: SequenceSpace, motifs: readonly ForbiddenTokens[]): Part {
  const A = tokens.length;
  const constraints = motifs.map(({ constraint }) => constraint);
  const children: Int32Array[] = [new Int32Array(A).fill(-1)];
  const isMotif: boolean[] = [false];
  // The only motif that has this prefix, −1 if there are several.
  const onlyMotif: number[] = [-1];
  motifs.forEach(({ motif }, index) => {
    let state = 0;
    for (const token of motif) {
      if (children[state][token] < 0) {
        children[state][token] = children.length;
        if ((children.length + 1) * A > MOST_INTEGERS) throw new TooManyStates(constraints);
        children.push(new Int32Array(A).fill(-1));
        isMotif.push(false);
        onlyMotif.push(index);
      } else onlyMotif[children[state][token]] = -1;
      state = children[state][token];
    }
    isMotif[state] = true;
  });
  // Breadth first: a missing child is that of the longest proper suffix, `fallback`, which is complete by then.
  const fallback = new Int32Array(children.length);
  const queue = [0];
  for (const state of queue) {
    isMotif[state] ||= isMotif[fallback[state]];
    for (let token = 0; token < A; token++) {
      const child = children[state][token];
      const ofSuffix = state === 0 ? 0 : children[fallback[state]][token];
      if (child < 0) children[state][token] = ofSuffix;
      else {
        fallback[child] = ofSuffix;
        queue.push(child);
      }
    }
  }
  return {
    constraints,
    next(state, token) {
      const child = children[state][token];
      return isMotif[child] ? -1 : child;
    },
    accepts: () => true,
    without(state, index) {
      let other = state;
      while (onlyMotif[other] === index) other = fallback[other];
      return other;
    },
  };
}

/**
 * A state is the set of beginnings of motifs that the last tokens match, as bits: bit i of a motif is set if its places 0
 * to i match. States are made when they are reached first, because most sets never occur.
 */
export function codedMotifsPart({ tokens }: SequenceSpace, motifs: readonly ForbiddenSets[]): Part {
  const constraints = motifs.map(({ constraint }) => constraint);
  const first: number[] = [];
  let bits = 0;
  for (const { motif } of motifs) {
    first.push(bits);
    bits += motif.length;
  }
  const words = Math.ceil(bits / 32);
  if (words * tokens.length > MOST_INTEGERS) throw new TooManyStates(constraints);
  const bitsAt = (positions: readonly number[]) => {
    const set = new Int32Array(words);
    for (const position of positions) set[position >>> 5] |= 1 << (position & 31);
    return set;
  };
  const starts = bitsAt(first);
  const ends = bitsAt(motifs.map(({ motif }, i) => first[i] + motif.length - 1));
  const matching = tokens.map((_, token) =>
    bitsAt(
      motifs.flatMap(({ motif }, i) =>
        motif.flatMap((set, j) => (set.includes(token) ? [first[i] + j] : [])),
      ),
    ),
  );
  const states = new StateTable(words);
  states.add(new Int32Array(words));
  /** The state after each token, −1 if a motif is complete, −2 if it is not known yet. */
  const next: Int32Array[] = [];
  const after = new Int32Array(words);

  function stateAfter(state: number, token: number): number {
    const { rows } = states;
    let carry = 0;
    let complete = 0;
    for (let word = 0; word < words; word++) {
      const before = rows[state * words + word];
      // The last bit of a motif is never set, so nothing is shifted into the next motif.
      after[word] = ((before << 1) | carry | starts[word]) & matching[token][word];
      carry = before >>> 31;
      complete |= after[word] & ends[word];
    }
    if (complete !== 0) return -1;
    if ((states.count + 1) * (words + tokens.length) > MOST_INTEGERS) throw new TooManyStates(constraints);
    return states.add(after);
  }

  return {
    constraints,
    next(state, token) {
      next[state] ??= new Int32Array(tokens.length).fill(-2);
      const row = next[state];
      if (row[token] === -2) row[token] = stateAfter(state, token);
      return row[token];
    },
    accepts: () => true,
    without(state, index) {
      const own = states.rows.slice(state * words, (state + 1) * words);
      for (let i = first[index]; i < first[index] + motifs[index].motif.length; i++)
        own[i >>> 5] &= ~(1 << (i & 31));
      return own.join();
    },
  };
}
