// Synthetic results and cases for the tests of the quality benchmark.

import type { QualityCase } from "./cases.ts";
import type { TimingResult, TrainingResult } from "./measure.ts";
import type { Run } from "./run-store.ts";

const MEASURES = { tv: 0.12, kl: 0.045, pearson: 0.99, spearman: 0.98 };

/** A training result with these distances. */
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
    stateTableRows: 21845,
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

export function trainingCase(name: string, seconds: number, changes: Partial<QualityCase> = {}): QualityCase {
  const problem = { task: "hypergrid", stick: 0.25, dimensions: 2, side: seconds, r0: 1e-3 } as const;
  const work = { kind: "training", problem, rewardExponent: 1, stateTable: true } as const;
  return { name, seconds, measurement: work, requirements: [], ...changes };
}

export function timingCase(name: string): QualityCase {
  const problem = { task: "tfbind8", stick: 0.25 } as const;
  return { name, seconds: 10, measurement: { kind: "timing", what: "limit", problem }, requirements: [] };
}
