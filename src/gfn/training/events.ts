// The events that `train` yields, as types. The metrics of a run on disk have the same form.

import type { DistributionMetrics } from "../evaluate/distribution-metrics.ts";
import type { ExactEvaluation, LimitMetrics } from "../evaluate/exact-evaluator.ts";
import type { HeldOutMetrics } from "../evaluate/held-out.ts";
import type { ModeCounts } from "../evaluate/mode-counts.ts";
import type { SampleMetrics } from "../evaluate/sample-metrics.ts";
import type { ResidualSummary } from "../objectives/residual-summary.ts";
import type { PlanStep } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";

/** The first event of a run: its programs are compiled, and its length is known. */
export interface StartEvent {
  readonly kind: "start";
  readonly engine: string;
  /** Names of the programs that were compiled. */
  readonly programs: readonly string[];
  /** Planned number of iterations; null if a run by seconds has no plan yet. */
  readonly iterations: number | null;
  /** Duration of a run by seconds; null for a run by iterations. */
  readonly seconds: number | null;
  /** Number of trained parameters of each network. */
  readonly parameters: { readonly policy: number; readonly dynamics: number };
  /** Iteration of the snapshot that the run continues from; null for a new run. */
  readonly resumedAt: number | null;
}

/** A decision about the number of iterations, made when it is yielded or recorded by an earlier run. */
export interface PlanEvent extends PlanStep {
  readonly kind: "plan";
  /** Time since the start of the run. */
  readonly seconds: number;
}

/** One iteration of training with its loss. */
export interface IterationEvent {
  /** Distinguishes the event from others. */
  readonly kind: "iteration";
  /** Counted from 1. */
  readonly iteration: number;
  /** Mean loss of the objective over the batch. */
  readonly loss: number;
  /** Cross-entropy of the dynamics model; null if the objective uses none. */
  readonly dynamicsLoss: number | null;
  /** Norm of the policy's gradient before clipping. */
  readonly gradientNorm: number;
  /** Mean entropy ratio over the steps of the batch; only if the run uses the entropy ratio. */
  readonly entropyRatio?: number;
  /** Number of objects that the score function has scored so far; only in a run with a call budget. */
  readonly calls?: number;
  /** Factor of mean matching on the reward exponent; only in a run with `matchMeanScore`. */
  readonly exponentFactor?: number;
  /** Residuals of the balance on the batch, by step and by term; only with `residuals`. */
  readonly residuals?: ResidualSummary;
  /** Terminal indices of the batch; only with `reportObjects`. */
  readonly terminals?: Int32Array;
}

/** An exact evaluation, by dynamic programming with the true kernel, beside the limit and the uniform policy. */
export interface ExactEvaluationEvent {
  readonly kind: "evaluation";
  readonly exact: true;
  readonly iteration: number;
  /** Time since the start of the run, compilation included. */
  readonly seconds: number;
  /** Metrics of the trained policy. */
  readonly reached: ExactEvaluation["reached"];
  /** Metrics of the best reachable policy. */
  readonly limit: LimitMetrics;
  /** Metrics of the uniform policy. */
  readonly uniform: DistributionMetrics;
  /** Modes among objects drawn from the exact distribution; only with the option `modes`. */
  readonly modes?: ModeCounts;
  /** The policy and the dynamics model in every state of the enumeration; only with `reportTables`. */
  readonly tables?: Pick<ExactEvaluation, "policy" | "logDynamics">;
}

/** An evaluation from samples, if states cannot be enumerated or scores come from a function. */
export interface SampledEvaluationEvent {
  readonly kind: "evaluation";
  readonly exact: false;
  readonly iteration: number;
  readonly seconds: number;
  /** Metrics of samples of the policy. In a run with a call budget: of the objects that it collected last. */
  readonly sampled: SampleMetrics;
  /** Metrics of the held-out objects; only with the option `heldOutObjects`. */
  readonly heldOut?: HeldOutMetrics;
  /** Number of objects that the score function has scored so far; null if scores come from a table. */
  readonly oracleCalls: number | null;
}

/** The complete state of the run after an iteration. `train` continues from it with bit-identical results. */
export interface CheckpointEvent {
  readonly kind: "checkpoint";
  readonly iteration: number;
  readonly snapshot: Snapshot;
}

/** The last event of a run. */
export interface EndEvent {
  readonly kind: "end";
  readonly iterations: number;
  readonly seconds: number;
  /** Whether an abort signal ended the run early. */
  readonly stopped: boolean;
}

/** An evaluation of the policy; `exact` says which kind. */
export type EvaluationEvent = ExactEvaluationEvent | SampledEvaluationEvent;
/** Any event of a run. `kind` distinguishes them. */
export type TrainEvent =
  | StartEvent
  | PlanEvent
  | IterationEvent
  | EvaluationEvent
  | CheckpointEvent
  | EndEvent;
