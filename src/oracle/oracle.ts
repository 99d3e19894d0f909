// What an oracle is: batches of strings in, one answer for each string out.

import { UserError } from "../issues.ts";

/** The answer of an oracle for one string. */
export type Answer =
  /** A finite score, with its standard deviation if the oracle knows it. With several design objectives, `values` has the
   * value of each in their order, and the score is made from them. */
  | { readonly score: number; readonly uncertainty?: number; readonly values?: readonly number[] }
  /** Why this string has no score. */
  | { readonly failure: string };

/** Scores strings: a function, a table, a program or an HTTP service. */
export interface Oracle {
  /** One line for people: what scores the strings. */
  readonly label: string;
  /** Part of the key of the score cache: changes if the same string may get another score. */
  readonly version: string;
  /** The largest useful batch of one call. It may change while strings are scored. */
  readonly batch: number;
  /** How many calls may run at once. */
  readonly concurrency: number;
  /** Whether each batch has a cost of its own, so that few large batches are better than many small ones. */
  readonly prefersLargeBatches?: boolean;
  /** One answer for each string, in the same order. Rejects with an OracleError if no string can be scored at all. */
  score(strings: readonly string[], signal?: AbortSignal): Promise<readonly Answer[]>;
  /** Ends processes and connections. */
  close(): Promise<void>;
}

/** An oracle cannot score strings; the message says why in one sentence. */
export class OracleError extends UserError {
  override readonly name: string = "OracleError";
}

/** An oracle has never given a usable answer, so it is not asked again. */
export class DeadOracleError extends OracleError {
  override readonly name: string = "DeadOracleError";
}
