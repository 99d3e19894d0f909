// GFlowNets for stochastic environments: environments, objectives, training, exact evaluation.

export { checkEnvironment } from "./check-environment.ts";
export { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";
export type { Change, Course } from "./course.ts";
export { defaultSettings } from "./defaults.ts";
export { ESTIMATORS, RATIO_USES } from "./entropy-ratio/choice.ts";
export type { EntropyRatioOptions, EntropyRegulariserOptions } from "./entropy-ratio/options.ts";
export {
  checkEnumeration,
  type Enumeration,
  enumeration,
  type Transition,
  terminal,
} from "./enumeration.ts";
export {
  type EnumerableEnvironment,
  type Environment,
  type HistoryEnvironment,
  hasHistories,
  isEnumerable,
  type State,
} from "./environment.ts";
export {
  type HypergridEnvironment,
  type HypergridOptions,
  hypergridEnvironment,
} from "./environments/hypergrid.ts";
export {
  type Regime,
  type RegimeEnvironment,
  type RegimeOptions,
  type RegimeState,
  regimeEnvironment,
} from "./environments/regime.ts";
export {
  longSequenceEnvironment,
  type SequenceEnvironment,
  type SequenceOptions,
  sequenceEnvironment,
} from "./environments/sequence.ts";
export { type SequenceCodec, sequenceCodec } from "./environments/sequence-codec.ts";
export {
  divergence,
  entropy,
  expectation,
  normalise,
  pearson,
  spearman,
  totalVariation,
} from "./evaluate/distances.ts";
export { editDistance, meanPairwiseDistance, novelty, type TopK, topK } from "./evaluate/diversity.ts";
export {
  largestExpectedReward,
  type PolicyTable,
  uniformPolicy,
  type Visitation,
  visitation,
} from "./evaluate/exact.ts";
export { type ExactEvaluation, type ExactEvaluator, exactEvaluator } from "./evaluate/exact-evaluator.ts";
export { type ExpectedSolution, expectedFlows, softValues } from "./evaluate/expected.ts";
export { type HistoryListing, historyListing, withoutThought } from "./evaluate/histories.ts";
export { type Limit, limitByFilling, limitBySearch, limitOf } from "./evaluate/limit.ts";
export { type Measures, measuresOf } from "./evaluate/measures.ts";
export {
  greedyModes,
  hammingDistance,
  localMaxima,
  localMaximaOfTable,
  modeRecall,
} from "./evaluate/modes.ts";
export { type FoundModes, type ModesTask, modesOf } from "./evaluate/run-metrics.ts";
export {
  type SampledTotalVariation,
  sampledTotalVariation,
  samplingFloor,
} from "./evaluate/sampled.ts";
export { type SampledMeasures, sampledMeasures } from "./evaluate/sampled-evaluator.ts";
export { type ThoughtLimitOptions, type ThoughtLimits, thoughtLimits } from "./evaluate/thought-limits.ts";
export type {
  CheckpointEvent,
  EndEvent,
  EvaluationEvent,
  ExactEvaluationEvent,
  IterationEvent,
  SampledEvaluationEvent,
  StartEvent,
  TrainEvent,
} from "./events.ts";
export { type ExportModelOptions, exportModel } from "./export.ts";
export { iterationsWithin, measureRate, type Rate } from "./measure-rate.ts";
export { type LogZOptions, type Model, type ModelOptions, model } from "./model.ts";
export type { NetworkOptions } from "./networks.ts";
export { stickNoise } from "./noise.ts";
export {
  BALANCES,
  DYNAMICS,
  LOSSES,
  OBJECTIVES,
  type Objective,
  type ObjectiveName,
  objectiveNamed,
} from "./objectives/choice.ts";
export type { ScoreFunction } from "./oracle.ts";
export { type RewardOptions, rewardTable } from "./reward.ts";
export { decodeSafetensors, encodeSafetensors, type StoredTensor } from "./safetensors.ts";
export { type Sample, type Sampler, type SamplerOptions, sampler, thoughtText } from "./sample.ts";
export type { DynamicsReplayOptions, Exploration, Mixture, ReplayOptions, Settings } from "./settings.ts";
export type { Snapshot, TrainerState } from "./snapshot.ts";
export { type TrainOptions, train } from "./train.ts";
export { createTrainer, type Trainer, type TrainerOptions } from "./trainer.ts";
