// A case of the exact suite: a process with a known distribution, the inputs of the network, and the training settings.

import type { RandomStream } from "../../engine/index.ts";
import type { FlowContextEncoder, FlowProblem } from "../flow/problem.ts";
import type { FlowSettings } from "../flow/trainer.ts";
import { inputSpecs, type SuiteContext } from "./contexts.ts";

export interface SuiteCase {
  readonly id: string;
  readonly name: string;
  /** The property that the case tests. */
  readonly purpose: string;
  readonly problem: FlowProblem;
  readonly settings: CaseSettings;
  /** Samples a training context. */
  sampleContext(stream: RandomStream): SuiteContext;
  /** All contexts of the process, or held-out contexts if there are too many. */
  readonly evaluationContexts: readonly SuiteContext[];
  /** The exact log R of all paths. */
  logRewards(context: SuiteContext): Float64Array;
  /** Optional: the width of a bin if tokens stand for bins of numbers. The marginals are then scored by CRPS, too. */
  readonly binWidth?: number;
  /** Optional: the largest error of log F that passes. */
  readonly flowBound?: number;
  /**
   * For a network that lacks an input: the key of a context. Contexts that the network cannot distinguish have equal
   * keys.
   */
  readonly blindKey?: (context: SuiteContext) => string;
  /** For the negative control: the true probabilities of all paths, which the reward is not proportional to. */
  readonly trueDistribution?: (context: SuiteContext) => Float64Array;
}

export interface CaseSettings extends Omit<FlowSettings, "seed" | "engine" | "threads"> {
  readonly iterations: number;
}

/** Settings of most cases: the forward-looking form, with a quarter of the paths uniform. */
export const DEFAULT_CASE_SETTINGS: CaseSettings = {
  network: { hidden: [64, 64] },
  objective: { forwardLooking: true },
  contexts: 128,
  batchComposition: { uniformShare: 0.25 },
  learningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
  iterations: 1500,
};

/** Number of held-out contexts of the cases that cannot enumerate their contexts. */
export const HELD_OUT_CONTEXTS = 256;

/** Samples contexts by rejection, so that none of the held-out ones is returned. */
export function sampleExcluding(
  sampleContext: SuiteCase["sampleContext"],
  heldOut: readonly SuiteContext[],
): (stream: RandomStream) => SuiteContext {
  const keyOf = ({ past, future }: SuiteContext) => JSON.stringify([past, future]);
  const keys = new Set(heldOut.map(keyOf));
  return (stream) => {
    for (;;) {
      const context = sampleContext(stream);
      if (!keys.has(keyOf(context))) return context;
    }
  };
}

/** An encoder without parameters that passes the arrays of a context through, or some of them. */
export function passThroughEncoder(
  { past, context, future }: SuiteContext,
  { pastTokens = past.length, seesFuture = true } = {},
): FlowContextEncoder {
  const P = past.length;
  return {
    contextWidth: context?.length ?? 0,
    futureWidth: future && seesFuture ? future[0].length : 0,
    pastTokens,
    encode: (inputs) => ({
      ...(context && { context: inputs.context }),
      ...(future && seesFuture && { future: inputs.future }),
      ...(pastTokens > 0 && { past: inputs.past.slice([], [P - pastTokens, P]) }),
    }),
  };
}

/** The problem for contexts with the same fields as the example. */
export function suiteProblem(
  tokens: number,
  horizon: number,
  example: SuiteContext,
  rest: Pick<FlowProblem, "reward"> & Partial<Pick<FlowProblem, "encoder" | "channel">>,
): FlowProblem {
  return {
    tokens,
    horizon,
    inputs: inputSpecs(tokens, example),
    encoder: passThroughEncoder(example),
    ...rest,
  };
}

/** All sequences of `length` tokens. */
export function allPaths(K: number, length: number): number[][] {
  return Array.from({ length: K ** length }, (_, n) =>
    Array.from({ length }, (_, i) => Math.floor(n / K ** (length - 1 - i)) % K),
  );
}

export function repeat<T>(n: number, of: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => of(i));
}
