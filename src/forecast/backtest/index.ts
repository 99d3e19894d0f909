// Rolling backtests of forecasters.

export {
  type BacktestCase,
  type BacktestEvent,
  type BacktestOptions,
  type BacktestResult,
  backtest,
  type ModelResult,
  type ModelScores,
  runBacktest,
} from "./backtest.ts";
export { type BacktestRow, backtestColumns, backtestRows } from "./backtest-rows.ts";
export {
  type BacktestWindow,
  cutWindow,
  type SeriesActuals,
  type WindowLayout,
} from "./windows.ts";
