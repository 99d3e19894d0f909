// The forecasts of a backtest as table rows, with the column names that other forecasting tools use.

import { formatTime } from "../data/time-grid.ts";
import { allIntervalColumns, intervalColumns } from "../interval-columns.ts";
import { intervalQuantiles } from "../metrics/index.ts";
import { quantileIndex } from "../metrics/quantile.ts";
import type { BacktestResult } from "./backtest.ts";

/** A row of the table of backtest forecasts: values by column name. */
export type BacktestRow = Readonly<Record<string, string | number | null>>;

/**
 * Column names in order: `unique_id, ds, cutoff, y, MODEL, MODEL-lo-95, MODEL-lo-80, MODEL-hi-80, …`. `MODEL-point` follows
 * `MODEL` if the model has a point-forecast head; `target` follows `unique_id` if there are several targets.
 */
export function backtestColumns(result: BacktestResult): string[] {
  const keys = hasSeveralTargets(result) ? ["unique_id", "target"] : ["unique_id"];
  const values = result.models.flatMap(({ name, cases }) => [
    name,
    ...(cases.some(({ forecast }) => forecast.point) ? [`${name}-point`] : []),
    ...allIntervalColumns(name, result.levels),
  ]);
  return [...keys, "ds", "cutoff", "y", ...values];
}

/**
 * One row per series, target, window and step. Times are ISO dates in UTC, or numbers if they are step numbers. Missing and
 * non-finite values are null.
 */
export function* backtestRows(result: BacktestResult): Generator<BacktestRow> {
  const { models, levels, quantiles, frequency } = result;
  const severalTargets = hasSeveralTargets(result);
  const boundIndices = levels.map((level) =>
    intervalQuantiles(level).map((q) => quantileIndex(quantiles, q)),
  );
  const columns = models.map(({ name }) => levels.map((level) => intervalColumns(name, level)));
  for (let i = 0; i < models[0].cases.length; i++) {
    const { id, target, times, cutoff, actual } = models[0].cases[i];
    const cutoffText = formatTime(cutoff, frequency);
    for (let step = 0; step < times.length; step++) {
      const row: Record<string, string | number | null> = { unique_id: id };
      if (severalTargets) row.target = target;
      row.ds = formatTime(times[step], frequency);
      row.cutoff = cutoffText;
      row.y = numberOrNull(actual[step]);
      models.forEach(({ name, cases }, m) => {
        const { mean, point, quantiles: rows } = cases[i].forecast;
        row[name] = numberOrNull(mean[step]);
        if (point) row[`${name}-point`] = numberOrNull(point[step]);
        boundIndices.forEach((indices, l) => {
          for (const side of [0, 1]) row[columns[m][l][side]] = numberOrNull(rows[indices[side]][step]);
        });
      });
      yield row;
    }
  }
}

function hasSeveralTargets({ models }: BacktestResult): boolean {
  return new Set(models[0].cases.map(({ target }) => target)).size > 1;
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
