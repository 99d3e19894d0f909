// Reads the strings of a problem file over its alphabet, and reports letters that are not in it.

import { type Alphabet, codeTokens, stringReader } from "./alphabet.ts";
import type { Report } from "./report.ts";

/** Reads parts of a problem file as tokens. Each function returns undefined after it has reported an issue. */
export interface Letters {
  /** The tokens of a string. */
  tokens(text: string, path: string): readonly number[] | undefined;
  /** Exactly one token. */
  token(text: string, path: string): number | undefined;
  /** Several tokens in any order, each once. */
  tokenSet(given: TokenList, path: string): readonly number[] | undefined;
  /** For each letter of a motif the tokens that it stands for: itself, or several by a IUPAC code. */
  sets(text: string, path: string): readonly (readonly number[])[] | undefined;
}

/** Tokens one after the other in a text, or as a list in which wrong items are undefined. */
export type TokenList = string | readonly (string | undefined)[];

export function lettersOf(alphabet: Alphabet, report: Report): Letters {
  const read = stringReader(alphabet);
  const tokens = (text: string, path: string): readonly number[] | undefined => {
    try {
      const { tokens: found, note } = read(text);
      if (note !== null) report.note(path, note);
      return found;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      report.issue(path, "letters", `must ${error.message}`);
      return undefined;
    }
  };
  const token = (text: string, path: string): number | undefined => {
    const found = tokens(text, path);
    if (found === undefined || found.length === 1) return found?.[0];
    report.issue(path, "letters", `must be one token of the alphabet, got ${JSON.stringify(text)}`);
    return undefined;
  };
  return {
    tokens,
    token,
    tokenSet(given, path) {
      const found: readonly (number | undefined)[] | undefined =
        typeof given === "string"
          ? tokens(given, path)
          : given.map((each, i) => (each === undefined ? undefined : token(each, `${path}[${i}]`)));
      if (!found || found.includes(undefined)) return undefined;
      const set = [...new Set(found as number[])];
      if (set.length === found.length) return set;
      report.issue(path, "letters", `must have each token once, got ${JSON.stringify(given)}`);
      return undefined;
    },
    sets(text, path) {
      const single = [...text].map((letter) => codeTokens(alphabet, letter));
      // Without codes the string is read as a whole: tokens may have several letters.
      if (single.every((set) => set === null)) return tokens(text, path)?.map((each) => [each]);
      const sets = [...text].map((letter, i) => single[i] ?? tokens(letter, path)?.map((each) => each));
      return sets.includes(undefined) ? undefined : (sets as (readonly number[])[]);
    },
  };
}
