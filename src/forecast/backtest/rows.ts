// The forecasts of a backtest as rows with the columns that users of forecasting tools know.

import { boundsOf } from "../metrics/index.ts";
import { quantilePlace } from "../metrics/quantile.ts";
import type { BacktestCase, BacktestResult, ModelResult } from "./backtest.ts";

export type BacktestRow = Readonly<Record<string, string | number | null>>;

/** Names of the columns, in order: `unique_id, ds, cutoff, y, MODEL, MODEL-lo-95, MODEL-lo-80, MODEL-hi-80, …`. */
export function backtestColumns(result: BacktestResult): string[] {
  const heads = hasTargets(result) ? ["unique_id", "target"] : ["unique_id"];
  const levels = result.levels.toSorted((a, b) => a - b);
  const values = result.models.flatMap(({ name }) => [
    name,
    ...levels.toReversed().map((level) => `${name}-lo-${level}`),
    ...levels.map((level) => `${name}-hi-${level}`),
  ]);
  return [...heads, "ds", "cutoff", "y", ...values];
}

/**
 * One row per series, window and step; with several targets one for each, told apart by a column `target`.
 * Times are ISO 8601 in UTC; what is missing or not finite is null.
 */
export function* backtestRows(result: BacktestResult): Generator<BacktestRow> {
  const [first] = result.models;
  const several = hasTargets(result);
  for (let i = 0; i < first.cases.length; i++) {
    const { id, target, times, cutoff, actual } = first.cases[i];
    for (let step = 0; step < times.length; step++) {
      yield {
        unique_id: id,
        ...(several && { target }),
        ds: new Date(times[step]).toISOString(),
        cutoff: new Date(cutoff).toISOString(),
        y: numberOrNull(actual[step]),
        ...Object.assign({}, ...result.models.map((model) => valuesOf(result, model, model.cases[i], step))),
      };
    }
  }
}

function valuesOf(
  { levels, quantiles }: BacktestResult,
  { name }: ModelResult,
  { forecast }: BacktestCase,
  step: number,
): BacktestRow {
  const at = (q: number) => numberOrNull(forecast.quantiles[quantilePlace(quantiles, q)][step]);
  const bounds = levels.flatMap((level) => {
    const [lower, upper] = boundsOf(level);
    return [
      [`${name}-lo-${level}`, at(lower)],
      [`${name}-hi-${level}`, at(upper)],
    ];
  });
  return { [name]: numberOrNull(forecast.mean[step]), ...Object.fromEntries(bounds) };
}

function hasTargets({ models }: BacktestResult): boolean {
  return new Set(models[0].cases.map(({ target }) => target)).size > 1;
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
