// A law of token paths that scenarios are made of: what comes next and how likely, as array functions, and what the
// tokens of a context mean as numbers. A trained model is one, a Markov chain another.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import type { Arrays } from "../flow/problem.ts";

export interface PathLaw {
  /** K */
  readonly tokens: number;
  /** P: steps at most; the targets of a time stand one after the other. */
  readonly steps: number;
  /** M */
  readonly targets: number;
  /** Arrays of one context by name; one of them is `thought`, [W], which sums it up. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  /** W */
  readonly thought: number;
  /** Whether the probabilities of a step may sum to less than 1, as where tokens are known; then paths must be weighted. */
  readonly improper?: boolean;
  /** log p of all tokens at step t after the path's first t, one-hot [B, K] each: [B, K]. */
  at(inputs: Arrays, t: number, path: readonly np.Array[]): np.Array;
  /** The same at all steps of paths of n steps, one-hot [B, n, K]: [B, n, K]. A row of zeros is a token not known. */
  all(inputs: Arrays, paths: np.Array): np.Array;
}

/** One context of a law. */
export interface LawContext {
  readonly id: string;
  readonly inputs: Readonly<Record<string, TypedArray>>;
  /**
   * Mean and standard deviation of the numbers that each token stands for at each step, [P, K]. Where these hang on the
   * steps before, as of seasonal differences, both are as if the steps before had come as expected.
   */
  readonly values: Float64Array;
  readonly spreads: Float64Array;
  /** Share of the numbers of a token at a step that are below x. */
  below(t: number, token: number, x: number): number;
  /** Numbers that a path of tokens may be, by a uniform number for each: what conditions are checked on in the end. */
  numbers(tokens: Int32Array, uniform: () => number): Float64Array;
}

/** A chain of order one that may change from step to step; contexts bring its log probabilities and the token before. */
export function chainLaw(K: number, P: number): PathLaw {
  const rows = (inputs: Arrays, before: np.Array) => {
    const [B, n] = before.shape;
    const tables = inputs.logTable.slice([], [0, n]); // [B, n, K, K]
    return np.sum(np.multiply(tables, before.reshape([B, n, K, 1])), 2); // [B, n, K]
  };
  return {
    tokens: K,
    steps: P,
    targets: 1,
    thought: K,
    inputs: { thought: spec([K]), logTable: spec([P, K, K]) },
    at(inputs, t, path) {
      const [B] = inputs.thought.shape;
      const before = t > 0 ? path[t - 1] : inputs.thought; // [B, K]
      const table = inputs.logTable.slice([], t); // [B, K, K]
      return np.sum(np.multiply(table, before.reshape([B, K, 1])), 1); // [B, K]
    },
    all(inputs, paths) {
      const [B, n] = paths.shape;
      const first = inputs.thought.reshape([B, 1, K]); // [B, 1, K]
      const before = n > 1 ? np.concatenate([first, paths.slice([], [0, n - 1])], 1) : first; // [B, n, K]
      return rows(inputs, before); // [B, n, K]
    },
  };
}

/** A context of a chain whose tokens are the numbers 0 to K − 1; `logTables` are P times [K, K]. */
export function chainContext(
  K: number,
  before: number,
  logTables: readonly ArrayLike<number>[],
  id = "chain",
): LawContext {
  const P = logTables.length;
  return {
    id,
    inputs: {
      thought: Float32Array.from({ length: K }, (_, k) => (k === before ? 1 : 0)),
      logTable: Float32Array.from(
        { length: P * K * K },
        (_, i) => logTables[Math.floor(i / (K * K))][i % (K * K)],
      ),
    },
    values: Float64Array.from({ length: P * K }, (_, i) => i % K),
    spreads: new Float64Array(P * K),
    below: (_, token, x) => +(token < x),
    numbers: (tokens) => Float64Array.from(tokens),
  };
}
