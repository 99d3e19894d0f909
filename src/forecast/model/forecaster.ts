// The model as a forecaster among others.

import type { FittedForecaster, Forecaster } from "../types.ts";
import { type ForecastModel, type TrainingEvent, trainLikelihood } from "./likelihood.ts";
import { pathSampler } from "./predict.ts";
import { completeSettings, type ForecastSettings } from "./settings.ts";

export interface FlowForecasterOptions {
  /** Called at every validation. */
  readonly onEvent?: (event: TrainingEvent) => void;
}

/** A fitted forecaster with the model behind it; `dispose` frees its program. */
export interface FittedFlowForecaster extends FittedForecaster {
  readonly model: ForecastModel;
  dispose(): Promise<void>;
}

export interface FlowForecaster extends Forecaster {
  fit(...inputs: Parameters<Forecaster["fit"]>): Promise<FittedFlowForecaster>;
}

/** Learns tokens of paths by likelihood, and forecasts by drawing paths. */
export function flowForecaster(
  settings: ForecastSettings,
  { onEvent }: FlowForecasterOptions = {},
): FlowForecaster {
  completeSettings(settings);
  return {
    name: "GFlowNet",
    async fit(panel, options = {}) {
      const events = trainLikelihood(panel, settings, options);
      for (;;) {
        const { done, value } = await events.next();
        if (done) return fitted(value);
        onEvent?.(value);
      }
    },
  };
}

/** A model that was trained or loaded, ready to forecast. */
export function fitted(model: ForecastModel): FittedFlowForecaster {
  const sampler = pathSampler(model);
  return { model, predict: sampler.predict, dispose: sampler.dispose };
}
