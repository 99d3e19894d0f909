// Contexts of the exact suite: what a network sees of them, and what their paths are worth in float64; packed as the
// arrays that programs take.

import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import type { MixtureParts } from "../flow/rewards.ts";

/** All contexts of a case have the same fields, of the same sizes. */
export interface SuiteContext {
  /** Tokens before the path. */
  readonly earlier: readonly number[];
  /** Numbers of the context, and of every step ahead. */
  readonly context?: readonly number[];
  readonly known?: readonly (readonly number[])[];
  /** Of a chain: log P_t(x_t | the tokens before it), per step K^order rows of K. */
  readonly logTables?: readonly Float64Array[];
  /** Of a mixture: log w_i. */
  readonly logWeights?: Float64Array;
  /** One future that was seen, as numbers; for rewards that compare with it. */
  readonly observed?: readonly number[];
}

/** Specs of the arrays that contexts like this one are packed to. */
export function inputSpecs(K: number, example: SuiteContext): Record<string, ArraySpec> {
  const { earlier, context, known, logTables, logWeights, observed } = example;
  return {
    ...(earlier.length > 0 && { earlier: spec([earlier.length, K]) }),
    ...(context && { context: spec([context.length]) }),
    ...(known && { known: spec([known.length, known[0].length]) }),
    ...(logTables && { logTable: spec([logTables.length, logTables[0].length / K, K]) }),
    ...(logWeights && { logWeight: spec([logWeights.length]) }),
    ...(observed && { observed: spec([observed.length]) }),
  };
}

/** The arrays of many contexts by name. */
export function packContexts(K: number, contexts: readonly SuiteContext[]): Record<string, TypedArray> {
  const rows: Record<string, (context: SuiteContext) => readonly ArrayLike<number>[]> = {
    earlier: ({ earlier }) => earlier.map((token) => oneHot(token, K)),
    context: ({ context }) => [context!],
    known: ({ known }) => known!,
    logTable: ({ logTables }) => logTables!,
    logWeight: ({ logWeights }) => [logWeights!],
    observed: ({ observed }) => [observed!],
  };
  return Object.fromEntries(
    Object.keys(inputSpecs(K, contexts[0])).map((name) => [name, joined(contexts.flatMap(rows[name]))]),
  );
}

/** log R of all K^H paths of a chain; paths are numbered as numbers of base K, the first token first. */
export function chainLogRewards(K: number, { earlier, logTables = [] }: SuiteContext): Float64Array {
  const rows = logTables[0].length / K;
  // What counts of the tokens so far is the number that they make, of which the oldest digits fall away.
  const start = earlier.reduce((number, token) => (number * K + token) % rows, 0);
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

/** ∏_t k_it(x_t) of all K^H paths and n parts, [K^H, n]: what the weights of any context are applied to. */
export function mixturePaths(K: number, H: number, { logKernels, parts: n }: MixtureParts): Float64Array {
  let logs = new Float64Array(n);
  for (let t = 0; t < H; t++) {
    logs = Float64Array.from({ length: logs.length * K }, (_, i) => {
      const [path, part] = [Math.floor(i / n), i % n];
      return logs[Math.floor(path / K) * n + part] + logKernels[(part * H + t) * K + (path % K)];
    });
  }
  return logs.map(Math.exp);
}

/** log R of all paths of a mixture, from what `mixturePaths` gives. */
export function mixtureLogRewards(paths: Float64Array, { logWeights }: SuiteContext): Float64Array {
  const weights = logWeights!.map(Math.exp);
  const n = weights.length;
  return Float64Array.from({ length: paths.length / n }, (_, path) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += weights[i] * paths[path * n + i];
    return Math.log(sum);
  });
}

/** The tokens of path number n. */
export function pathOf(n: number, K: number, H: number): number[] {
  return Array.from({ length: H }, (_, t) => Math.floor(n / K ** (H - 1 - t)) % K);
}

function joined(parts: readonly ArrayLike<number>[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

export function oneHot(token: number, K: number): number[] {
  return Array.from({ length: K }, (_, k) => (k === token ? 1 : 0));
}
