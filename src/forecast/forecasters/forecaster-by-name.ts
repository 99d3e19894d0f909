// Creates forecasters by name: the learned model with its settings, or a baseline.

import { type Issue, throwIssues, UserError } from "../../issues.ts";
import { baselines, type PredictiveDistribution } from "../baselines/index.ts";
import type { FillMethod } from "../data/fill-gaps.ts";
import type { Floor } from "../data/option-names.ts";
import { withFloor } from "../floor.ts";
import { withFilledGaps } from "../gap-filling.ts";
import { tokenModel } from "../model/forecaster.ts";
import { allForecastSettingIssues, type ForecastSettings } from "../model/settings.ts";
import type { ForecastTrainingEvent } from "../model/train.ts";
import type { Forecaster } from "../types.ts";
import { FORECASTERS, TOKEN_MODEL } from "./forecaster-names.ts";

/** Settings of the learned forecaster; the horizon and the season come from the forecast and the data. */
export type LearnedSettings = Omit<ForecastSettings, "horizon" | "season">;

/** A forecaster by name; the learned one with settings that differ from the common ones. */
export interface ForecasterSpec {
  readonly name: string;
  readonly settings?: LearnedSettings;
  /** Appended to the name of the learned forecaster, to distinguish several, such as `:bins=16`. */
  readonly suffix?: string;
}

/** Options of `forecasterByName` and `forecastersByName`. */
export interface ForecasterByNameOptions {
  readonly horizon: number;
  /** Common settings of all learned forecasters. */
  readonly settings?: LearnedSettings;
  /** Predictive distribution of the baselines. Default: gaussian. */
  readonly predictiveDistribution?: PredictiveDistribution;
  /** How gaps are filled before fitting and predicting. Default: gaps are not filled. */
  readonly fill?: FillMethod;
  /** The smallest value of forecasts. Default: `auto`. */
  readonly floor?: Floor;
  /** Called with each event of training. */
  readonly onTrainingEvent?: (forecaster: string, event: ForecastTrainingEvent) => void;
}

/** Specifications of all forecasters. */
export const ALL_FORECASTERS: readonly ForecasterSpec[] = Object.keys(FORECASTERS).map((name) => ({ name }));

/** Creates a forecaster. Throws a UserError if the name is unknown. */
export function forecasterByName(spec: ForecasterSpec, options: ForecasterByNameOptions): Forecaster {
  const unlimited = isLearned(spec)
    ? learnedForecaster(spec, options)
    : baselineForecaster(spec, options.predictiveDistribution);
  const forecaster = options.floor === "none" ? unlimited : withFloor(unlimited);
  return options.fill === undefined ? forecaster : withFilledGaps(forecaster, options.fill);
}

/** Creates several forecasters. Throws a UserError if two of them have the same name. */
export function forecastersByName(
  specs: readonly ForecasterSpec[],
  options: ForecasterByNameOptions,
): Forecaster[] {
  const forecasters = specs.map((spec) => forecasterByName(spec, options));
  const names = forecasters.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return forecasters;
  const message = `must contain each model once, got ${twice} twice`;
  throw new UserError([{ path: "models", code: "duplicate", message }]);
}

/**
 * Throws a UserError if settings of a learned forecaster break a rule. Issues of a specification with settings of its
 * own are reported for `models`.
 */
export async function checkLearnedSettings(
  specs: readonly ForecasterSpec[],
  { horizon = 1, settings: common }: { readonly horizon?: number; readonly settings?: LearnedSettings },
): Promise<void> {
  const issues = new Map<string, Issue>();
  for (const { name, settings, suffix = "" } of specs.filter(isLearned)) {
    for (const issue of await allForecastSettingIssues({ horizon, ...common, ...settings })) {
      const { path, code, message } = issue;
      const about = `${name}${suffix} has a wrong ${path}, which ${message}`;
      issues.set(`${suffix} ${path}`, settings ? { path: "models", code, message: about } : issue);
    }
  }
  throwIssues([...issues.values()]);
}

/** Whether a specification names the learned forecaster, and not a baseline. */
export function isLearned({ name }: ForecasterSpec): boolean {
  return name === TOKEN_MODEL;
}

/** Throws if a predictive distribution is given but no baseline uses it. */
export function checkPredictiveDistribution(
  specs: readonly ForecasterSpec[],
  predictiveDistribution: PredictiveDistribution | undefined,
): void {
  if (predictiveDistribution === undefined || !specs.every(isLearned)) return;
  const message = "applies to baselines only; choose a baseline such as seasonal-naive";
  throw new UserError([{ path: "predictiveDistribution", code: "conflict", message }]);
}

function learnedForecaster(
  { settings, suffix = "" }: ForecasterSpec,
  { horizon, settings: common, onTrainingEvent }: ForecasterByNameOptions,
): Forecaster {
  const learned = tokenModel(
    { horizon, ...common, ...settings },
    { onEvent: (event) => onTrainingEvent?.(name, event) },
  );
  const name = `${learned.name}${suffix}`;
  return { name, kind: learned.kind, fit: learned.fit };
}

function baselineForecaster(
  { name }: ForecasterSpec,
  predictiveDistribution: PredictiveDistribution | undefined,
): Forecaster {
  if (Object.hasOwn(baselines, name)) return baselines[name]({ predictiveDistribution });
  const message = `must be one of ${Object.keys(FORECASTERS).join(", ")}, got ${name}`;
  throw new UserError([{ path: "models", code: "unknown", message }]);
}
