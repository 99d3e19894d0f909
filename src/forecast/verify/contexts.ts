// Contexts of the exact suite: what a network sees of them, and what their paths are worth in float64; packed as the
// arrays that programs take.

import type { ArraySpec, TypedArray } from "../../engine/index.ts";
import { spec } from "../../engine/index.ts";

/** What is seen of a context; every context of a case has the same sizes. */
export interface Seen {
  /** Tokens before the path. */
  readonly earlier: readonly number[];
  /** Numbers of the context, and of every step ahead. */
  readonly context?: readonly number[];
  readonly known?: readonly (readonly number[])[];
}

/** Paths are worth ∏ P_t(x_t | the tokens before it): per step K^order rows of K logarithms. */
export interface MarkovContext extends Seen {
  readonly logTables: readonly Float64Array[];
}

/** Paths are worth Σ_i w_i ∏_t k_it(x_t): per part H rows of K logarithms. */
export interface MixtureContext extends Seen {
  readonly logWeights: Float64Array;
  readonly logKernels: readonly (readonly Float64Array[])[];
}

export type SuiteContext = MarkovContext | MixtureContext;

/** Arrays of many contexts. */
export interface PackedContexts {
  readonly count: number;
  readonly inputs: Readonly<Record<string, TypedArray>>;
}

/** Specs of the arrays that contexts like this one are packed to. */
export function inputSpecs(K: number, example: SuiteContext): Record<string, ArraySpec> {
  const { earlier, context, known } = example;
  const H = "logTables" in example ? example.logTables.length : example.logKernels[0].length;
  return {
    earlier: spec([earlier.length, K]),
    ...(context && { context: spec([context.length]) }),
    ...(known && { known: spec([H, known[0].length]) }),
    ...("logTables" in example
      ? { logTable: spec([H, example.logTables[0].length / K, K]) }
      : {
          logWeight: spec([example.logWeights.length]),
          logKernel: spec([example.logWeights.length, H, K]),
        }),
  };
}

export function packContexts(K: number, contexts: readonly SuiteContext[]): PackedContexts {
  const flat = (of: (context: SuiteContext) => readonly ArrayLike<number>[]) => {
    const parts = contexts.flatMap(of);
    const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      out.set(part, offset);
      offset += part.length;
    }
    return out;
  };
  const [{ context, known }] = contexts;
  return {
    count: contexts.length,
    inputs: {
      earlier: flat(({ earlier }) => earlier.map((token) => oneHot(token, K))),
      ...(context && { context: flat((one) => [one.context!]) }),
      ...(known && { known: flat((one) => one.known!) }),
      ...("logTables" in contexts[0]
        ? { logTable: flat((one) => (one as MarkovContext).logTables) }
        : {
            logWeight: flat((one) => [(one as MixtureContext).logWeights]),
            logKernel: flat((one) => (one as MixtureContext).logKernels.flat()),
          }),
    },
  };
}

/** log R of all K^H paths in float64; paths are numbered as numbers of base K, the first token first. */
export function logRewards(
  K: number,
  context: SuiteContext,
  tilt: (path: readonly number[]) => number = () => 0,
): Float64Array {
  const H = "logTables" in context ? context.logTables.length : context.logKernels[0].length;
  return Float64Array.from({ length: K ** H }, (_, number) => {
    const path = pathOf(number, K, H);
    return ("logTables" in context ? logMarkov(K, context, path) : logMixture(context, path)) + tilt(path);
  });
}

/** The tokens of path number n. */
export function pathOf(n: number, K: number, H: number): number[] {
  return Array.from({ length: H }, (_, t) => Math.floor(n / K ** (H - 1 - t)) % K);
}

function logMarkov(K: number, { earlier, logTables }: MarkovContext, path: readonly number[]): number {
  const order = Math.round(Math.log(logTables[0].length / K) / Math.log(K));
  const whole = [...earlier, ...path];
  return logTables.reduce((sum, table, t) => {
    const end = earlier.length + t;
    const row = whole.slice(end - order, end).reduce((index, token) => index * K + token, 0);
    return sum + table[row * K + path[t]];
  }, 0);
}

function logMixture({ logWeights, logKernels }: MixtureContext, path: readonly number[]): number {
  const logs = logWeights.map((weight, i) =>
    path.reduce((sum, token, t) => sum + logKernels[i][t][token], weight),
  );
  const peak = logs.reduce((most, value) => Math.max(most, value));
  return peak + Math.log(logs.reduce((sum, value) => sum + Math.exp(value - peak), 0));
}

function oneHot(token: number, K: number): Float64Array {
  return Float64Array.from({ length: K }, (_, k) => (k === token ? 1 : 0));
}
