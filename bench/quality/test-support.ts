// Made-up results for the tests of the quality benchmark.

import type { Setting } from "./settings.ts";
import type { Run } from "./store.ts";
import type { TimingResult, TrainingResult } from "./work.ts";

const MEASURES = { tv: 0.12, kl: 0.045, pearson: 0.99, spearman: 0.98 };

/** A training that reached these numbers. */
export function trainingResult(
  reached: Partial<TrainingResult["reached"]> = {},
  changes: Partial<TrainingResult> = {},
): TrainingResult {
  return {
    kind: "training",
    reached: { ...MEASURES, dynamicsKl: 0.001, logZError: 0.002, ...reached } as TrainingResult["reached"],
    limit: { ...MEASURES, tv: 0.1, kl: 0.04 } as TrainingResult["limit"],
    uniform: { ...MEASURES, tv: 0.4, kl: 0.5 } as TrainingResult["uniform"],
    prediction: null,
    iterations: 1000,
    seconds: 59.5,
    wallSeconds: 59.6,
    memoryRows: 21845,
    parameters: { policy: 200_000, dynamics: 1000 },
    ...changes,
  };
}

export function timingResult(seconds: number): TimingResult {
  return { kind: "timing", seconds, repeats: [seconds] };
}

export function runOf(seed: number | null, result: Run["result"], changes: Partial<Run> = {}): Run {
  const budget = result.kind === "training" ? 60 : null;
  return { date: "2026-01-02T03:04:05.678Z", jobs: 1, seed, budget, result, ...changes };
}

export function trained(name: string, seconds: number, changes: Partial<Setting> = {}): Setting {
  const problem = { task: "hypergrid", stick: 0.25, dimensions: 2, side: seconds, r0: 1e-3 } as const;
  const work = { kind: "training", problem, exponent: 1, memory: true } as const;
  return { name, seconds, work, requirements: [], ...changes };
}

export function timed(name: string): Setting {
  const problem = { task: "tfbind8", stick: 0.25 } as const;
  return { name, seconds: 10, work: { kind: "timing", what: "limit", problem }, requirements: [] };
}
