// Oracles, which score strings, and the scores on disk. For Node only.

export { combinedScore, type DesignObjective, scaledValue, violation } from "./design-objectives.ts";
export {
  type BatchScorer,
  type FunctionAnswer,
  type FunctionOracleOptions,
  functionOracle,
  type StringScorer,
} from "./function-oracle.ts";
export { type HttpOracleOptions, httpOracle } from "./http-oracle.ts";
export { type ModuleOracleOptions, moduleOracle } from "./module-oracle.ts";
export { type Answer, DeadOracleError, type Oracle, OracleError } from "./oracle.ts";
export { type ProgramOracleOptions, programOracle } from "./program-oracle.ts";
export { PROGRAM_PROTOCOLS, type ProgramProtocol } from "./program-protocols.ts";
export {
  type ChosenExponent,
  chooseExponent,
  effectiveNumber,
  GOALS,
  type Goal,
  type RewardShape,
  SCALES,
  type Scale,
  type ScalingOptions,
  type ScoreScaling,
  scoreScaling,
  shapedRewards,
} from "./reward-shaping.ts";
export {
  FAILURE_POLICIES,
  type FailurePolicy,
  openScoreStore,
  type Scored,
  ScoreStore,
  type ScoreStoreOptions,
} from "./score-store.ts";
export { splitCommand } from "./split-command.ts";
export {
  type ReadScoresOptions,
  readScores,
  type ScoreColumns,
  type ScoredString,
  type TableOracleOptions,
  tableOracle,
} from "./table-oracle.ts";
