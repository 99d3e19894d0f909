// The legal strings of an environment, as texts and as lists of tokens.

import { isAccepted, tokenText } from "../constraints/index.ts";
import type { RandomStream } from "../engine/random-stream.ts";
import type { SearchEnvironment } from "./string-search.ts";

/** Reads, writes, checks, draws and lists legal strings. */
export interface LegalStrings {
  /** Number of tokens of the alphabet. */
  readonly letters: number;
  /** Smallest and largest number of tokens of a string. */
  readonly length: { readonly min: number; readonly max: number };
  text(tokens: readonly number[]): string;
  /** The tokens of a legal string; null for any other text. */
  parse(text: string): number[] | null;
  isLegal(tokens: readonly number[]): boolean;
  /** A legal string; every one has the same probability. */
  uniform(stream: RandomStream): number[];
  /** Every legal string once, in alphabetical order. */
  all(): Generator<number[]>;
}

/** The legal strings of an environment. */
export function legalStrings({ space, automaton, uniformObject }: SearchEnvironment): LegalStrings {
  const { join, parse } = tokenText(space.tokens);
  const { tokens: letters, next, accepts } = automaton;
  const isLegal = (tokens: readonly number[]) => isAccepted(automaton, tokens);

  function* all(node = 0, prefix: readonly number[] = []): Generator<number[]> {
    if (accepts[node] === 1) yield [...prefix];
    for (let token = 0; token < letters; token++) {
      const child = next[node * letters + token];
      if (child >= 0) yield* all(child, [...prefix, token]);
    }
  }

  return {
    letters,
    length: space.length,
    text: join,
    parse(text) {
      try {
        const tokens = parse(text);
        return isLegal(tokens) ? tokens : null;
      } catch (error) {
        if (error instanceof RangeError) return null;
        throw error;
      }
    },
    isLegal,
    uniform: uniformObject,
    all: () => all(),
  };
}
