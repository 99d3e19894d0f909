// Forecasting time series: from a file to a judged forecast (docs/forecasting.md).

export * as backtests from "./backtest/index.ts";
export * as baselines from "./baselines/index.ts";
export * as data from "./data/index.ts";
export { type Decomposition, decompose } from "./decompose.ts";
export * as flows from "./flow/index.ts";
export * as metrics from "./metrics/index.ts";
export * as models from "./model/index.ts";
export * as scenarios from "./scenario/index.ts";
export * from "./types.ts";
export * as exact from "./verify/index.ts";
