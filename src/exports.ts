// Names that the library exports at its root in Node and in browsers alike, grouped by purpose. The API reference has the
// groups as headings.

// Environments

export { checkEnvironment } from "./gfn/environment/check-environment.ts";
export type { EnumerableEnvironment, Environment, State } from "./gfn/environment/environment.ts";
export { type HypergridOptions, hypergridEnvironment } from "./gfn/environment/hypergrid.ts";
export {
  environment,
  type PlainEnvironment,
  type PlainEnvironmentOptions,
} from "./gfn/environment/plain-environment.ts";
export {
  longSequenceEnvironment,
  type SequenceOptions,
  sequenceEnvironment,
} from "./gfn/environment/sequence.ts";

// Tasks

export { bitSequenceTask } from "./tasks/bit-sequence/index.ts";
export { hypergridTask } from "./tasks/hypergrid/index.ts";
export { pricingTask } from "./tasks/pricing/index.ts";
export { regimeTask } from "./tasks/regime/index.ts";
export { tableTask } from "./tasks/table/index.ts";
export type { Task } from "./tasks/task.ts";
export { tfbind8Task } from "./tasks/tfbind8/index.ts";

// Training

export { OBJECTIVES, type ObjectiveName } from "./gfn/objectives/objective.ts";
export type { ScoreFunction } from "./gfn/reward/cached-score-function.ts";
export { defaultSettings } from "./gfn/training/defaults.ts";
export type { EvaluationEvent, IterationEvent, TrainEvent } from "./gfn/training/events.ts";
export type { Settings, SettingsInput } from "./gfn/training/settings.ts";
export { type TrainOptions, train } from "./gfn/training/train.ts";
export type { Schedule } from "./nn/optim/schedule.ts";
export type { FitOptions } from "./trained/fit.ts";

// Designs

export type { CandidateRow } from "./design/candidate-files.ts";
export type { ScoredDesign } from "./design/candidates.ts";
export type { Design, DesignOptions } from "./design/design.ts";

// Trained models

export type { LogProbability } from "./gfn/evaluate/log-probability.ts";
export type { Evaluation } from "./gfn/evaluate/model-evaluator.ts";
export type {
  EstimateOptions,
  ExportOptions,
  SampleOptions,
  ScoredSample,
  Trained,
} from "./trained/trained.ts";

// Errors

export { type Issue, UserError } from "./issues.ts";
