// Variation of strings: single changes of a token, several of them under constraints, and crossover of two strings.

import type { RandomStream } from "../engine/random-stream.ts";
import type { LegalStrings } from "./legal-strings.ts";

/** Kinds of single changes. */
export type ChangeKind = "substitution" | "insertion" | "deletion";

/** How often an illegal change is drawn again. */
const DRAWS = 20;

/** The kinds of changes that strings can have: only substitutions if all have the same length. */
export function changeKinds({ length }: Pick<LegalStrings, "length">): readonly ChangeKind[] {
  return length.min === length.max ? ["substitution"] : ["substitution", "insertion", "deletion"];
}

/** A copy with one random change; it may be illegal. Null if there is nothing to change. */
export function changed(
  tokens: readonly number[],
  kind: ChangeKind,
  letters: number,
  stream: RandomStream,
): number[] | null {
  const result = [...tokens];
  if (kind === "insertion") {
    result.splice(stream.integer(tokens.length + 1), 0, stream.integer(letters));
    return result;
  }
  if (tokens.length === 0 || (kind === "substitution" && letters < 2)) return null;
  const position = stream.integer(tokens.length);
  if (kind === "deletion") result.splice(position, 1);
  else {
    const other = stream.integer(letters - 1);
    result[position] = other < tokens[position] ? other : other + 1;
  }
  return result;
}

/**
 * A legal string after some changes of a legal string, each of which leads to a legal string. A change for which no legal
 * one is found is left out.
 */
export function mutated(
  strings: LegalStrings,
  tokens: readonly number[],
  changes: number,
  stream: RandomStream,
): readonly number[] {
  const kinds = changeKinds(strings);
  let current = tokens;
  for (let i = 0; i < changes; i++) {
    for (let draw = 0; draw < DRAWS; draw++) {
      const kind = kinds[stream.integer(kinds.length)];
      const next = changed(current, kind, strings.letters, stream);
      if (next === null || !strings.isLegal(next)) continue;
      current = next;
      break;
    }
  }
  return current;
}

/** The tokens of `first` up to a place, those of `second` up to another one, and again those of `first`: two-point
 * crossover. The child has the length of `first`, and keeps its tokens where `second` has none. */
export function crossed(
  first: readonly number[],
  second: readonly number[],
  stream: RandomStream,
): readonly number[] {
  const shared = Math.min(first.length, second.length);
  const [a, b] = [stream.integer(shared + 1), stream.integer(shared + 1)];
  const [start, end] = [Math.min(a, b), Math.max(a, b)];
  return [...first.slice(0, start), ...second.slice(start, end), ...first.slice(end)];
}
