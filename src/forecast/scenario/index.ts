// Scenarios: paths under constraints, at other temperatures, from plans with noise and inside gaps; and probabilities of
// events.

export { type Clause, type Condition, meetsCondition, parseCondition } from "./condition.ts";
export { type EventOptions, type EventProbability, eventProbabilities } from "./event.ts";
export { findEdgeGaps, findGaps, type Gap, type SkippedGap } from "./gaps.ts";
export { type FilledGap, type InfillOptions, type InfillResult, infillGaps } from "./infill.ts";
export type { SamplingOptions } from "./sample-paths.ts";
export {
  type RealisedReport,
  type ScenarioOptions,
  type ScenarioReport,
  type Scenarios,
  scenarioForecasts,
} from "./scenario.ts";
