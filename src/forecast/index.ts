// Forecasting time series: data, forecasters, backtests, metrics and reports (docs/forecasting.md).

export * as backtests from "./backtest/index.ts";
export {
  type BacktestPlan,
  type BacktestPlanOptions,
  backtestPlan,
  runBacktestPlan,
} from "./backtest/plan.ts";
export * as baselines from "./baselines/index.ts";
export * as data from "./data/index.ts";
export { type Decomposition, decompose } from "./decomposition/decompose.ts";
export * as flows from "./flow/index.ts";
export * as forecasters from "./forecasters/index.ts";
export * as metrics from "./metrics/index.ts";
export * as models from "./model/index.ts";
export { type ModelData, readModelData } from "./model-data.ts";
export { type ModelManifest, readModelFolder, writeModelFolder } from "./model-folder.ts";
export * as reports from "./report/index.ts";
export * as scenarios from "./scenario/index.ts";
export * from "./types.ts";
export * as exact from "./verify/index.ts";
