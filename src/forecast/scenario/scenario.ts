// Forecasts under a condition or at another temperature: paths in proportion to likelihood^(1/temperature), of which all
// meet the condition.

import { RandomStream } from "../../engine/index.ts";
import type { ForecastModel } from "../model/likelihood.ts";
import { summary } from "../model/predict.ts";
import type { Forecast, Panel } from "../types.ts";
import { type Condition, parseCondition } from "./condition.ts";
import { modelLaw } from "./model-law.ts";
import { ofTarget, type RealisedPaths, type Sampled, type SamplingOptions, samplePaths } from "./sampling.ts";
import { resampled } from "./weights.ts";

export interface ScenarioOptions extends SamplingOptions {
  /** Steps ahead; all that were learned unless told. */
  readonly horizon?: number;
  /** Rising, between 0 and 1; none unless told. */
  readonly quantiles?: readonly number[];
  /** Paths per series; as the model was set unless told. */
  readonly samples?: number;
  /** Which paths may be: "sum <= 1000 and min > 0"; all unless told. */
  readonly constraint?: string;
  /** Above 1 for bolder paths, below 1 for likelier ones; 1 unless told. */
  readonly temperature?: number;
  /** The target that the condition is about; the first unless told. */
  readonly target?: string;
  /** Probability from 0 on and below 1 that any token comes instead of the intended one; 0 unless told. */
  readonly noise?: number;
}

/** How far to trust what was drawn for a series. */
export interface ScenarioReport {
  readonly id: string;
  /** Weighted paths, and the share of them that meets the condition. */
  readonly drawn: number;
  readonly acceptance: number;
  /** So many plain draws from the very target are they worth. */
  readonly effective: number;
  /** log Z(c), which at temperature 1 is the log probability of the condition: estimated, with its relative error. */
  readonly logZ: number;
  readonly relativeError: number;
  /** log Z(c) as the flow has learned it; NaN if nothing was tuned. */
  readonly learnedLogZ: number;
  /** Iterations and seconds of the tuning that all series share. */
  readonly iterations: number;
  readonly seconds: number;
  /** Only where there is noise. */
  readonly realised?: RealisedReport;
}

/** How near to what is asked for comes what noise makes of the best plans. */
export interface RealisedReport {
  /** Paths, and the share of them that meets the condition. */
  readonly drawn: number;
  readonly acceptance: number;
  /** So many plain draws from the very target would they be worth if they were weighted, which they are not. */
  readonly effective: number;
  /** KL(target ‖ what comes) in nats, estimated: 0 where some plan comes to the target itself. */
  readonly divergence: number;
}

export interface Scenarios {
  /**
   * One per series and target, series by series; their paths are all of equal weight. With noise they are what comes of
   * plans, as it comes, and need not meet the condition; `intended` has the plans.
   */
  readonly forecasts: readonly Forecast[];
  /** One per series. */
  readonly reports: readonly ScenarioReport[];
}

/** Draws scenarios. Without a condition and noise and at temperature 1 they are plain draws from the model. */
export async function scenarioForecasts(
  model: ForecastModel,
  panel: Panel,
  options: ScenarioOptions = {},
): Promise<Scenarios> {
  const { horizon, target, condition, beta } = checkedOptions(model, options);
  const { quantiles = [], samples = model.settings.samples, seed = model.settings.seed, noise } = options;
  const { targets } = model.features;
  const M = targets.length;
  const { law, contexts } = modelLaw(model);
  const sampled = await samplePaths(
    { law, contexts: await contexts(panel.series), steps: horizon * M, beta, condition, target, noise },
    { ...enginesOf(model), ...options, seed, proposals: options.proposals ?? Math.max(2000, 4 * samples) },
  );
  const root = RandomStream.fromSeed(seed).split("resampling");
  const forecasts = sampled.flatMap((one) => {
    if (one.report.acceptance === 0) {
      throw new RangeError(
        `scenario: paths of ${one.id} must meet "${condition?.text}", and none of ${one.report.drawn} did; ask for less, or tune for longer`,
      );
    }
    const { paths: all, intended } = one.realised
      ? asTheyCome(one.realised, samples)
      : {
          paths: resampled(one.logWeights, one.met, samples, root.split(one.id)).map((i) => one.paths[i]),
          intended: null,
        };
    return targets.map((name, j): Forecast => {
      const paths = all.map((path) => ofTarget(path, M, j));
      const plans = intended && { intended: intended.map((path) => ofTarget(path, M, j)) };
      return { id: one.id, target: name, ...summary(paths, horizon, quantiles), paths, ...plans };
    });
  });
  return { forecasts, reports: sampled.map(reportOf) };
}

/** Horizon, place of the target, condition and power, checked. */
export function checkedOptions(
  { shape, features }: ForecastModel,
  { horizon = shape.horizon, constraint, temperature = 1, target }: ScenarioOptions,
): { horizon: number; target: number; condition: Condition | null; beta: number } {
  if (!Number.isInteger(horizon) || horizon < 1 || horizon > shape.horizon) {
    throw new RangeError(
      `scenario: horizon must be a whole number from 1 to ${shape.horizon}, which was learned, got ${horizon}`,
    );
  }
  if (!(temperature > 0 && Number.isFinite(temperature))) {
    throw new RangeError(`scenario: temperature must be positive and finite, got ${temperature}`);
  }
  const place = target === undefined ? 0 : features.targets.indexOf(target);
  if (place < 0) {
    throw new RangeError(`scenario: target must be one of ${features.targets.join(", ")}, got ${target}`);
  }
  return {
    horizon,
    target: place,
    condition: constraint === undefined ? null : parseCondition(constraint),
    beta: 1 / temperature,
  };
}

/** Of paths that are drawn apart from each other, the first are as good as any. */
function asTheyCome({ paths, intended }: RealisedPaths, samples: number) {
  return { paths: paths.slice(0, samples), intended: intended.slice(0, samples) };
}

/** Programs run where those of the model do, unless told. */
export function enginesOf({ settings: { engine, threads } }: ForecastModel) {
  return { engine, threads };
}

export function reportOf({ id, report, logFlow, tuned, realised }: Sampled): ScenarioReport {
  const { iterations, seconds } = tuned;
  const learnedLogZ = iterations > 0 ? logFlow : Number.NaN;
  if (!realised) return { id, ...report, learnedLogZ, iterations, seconds };
  const { drawn, acceptance, effective } = realised.report;
  const near = { drawn, acceptance, effective, divergence: realised.divergence };
  return { id, ...report, learnedLogZ, iterations, seconds, realised: near };
}
