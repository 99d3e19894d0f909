// What a backtest is told, and what forecasters give back, must be right; each problem is one sentence.

import type { Forecast, ForecastRequest, Panel } from "../types.ts";
import type { BacktestOptions } from "./backtest.ts";

/** Refuses options that no backtest can be made of. */
export function checkOptions(options: BacktestOptions): void {
  const { panel, forecasters, quantiles = [], levels = [], refit } = options;
  if (panel.series.length === 0) throw new RangeError("backtest: the panel must have a series, got none");
  for (const name of ["horizon", "windows", "stepSize", "inputSize", "season", "samples"] as const) {
    checkWhole(name, options[name], 1);
  }
  checkWhole("refit", refit, 0);
  for (const q of quantiles) {
    if (!(q > 0 && q < 1)) throw new RangeError(`backtest: a quantile must be between 0 and 1, got ${q}`);
  }
  for (const level of levels) {
    if (!(level > 0 && level < 100)) {
      throw new RangeError(`backtest: a level must be between 0 and 100 percent, got ${level}`);
    }
  }
  const names = forecasters.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new RangeError(`backtest: forecasters must have names of their own, got ${twice} twice`);
  }
}

/** Refuses forecasts that do not answer the request; values that are not finite are for the metrics to tell. */
export function checkForecasts(
  name: string,
  forecasts: readonly Forecast[],
  { series, targets }: Panel,
  { horizon, quantiles }: ForecastRequest,
): void {
  const wanted = series.flatMap(({ id }) => targets.map((target) => `${target} of ${id}`));
  const got = forecasts.map(({ id, target }) => `${target} of ${id}`);
  const place = wanted.findIndex((text, i) => got[i] !== text);
  if (got.length !== wanted.length || place >= 0) {
    throw new RangeError(
      `${name}: there must be ${wanted.length} forecasts, series by series, got ${got.length}${place >= 0 ? `, with ${got[place] ?? "none"} in place of ${wanted[place]}` : ""}`,
    );
  }
  for (const { id, mean, point = mean, quantiles: rows } of forecasts) {
    if (rows.length !== quantiles.length) {
      throw new RangeError(
        `${name}: a forecast must have ${quantiles.length} quantiles, got ${rows.length} of series ${JSON.stringify(id)}`,
      );
    }
    const wrong = [mean, point, ...rows].find((row) => row.length !== horizon);
    if (wrong) {
      throw new RangeError(
        `${name}: a forecast must have ${horizon} steps, got ${wrong.length} of series ${JSON.stringify(id)}`,
      );
    }
    checkOrder(name, id, rows);
  }
}

function checkOrder(name: string, id: string, rows: readonly Float64Array[]): void {
  for (let i = 1; i < rows.length; i++) {
    const step = rows[i].findIndex((value, h) => value < rows[i - 1][h]);
    if (step >= 0) {
      throw new RangeError(
        `${name}: quantiles must not cross, got ${rows[i - 1][step]} above ${rows[i][step]} at step ${step + 1} of series ${JSON.stringify(id)}`,
      );
    }
  }
}

function checkWhole(name: string, value: number | undefined, least: number): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || value < least) {
    throw new RangeError(`backtest: ${name} must be a whole number from ${least} up, got ${value}`);
  }
}
