// Part automata: each reads a string token by token and accepts it if it meets one constraint (or, for forbidden motifs,
// several). The automaton of all constraints runs them side by side.
//
// A part merges states that have the same continuations where this is cheap: a required motif that was found, mutations
// that the remaining positions cannot exceed. This keeps the number of combined states small.

import {
  type Composition,
  type Constraint,
  countRange,
  type Mutations,
  type RequiredMotif,
} from "./constraint.ts";
import { codedMotifsPart, type ForbiddenSets, type ForbiddenTokens, forbidPart } from "./forbidden-motifs.ts";
import type { SequenceSpace } from "./space.ts";

/** The automaton of a constraint. */
export interface Part {
  /** Indices of the constraints that it stands for. */
  readonly constraints: readonly number[];
  /** The state after a token at a position, counted from 0; −1 if no continuation is legal. State 0 is the start. */
  next(state: number, token: number, position: number): number;
  /** Whether a string of this length may end in this state. */
  accepts(state: number, length: number): boolean;
  /** A value that two states have in common if they cannot be told apart without one of the constraints, given by its
   * index in `constraints`. A part of one constraint needs none. */
  without?(state: number, index: number): number | string;
}

/** The parts of all constraints. Forbidden motifs share one part, and those with several tokens at a place another. Throws
 * `TooManyStates` if a part alone has too many. */
export function partsOf(space: SequenceSpace, constraints: readonly Constraint[]): Part[] {
  const plain: ForbiddenTokens[] = [];
  const coded: ForbiddenSets[] = [];
  constraints.forEach((constraint, i) => {
    if (constraint.kind !== "forbid") return;
    const sets = constraint.motif.map((place) => (typeof place === "number" ? [place] : [...new Set(place)]));
    if (sets.every((set) => set.length === 1)) plain.push({ constraint: i, motif: sets.flat() });
    else coded.push({ constraint: i, motif: sets });
  });
  return [
    ...(plain.length > 0 ? [forbidPart(space, plain)] : []),
    ...(coded.length > 0 ? [codedMotifsPart(space, coded)] : []),
    ...constraints.flatMap((constraint, i) => partOf(space, constraint, [i]) ?? []),
  ];
}

function partOf(space: SequenceSpace, constraint: Constraint, constraints: readonly number[]): Part | null {
  const A = space.tokens.length;
  switch (constraint.kind) {
    case "forbid":
      return null;
    case "template": {
      const { pattern, open = false } = constraint;
      const allowed = pattern.map(
        (place) => place && Uint8Array.from({ length: A }, (_, t) => +place.includes(t)),
      );
      return {
        constraints,
        next(_, token, position) {
          if (position >= pattern.length) return open ? 0 : -1;
          const place = allowed[position];
          return place === null || place[token] === 1 ? 0 : -1;
        },
        accepts: (_, length) => (open ? length >= pattern.length : length === pattern.length),
      };
    }
    case "require":
      return requirePart(space, constraint, constraints);
    case "pairs": {
      // Tokens that may be followed by the same tokens share a state.
      const rows = constraint.allowed.map((row) => row.map(Number).join(""));
      const classes = [...new Set(rows)];
      const classOf = rows.map((row) => classes.indexOf(row));
      return {
        constraints,
        next: (state, token) => (state === 0 || classes[state - 1][token] === "1" ? classOf[token] + 1 : -1),
        accepts: () => true,
      };
    }
    case "composition":
      return compositionPart(space, constraint, constraints);
    case "homopolymer": {
      const longest = Math.min(constraint.longest, space.length.max);
      return {
        constraints,
        // A state is the last token and the length of its run.
        next(state, token) {
          const last = Math.floor((state - 1) / longest);
          const run = state > 0 && last === token ? ((state - 1) % longest) + 1 : 0;
          return run < longest ? 1 + token * longest + run : -1;
        },
        accepts: () => true,
      };
    }
    case "mutations":
      return mutationsPart(constraint, constraints);
    default:
      return constraint satisfies never;
  }
}

/** The automaton of Knuth, Morris and Pratt: state i has matched i tokens, and the last state stays. */
function requirePart(
  { length }: SequenceSpace,
  { motif }: RequiredMotif,
  constraints: readonly number[],
): Part {
  const border = new Int32Array(motif.length + 1);
  const follow = (state: number, token: number): number => {
    let matched = state;
    while (matched > 0 && motif[matched] !== token) matched = border[matched];
    return motif[matched] === token ? matched + 1 : 0;
  };
  for (let i = 1; i < motif.length; i++) border[i + 1] = follow(border[i], motif[i]);
  return {
    constraints,
    next(state, token, position) {
      if (state === motif.length) return state;
      const after = follow(state, token);
      return motif.length - after > length.max - position - 1 ? -1 : after;
    },
    accepts: (state) => state === motif.length,
  };
}

function compositionPart(
  { tokens, length }: SequenceSpace,
  constraint: Composition,
  constraints: readonly number[],
): Part {
  const isCounted = Uint8Array.from(tokens, (_, token) => +constraint.tokens.includes(token));
  const [least, most] = countRange(constraint, length.max);
  // Without an upper limit, all counts that are large enough for every length are the same.
  const isLimited = most < length.max || (constraint.unit === "fraction" && constraint.max < 1);
  const largest = Math.min(isLimited ? most : least, length.max);
  const isFixed = length.min === length.max;
  return {
    constraints,
    next(state, token, position) {
      const count = state + isCounted[token];
      if (isFixed && count + length.max - position - 1 < least) return -1;
      return count <= largest ? count : isLimited ? -1 : largest;
    },
    accepts(state, n) {
      const [from, to] = countRange(constraint, n);
      return state >= from && (!isLimited || state <= to);
    },
  };
}

/** State i has used up i of the mutations; those for which no position remains count as used. */
function mutationsPart({ parent, most }: Mutations, constraints: readonly number[]): Part {
  const limit = Math.min(most, parent.length);
  return {
    constraints,
    next(state, token, position) {
      if (position >= parent.length) return -1;
      const made = state + (token === parent[position] ? 0 : 1);
      if (made > limit) return -1;
      const remaining = parent.length - position - 1;
      return Math.max(made, limit - remaining);
    },
    accepts: (_, length) => length === parent.length,
  };
}
