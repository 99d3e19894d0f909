// GFlowNets for stochastic environments: environments, objectives, training, exact evaluation.

// Distances

export { hammingDistance } from "../math/bounded-distance.ts";
export {
  assignCircles,
  type CircleAssignment,
  type CirclesOptions,
  circles,
} from "../math/circles.ts";
export {
  entropy,
  expectation,
  klDivergence,
  normaliseRewards,
  pearson,
  spearman,
  totalVariation,
} from "../math/distances.ts";

// Several objectives

export { hypervolume } from "../math/hypervolume.ts";
export { type Point, paretoFront } from "../math/pareto-front.ts";
export {
  type PreferenceEnvironment,
  type PreferenceOptions,
  preferenceEnvironment,
} from "./environment/preference.ts";

// Environments

export type { Constraint, SequenceSpace, Template } from "../constraints/index.ts";
export { checkEnvironment } from "./environment/check-environment.ts";
export {
  type ConstrainedSequenceEnvironment,
  type ConstrainedSequenceOptions,
  constrainedSequenceEnvironment,
  type EnumerableConstrainedEnvironment,
  withIntendedTemplate,
  withTemplate,
} from "./environment/constrained-sequence.ts";
export {
  checkEnumeration,
  type Enumeration,
  enumerationFrom,
  type Transition,
  terminalTarget,
} from "./environment/enumeration.ts";
export {
  type EnumerableEnvironment,
  type Environment,
  type HistoryDependentEnvironment,
  isEnumerable,
  isHistoryDependent,
  type State,
} from "./environment/environment.ts";
export {
  type HypergridEnvironment,
  type HypergridOptions,
  hypergridEnvironment,
} from "./environment/hypergrid.ts";
export type { LetterNoise } from "./environment/letter-noise.ts";
export {
  environment,
  type PlainEnvironment,
  type PlainEnvironmentOptions,
} from "./environment/plain-environment.ts";
export type { PlainOutcome } from "./environment/plain-world.ts";
export {
  type Regime,
  type RegimeEnvironment,
  type RegimeOptions,
  type RegimeState,
  regimeEnvironment,
} from "./environment/regime.ts";
export {
  type EnumerableSequenceEnvironment,
  longSequenceEnvironment,
  type SequenceEnvironment,
  type SequenceOptions,
  sequenceEnvironment,
} from "./environment/sequence.ts";
export { type SequenceCodec, sequenceCodec } from "./environment/sequence-codec.ts";
export { stickNoise } from "./environment/stick-noise.ts";

// Evaluation

export {
  type DistributionMetrics,
  distributionMetrics,
} from "./evaluate/distribution-metrics.ts";
export { meanPairwiseDistance, novelty, type TopK, topK } from "./evaluate/diversity.ts";
export {
  largestExpectedReward,
  type PolicyTable,
  uniformPolicy,
  type Visitation,
  visitation,
} from "./evaluate/exact.ts";
export { type ExactEvaluation, type ExactEvaluator, exactEvaluator } from "./evaluate/exact-evaluator.ts";
export {
  type FlowSolution,
  solveExpectedFlows,
  solveSoftQ,
} from "./evaluate/expected-dynamics.ts";
export {
  type HeldOutMetrics,
  type HeldOutSplit,
  heldOutMetrics,
  importanceSampleSize,
  type LogPair,
  splitHeldOut,
} from "./evaluate/held-out.ts";
export {
  broadcastToHistories,
  enumerateHistories,
  type HistoryEnumeration,
} from "./evaluate/history-enumeration.ts";
export { illegalProbability, leastIllegalProbability } from "./evaluate/illegal-probability.ts";
export {
  type Limit,
  limitByExpectationMaximisation,
  limitOf,
} from "./evaluate/limit.ts";
export {
  countModes,
  type ModeCountingTask,
  type ModeCounts,
} from "./evaluate/mode-counts.ts";
export {
  localMaxima,
  localMaximaOfTable,
  modeRecall,
} from "./evaluate/modes.ts";
export {
  type SampleMetrics,
  sampleMetrics,
} from "./evaluate/sample-metrics.ts";
export {
  type SampledTotalVariation,
  sampledTotalVariation,
  samplingFloor,
} from "./evaluate/sampling-floor.ts";
export { type ThoughtLimitOptions, type ThoughtLimits, thoughtLimits } from "./evaluate/thought-limits.ts";

// Objectives

export {
  ENTROPY_RATIO_ESTIMATORS,
  ENTROPY_RATIO_USES,
} from "./objectives/entropy-ratio/choices.ts";
export type { EntropyRatioOptions } from "./objectives/entropy-ratio/options.ts";
export {
  BALANCES,
  type Balance,
  DYNAMICS_FORMS,
  LOSSES,
  learnsDynamics,
  OBJECTIVES,
  type Objective,
  type ObjectiveName,
  objectiveByName,
} from "./objectives/objective.ts";
export type { ResidualSummary, ResidualTerm } from "./objectives/residual-summary.ts";

// Networks

export { type ExportModelOptions, exportModel } from "./policy/export-onnx.ts";
export { type Model, model } from "./policy/model.ts";
export type { ModelSettings } from "./policy/model-settings.ts";

// Rewards

export type { ScoreFunction } from "./reward/cached-score-function.ts";
export { type RewardOptions, rewardTable } from "./reward/reward.ts";

// Sampling

export {
  formatThought,
  type Sample,
  type Sampler,
  type SamplerOptions,
  sampler,
} from "./sampling/sampler.ts";
export { type ActionConditions, actionConditions, type SampleConditions } from "./sampling/template.ts";

// Training

export type { Schedule, ScheduleChange } from "../nn/optim/schedule.ts";
export { callBudgetDataSettings, callBudgetSettings } from "./training/call-budget-defaults.ts";
export { iterationsForCalls, plannedCalls } from "./training/call-plan.ts";
export { checkSettings } from "./training/check-settings.ts";
export { decodeCheckpoint, encodeCheckpoint } from "./training/checkpoint.ts";
export { DATA_SET_KEYS, type DataSetSettings, dataSetSettings } from "./training/data-set-settings.ts";
export { defaultSettings } from "./training/defaults.ts";
export type {
  CheckpointEvent,
  EndEvent,
  EvaluationEvent,
  ExactEvaluationEvent,
  IterationEvent,
  PlanEvent,
  SampledEvaluationEvent,
  StartEvent,
  TrainEvent,
} from "./training/events.ts";
export type { Plan, PlanStep } from "./training/plan.ts";
export type { Settings, SettingsInput } from "./training/settings.ts";
export { SETTING_KEYS } from "./training/settings-table.ts";
export type { Snapshot, TrainerState } from "./training/snapshot.ts";
export type { Reserve } from "./training/time-budget.ts";
export { type TrainOptions, train } from "./training/train.ts";
export { modelTrainer, type RestartOptions, type Trainer, type TrainerOptions } from "./training/trainer.ts";
