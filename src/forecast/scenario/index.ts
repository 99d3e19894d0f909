// Scenarios: paths under conditions, at other temperatures, of plans and inside gaps, and how likely events are.

export { type Clause, type Condition, holds, parseCondition } from "./condition.ts";
export { type EventChance, type EventOptions, eventProbabilities } from "./event.ts";
export { edgesOf, type Gap, gapsOf, type LeftGap } from "./gaps.ts";
export { type FilledGap, type Infilled, type InfillOptions, infillGaps } from "./infill.ts";
export type { SamplingOptions } from "./sampling.ts";
export {
  type RealisedReport,
  type ScenarioOptions,
  type ScenarioReport,
  type Scenarios,
  scenarioForecasts,
} from "./scenario.ts";
