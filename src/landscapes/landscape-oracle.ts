// A landscape as an oracle: texts in, scores out. A text that has no score fails with the reason.

import { UserError } from "../issues.ts";
import type { Landscape } from "./landscape.ts";

/** The answer for one text: its score, or why it has none. */
export type LandscapeAnswer = { readonly score: number } | { readonly failure: string };

/** A landscape in the shape of an `Oracle`, which answers at once. */
export interface LandscapeOracle {
  readonly label: string;
  readonly version: string;
  readonly batch: number;
  readonly concurrency: number;
  score(strings: readonly string[]): Promise<readonly LandscapeAnswer[]>;
  close(): Promise<void>;
}

/** Scores texts over these tokens; token i is letter i of the landscape. No token may be the start of another one. */
export function landscapeOracle(landscape: Landscape, tokens: readonly string[]): LandscapeOracle {
  if (tokens.length !== landscape.letters) {
    throw new UserError(
      `the alphabet must have ${landscape.letters} letters for the ${landscape.label}, got ${tokens.length}`,
    );
  }
  const read = tokenReader(tokens);
  const answer = (text: string): LandscapeAnswer => {
    const string = read(text);
    if (string === null) return { failure: `${JSON.stringify(text)} has a letter outside the alphabet` };
    if (string.length !== landscape.length)
      return {
        failure: `${JSON.stringify(text)} has ${string.length} letters instead of ${landscape.length}`,
      };
    const score = landscape.score(string);
    return score === null
      ? { failure: `${JSON.stringify(text)} is not feasible: it has a pair of letters that is not allowed` }
      : { score };
  };
  return {
    label: landscape.label,
    version: `${landscape.version} over ${JSON.stringify(tokens)}`,
    batch: 10_000,
    concurrency: 1,
    score: async (strings) => strings.map(answer),
    close: async () => {},
  };
}

/** Returns a function that splits a text into token indices; null if that is not possible. */
function tokenReader(tokens: readonly string[]): (text: string) => number[] | null {
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  const lengths = [...new Set(tokens.map((token) => token.length))].sort((a, b) => a - b);
  return (text) => {
    const string: number[] = [];
    for (let at = 0; at < text.length; ) {
      const length = lengths.find((each) => indexOf.has(text.slice(at, at + each)));
      if (length === undefined) return null;
      string.push(indexOf.get(text.slice(at, at + length))!);
      at += length;
    }
    return string;
  };
}
