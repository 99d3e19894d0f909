// Forecasts under a constraint or at another temperature: paths in proportion to likelihood^(1/temperature), restricted to
// the paths that meet the constraint.

import { RandomStream } from "../../engine/index.ts";
import { type Issue, throwIssues, UserError } from "../../issues.ts";
import { summarisePaths } from "../model/predictor.ts";
import type { ForecastModel } from "../model/train.ts";
import { optionIssues, temperatureKind } from "../option-kinds.ts";
import type { Forecast, Panel } from "../types.ts";
import { type Condition, conditionIssues, parseCondition } from "./condition.ts";
import { resample } from "./importance-weights.ts";
import { modelPathDistribution } from "./model-path-distribution.ts";
import { noiseIssues } from "./noise.ts";
import {
  type RealisedPaths,
  type SampledPaths,
  type SamplingOptions,
  samplePaths,
  valuesOfTarget,
} from "./sample-paths.ts";

/** Options of `scenarioForecasts`. */
export interface ScenarioOptions extends SamplingOptions {
  /** Number of steps ahead. Default: the horizon of the model. */
  readonly horizon?: number;
  /** Increasing numbers between 0 and 1. Default: none. */
  readonly quantiles?: readonly number[];
  /** Number of paths per series. Default: the setting of the model. */
  readonly samples?: number;
  /** A condition that all paths must meet, such as "sum <= 1000 and min > 0". Default: none. */
  readonly constraint?: string;
  /** Above 1 for more diverse paths, below 1 for more likely ones. Default: 1. */
  readonly temperature?: number;
  /** Name of the target that the constraint applies to. Default: the first target. */
  readonly target?: string;
  /** Probability, at least 0 and below 1, that a uniform token replaces the planned one. Default: 0. */
  readonly noise?: number;
}

/** The quality of the sampled paths of a series. */
export interface ScenarioReport {
  readonly id: string;
  /** Number of weighted paths. */
  readonly drawn: number;
  /** Share of the weighted paths that meet the constraint. */
  readonly acceptance: number;
  /** Number of independent samples of the target that would be as informative as the weighted paths. */
  readonly effectiveSampleSize: number;
  /** Estimate of log Z. At temperature 1 it is the log-probability of the constraint. */
  readonly logZ: number;
  /** Standard error of the estimate of Z, relative to Z. */
  readonly relativeError: number;
  /** log Z according to the proposal: its learned log flow of the start; NaN without fine-tuning. */
  readonly learnedLogZ: number;
  /** Iterations and seconds of the fine-tuning, which all series share. */
  readonly iterations: number;
  readonly seconds: number;
  /** Absent without noise. */
  readonly realised?: RealisedReport;
}

/** The distance of the realised paths of the best plans from the target. */
export interface RealisedReport {
  /** Number of realised paths. */
  readonly drawn: number;
  /** Share of the realised paths that meet the constraint. */
  readonly acceptance: number;
  /** The effective sample size that importance weights would give the realised paths. Their actual weights are equal. */
  readonly effectiveSampleSize: number;
  /** Estimate of KL(target ‖ realised paths) in nats. It is 0 if some plan reaches the target. */
  readonly divergence: number;
}

/** Forecasts under a scenario, with a report on how they were sampled. */
export interface Scenarios {
  /**
   * One forecast per series and target, in the order of the series. All paths have the same weight. With noise they are
   * the realised paths, which may miss the constraint, and `intended` has the planned values.
   */
  readonly forecasts: readonly Forecast[];
  /** One per series. */
  readonly reports: readonly ScenarioReport[];
}

/** Samples scenarios. Without a constraint and noise, at temperature 1, these are ordinary samples of the model. */
export async function scenarioForecasts(
  model: ForecastModel,
  panel: Panel,
  options: ScenarioOptions = {},
): Promise<Scenarios> {
  const { horizon, target, condition, beta } = checkedScenarioOptions(model, options);
  const { quantiles = [], samples = model.settings.samples, seed = model.settings.seed, noise } = options;
  const { targets } = model.features;
  const M = targets.length;
  const { distribution, contexts } = modelPathDistribution(model);
  const sampled = await samplePaths(
    {
      distribution,
      contexts: await contexts(panel.series),
      steps: horizon * M,
      beta,
      condition,
      target,
      noise,
    },
    {
      ...engineOptionsOf(model),
      ...options,
      seed,
      proposals: options.proposals ?? Math.max(2000, 4 * samples),
    },
  );
  const root = RandomStream.fromSeed(seed).split("resampling");
  const forecasts = sampled.flatMap((one) => {
    if (one.report.acceptance === 0) {
      const message = `none of ${one.report.drawn} paths of ${one.id} meets "${condition?.text}"; relax the constraint or fine-tune for longer`;
      throw new UserError([{ path: "constraint", code: "unreachable", message }]);
    }
    const { paths: all, intended } = one.realised
      ? firstPaths(one.realised, samples)
      : {
          paths: resample(one.logWeights, one.met, samples, root.split(one.id)).map((i) => one.paths[i]),
          intended: null,
        };
    return targets.map((name, j): Forecast => {
      const paths = all.map((path) => valuesOfTarget(path, M, j));
      const plans = intended && { intended: intended.map((path) => valuesOfTarget(path, M, j)) };
      return { id: one.id, target: name, ...summarisePaths(paths, horizon, quantiles), paths, ...plans };
    });
  });
  return { forecasts, reports: sampled.map(scenarioReport) };
}

/** Resolves the horizon, the index of the target, the condition and β. Throws a UserError if options are wrong. */
export function checkedScenarioOptions(
  { shape, features }: ForecastModel,
  { horizon = shape.horizon, constraint, temperature = 1, target, noise = 0 }: ScenarioOptions,
): { horizon: number; target: number; condition: Condition | null; beta: number } {
  const issues: Issue[] = [];
  if (!Number.isInteger(horizon) || horizon < 1 || horizon > shape.horizon) {
    const message = `must be a whole number from 1 to ${shape.horizon}, the horizon of the model, got ${horizon}`;
    issues.push({ path: "horizon", code: "range", message });
  }
  issues.push(...optionIssues("temperature", temperatureKind, temperature));
  const index = target === undefined ? 0 : features.targets.indexOf(target);
  if (index < 0) {
    const message = `must be one of ${features.targets.join(", ")}, got ${target}`;
    issues.push({ path: "target", code: "unknown", message });
  }
  const condition = constraint === undefined ? null : parseCondition(constraint, "constraint");
  if (condition) issues.push(...conditionIssues(condition, horizon, "constraint"));
  throwIssues([...issues, ...noiseIssues(noise)]);
  return { horizon, target: index, condition, beta: 1 / temperature };
}

/** The first `samples` realised paths. The paths are independent, so the first ones are as good as any others. */
function firstPaths({ paths, intended }: RealisedPaths, samples: number) {
  return { paths: paths.slice(0, samples), intended: intended.slice(0, samples) };
}

/** The engine options of the model, as defaults for scenarios. */
export function engineOptionsOf({ settings: { engine, threads } }: ForecastModel) {
  return { engine, threads };
}

export function scenarioReport({
  id,
  report,
  learnedLogZ: logFlow,
  fineTuned: { iterations, seconds },
  realised,
}: SampledPaths): ScenarioReport {
  const learnedLogZ = iterations > 0 ? logFlow : Number.NaN;
  if (!realised) return { id, ...report, learnedLogZ, iterations, seconds };
  const { drawn, acceptance, effectiveSampleSize } = realised.report;
  const near = { drawn, acceptance, effectiveSampleSize, divergence: realised.divergence };
  return { id, ...report, learnedLogZ, iterations, seconds, realised: near };
}
