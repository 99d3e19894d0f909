// The forecasting model as a `Forecaster`, the interface that baselines implement, too.

import type { FittedForecaster, Forecaster } from "../types.ts";
import { predictor } from "./predictor.ts";
import { completeForecastSettings, type ForecastSettings } from "./settings.ts";
import { type FitOptions, type ForecastModel, fitForecastModel } from "./train.ts";

/** Options of `flowForecaster`. */
export type FlowForecasterOptions = Pick<FitOptions, "onEvent">;

/** A fitted forecaster with its model. `dispose` frees the compiled program. */
export interface FittedFlowForecaster extends FittedForecaster {
  readonly model: ForecastModel;
  dispose(): Promise<void>;
}

/** The learned forecaster, whose fitted model can be saved. */
export interface FlowForecaster extends Forecaster {
  fit(...inputs: Parameters<Forecaster["fit"]>): Promise<FittedFlowForecaster>;
}

/** A forecaster that trains a model by maximum likelihood and samples paths from it. */
export function flowForecaster(
  settings: ForecastSettings,
  { onEvent }: FlowForecasterOptions = {},
): FlowForecaster {
  completeForecastSettings(settings);
  return {
    name: "GFlowNet",
    async fit(panel, options = {}) {
      return fittedForecaster(await fitForecastModel(panel, settings, { ...options, onEvent }));
    },
  };
}

/** The forecaster of a model that was trained or loaded. */
export function fittedForecaster(model: ForecastModel): FittedFlowForecaster {
  const { predict, dispose } = predictor(model);
  return { model, predict, dispose };
}
