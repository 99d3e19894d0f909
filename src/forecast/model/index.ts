// A forecasting model on data: learns paths of tokens by likelihood, forecasts by drawing them.

export { temperaturesOf } from "./calibrate.ts";
export { type ExportedForecastModel, exportForecastModel } from "./export.ts";
export type { Features } from "./features.ts";
export {
  type FittedFlowForecaster,
  type FlowForecaster,
  type FlowForecasterOptions,
  fitted,
  flowForecaster,
} from "./forecaster.ts";
export {
  type ForecastModel,
  fitLikelihood,
  type TrainingEvent,
  type TrainingReport,
  trainLikelihood,
} from "./likelihood.ts";
export { type ForecastNetwork, forecastNetwork } from "./network.ts";
export { type PathSampler, pathSampler } from "./predict.ts";
export * from "./quantiser.ts";
export { refineModel } from "./refine.ts";
export { decodeForecastModel, encodeForecastModel } from "./save.ts";
export { completeSettings, type ForecastSettings, type Lag } from "./settings.ts";
