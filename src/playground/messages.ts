// What the page and its worker say to each other, as types.

import type { DistributionMetrics } from "../gfn/evaluate/distribution-metrics.ts";
import type { LimitMetrics } from "../gfn/evaluate/exact-evaluator.ts";
import type { ExactEvaluationEvent } from "../gfn/training/events.ts";
import type { Issue } from "../issues.ts";
import type { FlowView } from "../views/view-data.ts";
import type { OwnData } from "./own-data.ts";
import type { Picture } from "./picture.ts";
import type { PlaygroundSettings } from "./settings.ts";

/** From the page to the worker. */
export type Request =
  /** Data of the visitor for the problems that follow. Those that are left out stay as they are. */
  | { readonly kind: "data"; readonly data: OwnData }
  /** Shows a problem, and ends the training of another one. */
  | { readonly kind: "show"; readonly settings: PlaygroundSettings; readonly path: readonly number[] }
  /** `run` numbers trainings, so that late answers about an earlier one are known as such. */
  | { readonly kind: "train"; readonly run: number }
  | { readonly kind: "pause" }
  | { readonly kind: "continue" }
  | { readonly kind: "flow"; readonly path: readonly number[] }
  /** Asks for the result of the training as a file. */
  | { readonly kind: "save" };

/** A point of the curves of exact metrics. */
export interface EvaluationPoint {
  readonly iteration: number;
  readonly seconds: number;
  readonly tv: number;
  readonly kl: number;
  readonly dynamicsKl: number | null;
}

/** A problem before its training. */
export interface ShownProblem {
  readonly settings: PlaygroundSettings;
  /** What the scores are. */
  readonly label: string;
  /** Name of the environment. */
  readonly environment: string;
  readonly objects: number;
  readonly states: number;
  readonly limit: LimitMetrics;
  readonly uniform: DistributionMetrics;
  readonly learnsDynamics: boolean;
}

export type TrainingState = "idle" | "starting" | "training" | "paused" | "finished";

/** From the worker to the page. */
export type Answer =
  | {
      readonly kind: "shown";
      readonly problem: ShownProblem;
      readonly picture: Picture;
      readonly flow: FlowView;
    }
  /** The settings make no problem. What was shown before is no longer valid. */
  | { readonly kind: "refused"; readonly issues: readonly Issue[] }
  | { readonly kind: "state"; readonly run: number; readonly state: TrainingState }
  | {
      readonly kind: "started";
      readonly run: number;
      readonly engine: string;
      readonly parameters: number;
    }
  /** What happened since the last progress. */
  | {
      readonly kind: "progress";
      readonly run: number;
      readonly iteration: number;
      readonly perSecond: number | null;
      readonly losses: readonly number[];
      readonly evaluations: readonly EvaluationPoint[];
    }
  | {
      readonly kind: "picture";
      readonly run: number;
      readonly iteration: number;
      readonly picture: Picture;
      readonly flow: FlowView;
    }
  | { readonly kind: "flow"; readonly flow: FlowView }
  /** The text of a playground file, up to the last checkpoint of the training. */
  | { readonly kind: "saved"; readonly text: string; readonly iteration: number }
  /** The browser did not let the training go on for some time. */
  | { readonly kind: "slept"; readonly run: number; readonly seconds: number }
  /** The training ended by an error; what was shown stays. */
  | { readonly kind: "failed"; readonly message: string };

/** The point of an evaluation. */
export function pointOf({ iteration, seconds, reached }: ExactEvaluationEvent): EvaluationPoint {
  const { tv, kl, dynamicsKl } = reached;
  return { iteration, seconds, tv, kl, dynamicsKl };
}
