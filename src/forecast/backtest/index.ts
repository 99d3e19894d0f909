// Rolling backtests of forecasters.

export {
  type BacktestCase,
  type BacktestEvent,
  type BacktestOptions,
  type BacktestResult,
  backtest,
  type ModelResult,
  runBacktest,
} from "./backtest.ts";
export { type BacktestRow, backtestColumns, backtestRows } from "./rows.ts";
export { cutWindow, type Outcome, type Window, type WindowPlan } from "./windows.ts";
