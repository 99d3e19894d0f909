// Models by the names that were typed, as forecasters.

import { baselines, type Spread } from "../../../forecast/baselines/index.ts";
import type { Fill } from "../../../forecast/data/index.ts";
import { withFilledGaps } from "../../../forecast/filled.ts";
import { type ForecastSettings, flowForecaster, type TrainingEvent } from "../../../forecast/model/index.ts";
import type { Forecaster } from "../../../forecast/types.ts";
import { UsageError } from "../../fail.ts";
import { LEARNED } from "./choices.ts";
import type { ModelSettings, TypedModel } from "./model-flags.ts";

export interface ContestantOptions {
  readonly horizon: number;
  /** Of all learned models; what a model was typed with goes before. */
  readonly settings: ModelSettings;
  /** Where quantiles of baselines come from. */
  readonly spread?: Spread;
  readonly fill?: Fill;
  readonly onEvent?: (model: string, event: TrainingEvent) => void;
}

export function contestantOf(model: TypedModel, options: ContestantOptions): Forecaster {
  const forecaster = plainForecaster(model, options);
  return options.fill === undefined ? forecaster : withFilledGaps(forecaster, options.fill);
}

/** Settings as the model takes them. */
export function forecastSettings(horizon: number, settings: ModelSettings): ForecastSettings {
  const { point, pointWeight = 1, ...rest } = settings;
  return { horizon, ...rest, ...(point && { point: { loss: point, weight: pointWeight } }) };
}

export function isLearned({ name }: TypedModel): boolean {
  return name === LEARNED;
}

/** Refuses a spread that nothing has. */
export function checkSpread(models: readonly TypedModel[], spread: Spread | undefined): void {
  if (spread === undefined || !models.every(isLearned)) return;
  throw new UsageError("--spread goes with baselines; name one with --models, such as seasonal-naive");
}

function plainForecaster(
  model: TypedModel,
  { horizon, settings, spread, onEvent }: ContestantOptions,
): Forecaster {
  if (!isLearned(model)) return baselines[model.name]({ spread });
  const complete = forecastSettings(horizon, { ...settings, ...model.settings });
  const own = model.text.slice(LEARNED.length);
  const learned = flowForecaster(complete, { onEvent: (event) => onEvent?.(name, event) });
  const name = `${learned.name}${own}`;
  return { name, fit: learned.fit };
}
