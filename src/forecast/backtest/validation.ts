// Validates the options of a backtest and the forecasts that forecasters return.

import { type Issue, throwIssues } from "../../issues.ts";
import { whole } from "../../settings/kinds.ts";
import {
  horizonKind,
  inputSizeKind,
  levelsKind,
  optionIssues,
  quantilesKind,
  refitKind,
  seasonKind,
  secondsKind,
  stepSizeKind,
  windowsKind,
} from "../option-kinds.ts";
import type { Forecast, ForecastRequest, Panel } from "../types.ts";
import type { BacktestOptions } from "./backtest.ts";

const KINDS = {
  ...{ horizon: horizonKind, windows: windowsKind, stepSize: stepSizeKind, inputSize: inputSizeKind },
  ...{ season: seasonKind, samples: whole(1), seconds: secondsKind, refit: refitKind },
} as const;

/** Throws a UserError with all issues of the options. */
export function checkBacktestOptions(options: BacktestOptions): void {
  const { panel, forecasters, quantiles = [], columnQuantiles = [], levels = [] } = options;
  const issues: Issue[] = [
    ...Object.entries(KINDS).flatMap(([path, kind]) =>
      optionIssues(path, kind, options[path as keyof typeof KINDS]),
    ),
    // Neither quantiles nor levels are required.
    ...(quantiles.length > 0 ? optionIssues("quantiles", quantilesKind, quantiles) : []),
    ...(columnQuantiles.length > 0 ? optionIssues("columnQuantiles", quantilesKind, columnQuantiles) : []),
    ...(levels.length > 0 ? optionIssues("levels", levelsKind, levels) : []),
  ];
  if (panel.series.length === 0) {
    issues.push({ path: "panel", code: "empty", message: "must have at least one series, got none" });
  }
  const names = forecasters.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const message = `must have different names, got ${twice} twice`;
    issues.push({ path: "forecasters", code: "duplicate", message });
  }
  throwIssues(issues);
}

/**
 * Throws if forecasts do not match the request. Non-finite values are accepted here, because the metrics report them.
 */
export function checkForecasts(
  name: string,
  forecasts: readonly Forecast[],
  { series, targets }: Panel,
  { horizon, quantiles }: ForecastRequest,
): void {
  const expected = series.flatMap(({ id }) => targets.map((target) => `${target} of ${id}`));
  const got = forecasts.map(({ id, target }) => `${target} of ${id}`);
  const index = expected.findIndex((text, i) => got[i] !== text);
  if (got.length !== expected.length || index >= 0) {
    throw new RangeError(
      `${name}: there must be ${expected.length} forecasts, series by series, got ${got.length}${index >= 0 ? `, with ${got[index] ?? "none"} instead of ${expected[index]}` : ""}`,
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
