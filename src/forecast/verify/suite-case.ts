// A case of the exact suite: a process whose law is known, what a network sees of it, and how it is trained.

import type { RandomStream } from "../../engine/index.ts";
import type { ContextReader, FlowProblem } from "../flow/problem.ts";
import type { FlowSettings } from "../flow/trainer.ts";
import { inputSpecs, type SuiteContext } from "./contexts.ts";

export interface SuiteCase {
  readonly id: string;
  readonly name: string;
  /** What it shows when it passes. */
  readonly what: string;
  readonly problem: FlowProblem;
  readonly settings: CaseSettings;
  /** One context of the process. */
  draw(stream: RandomStream): SuiteContext;
  /** Contexts to judge by: all there are, or some that were never trained on. */
  readonly heldOut: readonly SuiteContext[];
  /** The exact log R of all paths. */
  logRewards(context: SuiteContext): Float64Array;
  /** Width of a bin where tokens stand for bins of numbers: marginals are then scored as forecasts of numbers. */
  readonly binWidth?: number;
  /** The largest error of log F that passes, where that is asked too. */
  readonly flowBound?: number;
  /** Contexts between which this network cannot tell have the same key: no law can then be right for all of them. */
  readonly blindKey?: (context: SuiteContext) => string;
  /** The law that the reward fails to be, where the case is to show that; log-probabilities of all paths. */
  readonly truth?: (context: SuiteContext) => Float64Array;
}

export interface CaseSettings extends Omit<FlowSettings, "seed" | "engine" | "threads"> {
  readonly iterations: number;
}

/** What suits most cases: the forward-looking form on paths of which a quarter are uniform. */
export const USUAL: CaseSettings = {
  network: { hidden: [64, 64] },
  objective: { forwardLooking: true },
  contexts: 128,
  behaviour: { uniform: 0.25 },
  learningRate: 1e-2,
  iterations: 1500,
};

/** How many contexts are judged by where there are more than can be listed. */
export const HELD_OUT = 256;

/** Draws as before, but never one of the contexts that are judged by. */
export function drawnApart(
  draw: SuiteCase["draw"],
  heldOut: readonly SuiteContext[],
): (stream: RandomStream) => SuiteContext {
  const keyOf = ({ earlier, known }: SuiteContext) => JSON.stringify([earlier, known]);
  const keys = new Set(heldOut.map(keyOf));
  return (stream) => {
    for (;;) {
      const context = draw(stream);
      if (!keys.has(keyOf(context))) return context;
    }
  };
}

/** A reader that hands on what contexts like this one hold, or some of it. */
export function plainReader(
  { earlier, context, known }: SuiteContext,
  { lastTokens = earlier.length, seesKnown = true } = {},
): ContextReader {
  const P = earlier.length;
  return {
    context: context?.length ?? 0,
    known: known && seesKnown ? known[0].length : 0,
    earlier: lastTokens,
    read: (inputs) => ({
      ...(context && { context: inputs.context }),
      ...(known && seesKnown && { known: inputs.known }),
      ...(lastTokens > 0 && { earlier: inputs.earlier.slice([], [P - lastTokens, P]) }),
    }),
  };
}

/** The problem of contexts like this one. */
export function problemOf(
  tokens: number,
  horizon: number,
  example: SuiteContext,
  rest: Pick<FlowProblem, "reward"> & Partial<Pick<FlowProblem, "reader" | "channel">>,
): FlowProblem {
  return { tokens, horizon, inputs: inputSpecs(tokens, example), reader: plainReader(example), ...rest };
}

/** All strings of `length` tokens. */
export function allStrings(K: number, length: number): number[][] {
  return Array.from({ length: K ** length }, (_, n) =>
    Array.from({ length }, (_, i) => Math.floor(n / K ** (length - 1 - i)) % K),
  );
}

export function repeat<T>(n: number, of: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => of(i));
}
