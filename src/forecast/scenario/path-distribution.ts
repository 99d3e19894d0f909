// A distribution over token paths as array functions, and contexts that define the values of its tokens. Scenarios
// start from such a base distribution: a trained model (model-path-distribution.ts) or a Markov chain (here).

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import type { NamedArrays } from "../flow/problem.ts";

export interface PathDistribution {
  /** K: number of tokens. */
  readonly tokens: number;
  /** P: largest number of steps. A step is one target at one time; the targets of a time follow each other. */
  readonly steps: number;
  /** M: number of targets. */
  readonly targets: number;
  /** The arrays of one context by name. One of them is `context`, [W], the embedding that the proposal network sees. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  /** W: width of the context embedding. */
  readonly contextWidth: number;
  /** True if the probabilities of a step may sum to less than 1, so that sampled paths need weights. Default: false. */
  readonly unnormalised?: boolean;
  /** log p of all tokens at step t, [B, K], after the first t tokens of the path, one-hot [B, K] each. */
  atStep(inputs: NamedArrays, t: number, path: readonly np.Array[]): np.Array;
  /** log p of all tokens at all steps of paths, one-hot [B, n, K]: [B, n, K]. A row of zeros is an unknown token. */
  atAllSteps(inputs: NamedArrays, paths: np.Array): np.Array;
}

/** One context of a path distribution. */
export interface PathContext {
  readonly id: string;
  readonly inputs: Readonly<Record<string, TypedArray>>;
  /**
   * Mean of the values that each token stands for at each step, [P, K]. If these values depend on earlier steps, as
   * with seasonal differences, the earlier steps are assumed to have their expected values.
   */
  readonly tokenMeans: Float64Array;
  /** Standard deviation of the same values, [P, K]. */
  readonly tokenDeviations: Float64Array;
  /** Share of the values of a token at a step that are below x. */
  shareBelow(t: number, token: number, x: number): number;
  /** Values of a path of tokens, placed within their bins by one uniform random number each. */
  valuesOf(tokens: Int32Array, uniform: () => number): Float64Array;
}

/**
 * A Markov chain of order one whose transition table may change from step to step. The inputs are `logTable` and, as
 * `context`, the one-hot token before the path.
 */
export function markovChain(K: number, P: number): PathDistribution {
  return {
    tokens: K,
    steps: P,
    targets: 1,
    contextWidth: K,
    inputs: { context: spec([K]), logTable: spec([P, K, K]) },
    atStep(inputs, t, path) {
      const [B] = inputs.context.shape;
      const previous = t > 0 ? path[t - 1] : inputs.context; // [B, K]
      const table = inputs.logTable.slice([], t); // [B, K, K]
      return np.sum(np.multiply(table, previous.reshape([B, K, 1])), 1); // [B, K]
    },
    atAllSteps(inputs, paths) {
      const [B, n] = paths.shape;
      const first = inputs.context.reshape([B, 1, K]); // [B, 1, K]
      const previous = n > 1 ? np.concatenate([first, paths.slice([], [0, n - 1])], 1) : first; // [B, n, K]
      const tables = inputs.logTable.slice([], [0, n]); // [B, n, K, K]
      return np.sum(np.multiply(tables, previous.reshape([B, n, K, 1])), 2); // [B, n, K]
    },
  };
}

/** A context of a Markov chain whose tokens stand for the values 0 to K − 1. `logTables` has P tables, [K, K] each. */
export function markovChainContext(
  K: number,
  previous: number,
  logTables: readonly ArrayLike<number>[],
  id = "chain",
): PathContext {
  const P = logTables.length;
  return {
    id,
    inputs: {
      context: Float32Array.from({ length: K }, (_, k) => (k === previous ? 1 : 0)),
      logTable: Float32Array.from(
        { length: P * K * K },
        (_, i) => logTables[Math.floor(i / (K * K))][i % (K * K)],
      ),
    },
    tokenMeans: Float64Array.from({ length: P * K }, (_, i) => i % K),
    tokenDeviations: new Float64Array(P * K),
    shareBelow: (_, token, x) => +(token < x),
    valuesOf: (tokens) => Float64Array.from(tokens),
  };
}
