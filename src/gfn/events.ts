// What a training run tells: types only, shared by everything that listens.

import type { ExactEvaluation, LimitMeasures } from "./evaluate/exact-evaluator.ts";
import type { Measures } from "./evaluate/measures.ts";
import type { FoundModes } from "./evaluate/run-metrics.ts";
import type { SampledMeasures } from "./evaluate/sampled-evaluator.ts";
import type { Snapshot } from "./snapshot.ts";

export interface StartEvent {
  readonly kind: "start";
  readonly engine: string;
  /** Names of the programs that were compiled. */
  readonly programs: readonly string[];
  /** What the run will make, or how long it will take; the other is null. */
  readonly iterations: number | null;
  readonly seconds: number | null;
  /** Numbers that are trained: of the policy, and of the dynamics model. */
  readonly parameters: { readonly policy: number; readonly dynamics: number };
  /** Iterations that were made before, if the run continues from a snapshot; else null. */
  readonly resumedAt: number | null;
}

export interface IterationEvent {
  readonly kind: "iteration";
  /** Counted from 1. */
  readonly iteration: number;
  readonly loss: number;
  /** Cross-entropy of the dynamics model; null if the objective has none. */
  readonly dynamicsLoss: number | null;
  /** Norm of the policy's gradient before clipping. */
  readonly gradientNorm: number;
  /** Mean of the entropy ratio over the steps of the batch; only in a run that uses it. */
  readonly entropyRatio?: number;
  /** Numbers of the objects that the batch ended in, with `reportObjects`. */
  readonly terminals?: Int32Array;
}

/** Exact, by dynamic programming with the true kernel, beside the best that any policy reaches. */
export interface ExactEvaluationEvent {
  readonly kind: "evaluation";
  readonly exact: true;
  readonly iteration: number;
  /** Since the run began, compiling included. */
  readonly seconds: number;
  readonly reached: ExactEvaluation["reached"];
  readonly limit: LimitMeasures;
  /** The uniform policy. */
  readonly uniform: Measures;
  /** Among objects drawn from the exact probabilities of this moment, if the run was told what modes are. */
  readonly modes?: FoundModes;
}

/** From samples, where states cannot be listed or scores are not all known. */
export interface SampledEvaluationEvent {
  readonly kind: "evaluation";
  readonly exact: false;
  readonly iteration: number;
  readonly seconds: number;
  readonly sampled: SampledMeasures;
  /** Objects that the score function was asked for so far; null if scores stand in a table. */
  readonly oracleCalls: number | null;
}

/** All that the run is after an iteration: `train` continues from it, to the bit. */
export interface CheckpointEvent {
  readonly kind: "checkpoint";
  readonly iteration: number;
  readonly snapshot: Snapshot;
}

export interface EndEvent {
  readonly kind: "end";
  readonly iterations: number;
  readonly seconds: number;
  /** Whether a signal ended the run before it was complete. */
  readonly stopped: boolean;
}

export type EvaluationEvent = ExactEvaluationEvent | SampledEvaluationEvent;
export type TrainEvent = StartEvent | IterationEvent | EvaluationEvent | CheckpointEvent | EndEvent;
