// What a search over strings is: it proposes strings to score, and learns from the scores.

import type { ConstrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";

/** A string with its score; higher is better. */
export interface ScoredString {
  readonly string: string;
  readonly score: number;
}

/** Proposes strings to score, and learns from scores. Calls must be awaited one after the other. */
export interface StringSearch {
  readonly name: string;
  /** New legal strings, each different from all asked or told before; fewer than `count` only if no more can be found. */
  ask(count: number): Promise<readonly string[]>;
  /** The scores of strings, asked or known from the start. A string that is told again gets the new score. */
  tell(scored: readonly ScoredString[]): Promise<void>;
}

/** The part of an environment that a search needs: its legal strings. */
export type SearchEnvironment = Pick<ConstrainedSequenceEnvironment, "space" | "automaton" | "uniformObject">;

/** Options of every search. */
export interface StringSearchOptions {
  readonly environment: SearchEnvironment;
  readonly seed: number;
  /** Strings to ask first; those that are illegal or known are left out. Default: none. */
  readonly initial?: readonly string[];
}
