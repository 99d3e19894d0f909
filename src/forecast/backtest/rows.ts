// The forecasts of a backtest as rows with the columns that users of forecasting tools know.

import { writtenTime } from "../data/times.ts";
import { boundsOf } from "../metrics/index.ts";
import { quantilePlace } from "../metrics/quantile.ts";
import type { BacktestResult } from "./backtest.ts";

export type BacktestRow = Readonly<Record<string, string | number | null>>;

/** Names of the columns, in order: `unique_id, ds, cutoff, y, MODEL, MODEL-lo-95, MODEL-lo-80, MODEL-hi-80, …`; `MODEL-point` after `MODEL` where there is one. */
export function backtestColumns(result: BacktestResult): string[] {
  const heads = hasTargets(result) ? ["unique_id", "target"] : ["unique_id"];
  const levels = result.levels.toSorted((a, b) => a - b);
  const values = result.models.flatMap(({ name, cases }) => [
    name,
    ...(cases.some(({ forecast }) => forecast.point) ? [`${name}-point`] : []),
    ...levels.toReversed().map((level) => `${name}-lo-${level}`),
    ...levels.map((level) => `${name}-hi-${level}`),
  ]);
  return [...heads, "ds", "cutoff", "y", ...values];
}

/**
 * One row per series, window and step; with several targets one for each, told apart by a column `target`.
 * Times are dates in UTC, with the clock where it is not midnight, or numbers where they count steps; what is missing or not finite is null.
 */
export function* backtestRows(result: BacktestResult): Generator<BacktestRow> {
  const { models, levels, quantiles, frequency } = result;
  const several = hasTargets(result);
  const bounds = levels.map((level) => boundsOf(level).map((q) => quantilePlace(quantiles, q)));
  const names = models.map(({ name }) =>
    levels.map((level) => [`${name}-lo-${level}`, `${name}-hi-${level}`]),
  );
  for (let i = 0; i < models[0].cases.length; i++) {
    const { id, target, times, cutoff, actual } = models[0].cases[i];
    const seen = writtenTime(cutoff, frequency);
    for (let step = 0; step < times.length; step++) {
      const row: Record<string, string | number | null> = { unique_id: id };
      if (several) row.target = target;
      row.ds = writtenTime(times[step], frequency);
      row.cutoff = seen;
      row.y = numberOrNull(actual[step]);
      models.forEach(({ name, cases }, m) => {
        const { mean, point, quantiles: rows } = cases[i].forecast;
        row[name] = numberOrNull(mean[step]);
        if (point) row[`${name}-point`] = numberOrNull(point[step]);
        bounds.forEach((places, l) => {
          for (const side of [0, 1]) row[names[m][l][side]] = numberOrNull(rows[places[side]][step]);
        });
      });
      yield row;
    }
  }
}

function hasTargets({ models }: BacktestResult): boolean {
  return new Set(models[0].cases.map(({ target }) => target)).size > 1;
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
