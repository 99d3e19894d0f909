// The forecasting model: an autoregressive network over tokens, trained by maximum likelihood, whose forecasts are sampled
// paths.

export { doubleBins } from "./double-bins.ts";
export type { Features } from "./features.ts";
export { type ForecastNetwork, forecastNetwork } from "./forecast-network.ts";
export {
  type FittedTokenModel,
  fittedForecaster,
  type TokenModelForecaster,
  type TokenModelOptions,
  tokenModel,
} from "./forecaster.ts";
export { decodeForecastModel, encodeForecastModel } from "./model-file.ts";
export { type ExportedForecastModel, exportForecastModel } from "./onnx-export.ts";
export { type Predictor, predictor } from "./predictor.ts";
export * from "./quantiser.ts";
export {
  type CompleteForecastSettings,
  checkForecastSettings,
  completeForecastSettings,
  type ForecastSettings,
  forecastSettingIssues,
  type Lag,
} from "./settings.ts";
export { temperaturesOf } from "./temperature-calibration.ts";
export {
  type ForecastModel,
  type ForecastTrainingEvent,
  type ForecastTrainingReport,
  fitForecastModel,
  trainForecastModel,
} from "./train.ts";
