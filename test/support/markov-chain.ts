// A Markov chain as a model of paths. Tests compute its exact distribution by hand.

import { numpy as np } from "@jax-js/jax";
import { spec } from "../../src/engine/index.ts";
import type { PathContext, PathDistribution } from "../../src/forecast/scenario/path-distribution.ts";
import { oneHotRows } from "../../src/nn/one-hot.ts";

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
      context: oneHotRows([previous], K),
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
