// Tables, CSV files and HTML pages of forecasts and backtests.

export * from "./backtest-page.ts";
export * from "./backtest-tables.ts";
export * from "./comparison-table.ts";
export * from "./data-summary.ts";
export * from "./decomposition-report.ts";
export * from "./forecast-page.ts";
export * from "./forecast-table.ts";
export * from "./scenario-tables.ts";
