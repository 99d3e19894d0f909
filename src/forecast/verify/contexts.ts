// Contexts of the exact suite: their packing into program inputs, and the exact log rewards of their paths in float64.

import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import { oneHotRows } from "../../nn/one-hot.ts";
import type { MixtureComponents } from "../flow/rewards.ts";

/** All contexts of a case have the same fields with the same sizes. */
export interface SuiteContext {
  /** Tokens before the path. */
  readonly past: readonly number[];
  /** Values that describe the context. */
  readonly context?: ArrayLike<number>;
  /** Values known about each future step. */
  readonly future?: readonly ArrayLike<number>[];
  /** For chains: log P_t(x_t | the tokens before it), for each step K^order rows of K entries. */
  readonly logTables?: readonly Float64Array[];
  /** For mixtures: log w_i. */
  readonly logWeights?: Float64Array;
  /** For rewards that compare a path with one observed future: its values. */
  readonly observed?: readonly number[];
}

/** Specs of the packed arrays of contexts with the same fields as the example. */
export function inputSpecs(K: number, example: SuiteContext): Record<string, ArraySpec> {
  const { past, context, future, logTables, logWeights, observed } = example;
  return {
    ...(past.length > 0 && { past: spec([past.length, K]) }),
    ...(context && { context: spec([context.length]) }),
    ...(future && { future: spec([future.length, future[0].length]) }),
    ...(logTables && { logTable: spec([logTables.length, logTables[0].length / K, K]) }),
    ...(logWeights && { logWeight: spec([logWeights.length]) }),
    ...(observed && { observed: spec([observed.length]) }),
  };
}

/** The packed arrays of many contexts by name. */
export function packContexts(K: number, contexts: readonly SuiteContext[]): Record<string, TypedArray> {
  const rows: Record<string, (context: SuiteContext) => readonly ArrayLike<number>[]> = {
    past: ({ past }) => [oneHotRows(past, K)],
    context: ({ context }) => [context!],
    future: ({ future }) => future!,
    logTable: ({ logTables }) => logTables!,
    logWeight: ({ logWeights }) => [logWeights!],
    observed: ({ observed }) => [observed!],
  };
  return Object.fromEntries(
    Object.keys(inputSpecs(K, contexts[0])).map((name) => [name, concatenate(contexts.flatMap(rows[name]))]),
  );
}

/** log R of all K^H paths of a chain. The tokens of a path form its index in base K, first token first. */
export function chainLogRewards(K: number, { past, logTables = [] }: SuiteContext): Float64Array {
  const rows = logTables[0].length / K;
  // The state of the chain is the index of its last `order` tokens: the modulus drops the older digits.
  const start = past.reduce((number, token) => (number * K + token) % rows, 0);
  let states = [start];
  let logs = Float64Array.of(0);
  for (const table of logTables) {
    logs = Float64Array.from({ length: logs.length * K }, (_, i) => {
      const prefix = Math.floor(i / K);
      return logs[prefix] + table[states[prefix] * K + (i % K)];
    });
    states = Array.from(logs, (_, i) => (states[Math.floor(i / K)] * K + (i % K)) % rows);
  }
  return logs;
}

/** ∏_t k_it(x_t) of all K^H paths and n components, [K^H, n]. It does not depend on the context. */
export function mixturePathProbabilities(
  K: number,
  H: number,
  { logKernels, components: n }: MixtureComponents,
): Float64Array {
  let logs = new Float64Array(n);
  for (let t = 0; t < H; t++) {
    logs = Float64Array.from({ length: logs.length * K }, (_, i) => {
      const [path, component] = [Math.floor(i / n), i % n];
      return logs[Math.floor(path / K) * n + component] + logKernels[(component * H + t) * K + (path % K)];
    });
  }
  return logs.map(Math.exp);
}

/** log R of all paths of a mixture. `paths` is the result of `mixturePathProbabilities`. */
export function mixtureLogRewards(paths: Float64Array, { logWeights }: SuiteContext): Float64Array {
  const weights = logWeights!.map(Math.exp);
  const n = weights.length;
  return Float64Array.from({ length: paths.length / n }, (_, path) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += weights[i] * paths[path * n + i];
    return Math.log(sum);
  });
}

/** The tokens of the path with index n. */
export function pathOf(n: number, K: number, H: number): number[] {
  return Array.from({ length: H }, (_, t) => Math.floor(n / K ** (H - 1 - t)) % K);
}

function concatenate(parts: readonly ArrayLike<number>[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}
