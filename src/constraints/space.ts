// The space of strings that constraints select from: an alphabet of tokens, and a fixed or variable number of them.

import { type Issue, show } from "../issues.ts";
import { ambiguousText } from "./token-text.ts";

/** Strings over an alphabet of tokens (usually one letter each), with a fixed or variable length counted in tokens. */
export interface SequenceSpace {
  readonly tokens: readonly string[];
  readonly length: { readonly min: number; readonly max: number };
}

/** Largest number of tokens: each needs a letter of its own in the environment. */
const MOST_TOKENS = 20_000;

/** Everything that is wrong with a space. */
export function spaceIssues({ tokens, length }: SequenceSpace): Issue[] {
  return [...tokenIssues(tokens), ...lengthIssues(length)];
}

function tokenIssues(tokens: readonly string[]): Issue[] {
  const issue = (message: string): Issue[] => [{ path: "tokens", code: "invalid", message }];
  if (tokens.length === 0 || tokens.length > MOST_TOKENS) {
    return issue(`must be 1 to ${MOST_TOKENS} tokens, got ${tokens.length}`);
  }
  const invisible = tokens.find((token) => !/^[^\s\p{Cc}\p{Cf}]+$/u.test(token));
  if (invisible !== undefined) {
    return issue(`must be one or more visible characters without spaces each, got ${show(invisible)}`);
  }
  const repeated = tokens.find((token, i) => tokens.indexOf(token) < i);
  if (repeated !== undefined) return issue(`must be different from each other, got ${show(repeated)} twice`);
  const ambiguous = ambiguousText(tokens);
  if (ambiguous === null) return [];
  return issue(
    `must give texts that can be read in one way only, but ${show(ambiguous)} can be read in two ways; rename a token`,
  );
}

function lengthIssues({ min, max }: SequenceSpace["length"]): Issue[] {
  if (Number.isSafeInteger(min) && Number.isSafeInteger(max) && min >= 0 && max >= 1 && min <= max) return [];
  const message = `must be whole numbers with 0 ≤ min ≤ max and max of at least 1, got min ${show(min)} and max ${show(max)}`;
  return [{ path: "length", code: "range", message }];
}

/** A number of tokens in words, such as "8 tokens" or "4 to 8 tokens". */
export function lengthText({ min, max }: SequenceSpace["length"]): string {
  return min === max ? `${max} ${max === 1 ? "token" : "tokens"}` : `${min} to ${max} tokens`;
}
