// The forecasting model as a `Forecaster`, the interface that baselines implement, too.

import { TOKEN_MODEL_LABEL } from "../forecasters/forecaster-names.ts";
import type { FittedForecaster, Forecaster } from "../types.ts";
import { predictor } from "./predictor.ts";
import { completeForecastSettings, type ForecastSettings } from "./settings.ts";
import { type ForecastModel, fitForecastModel, type TrainingOptions } from "./train.ts";

/** Options of `tokenModel`. */
export type TokenModelOptions = Pick<TrainingOptions, "onEvent">;

/** A fitted forecaster with its model. `dispose` frees the compiled program. */
export interface FittedTokenModel extends FittedForecaster {
  readonly model: ForecastModel;
  dispose(): Promise<void>;
}

/** The learned forecaster, whose fitted model can be saved. */
export interface TokenModelForecaster extends Forecaster {
  fit(...inputs: Parameters<Forecaster["fit"]>): Promise<FittedTokenModel>;
}

/** A forecaster that trains a model by maximum likelihood and samples paths from it. */
export function tokenModel(
  settings: ForecastSettings,
  { onEvent }: TokenModelOptions = {},
): TokenModelForecaster {
  completeForecastSettings(settings);
  return {
    ...{ name: TOKEN_MODEL_LABEL, kind: "learned" },
    async fit(panel, options = {}) {
      return fittedForecaster(await fitForecastModel(panel, settings, { ...options, onEvent }));
    },
  };
}

/** The forecaster of a model that was trained or loaded. */
export function fittedForecaster(model: ForecastModel): FittedTokenModel {
  const { predict, dispose } = predictor(model);
  return { model, predict, dispose };
}
