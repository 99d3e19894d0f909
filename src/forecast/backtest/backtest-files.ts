// The names of the files that a backtest writes.

export const BACKTEST_FILES = {
  /** Actual values and forecasts, one row per series, window and step; of a backtest in shards, of the first series only. */
  forecasts: "forecasts.csv",
  /** Metrics of each model: over all, by series and by step. */
  metrics: "metrics.csv",
  /** Tables and figures, as the report shows them. */
  page: "page.json",
  report: "report.html",
} as const;
