// The forecasts of a backtest as table rows, with the column names that other forecasting tools use.

import { timeFormat } from "../data/time-format.ts";
import {
  intervalColumns,
  medianColumn,
  modelColumns,
  pointColumn,
  quantileColumn,
} from "../forecast-columns.ts";
import { intervalQuantiles } from "../metrics/index.ts";
import { quantileIndex } from "../metrics/quantile.ts";
import type { BacktestResult } from "./backtest.ts";

/** A row of the table of backtest forecasts: values by column name. */
export type BacktestRow = Readonly<Record<string, string | number | null>>;

/**
 * Column names in order: `unique_id, ds, cutoff, y, MODEL, MODEL-median, MODEL-lo-95, MODEL-lo-80, MODEL-hi-80, …`, and
 * `MODEL-q-10` for quantiles. `MODEL-point` follows the median if the model has a point-forecast head; `target` follows
 * `unique_id` if there are several targets.
 */
export function backtestColumns(result: BacktestResult): string[] {
  const keys = hasSeveralTargets(result) ? ["unique_id", "target"] : ["unique_id"];
  const { levels, columnQuantiles } = result;
  const values = result.models.flatMap(({ name, cases }) =>
    modelColumns(
      name,
      { levels, quantiles: columnQuantiles },
      cases.some(({ forecast }) => forecast.point),
    ),
  );
  return [...keys, "ds", "cutoff", "y", ...values];
}

/**
 * One row per series, target, window and step. Times are ISO dates or times in UTC, all in one format, or numbers if they
 * are step numbers. Missing and non-finite values are null.
 */
export function* backtestRows(result: BacktestResult): Generator<BacktestRow> {
  const { models, levels, quantiles, columnQuantiles, frequency } = result;
  const severalTargets = hasSeveralTargets(result);
  // The quantiles that are columns: the index of each, and its column of each model.
  const wanted = [...levels.flatMap(intervalQuantiles), ...columnQuantiles];
  const indices = wanted.map((q) => quantileIndex(quantiles, q));
  const columns = models.map(({ name }) => [
    ...levels.flatMap((level) => intervalColumns(name, level)),
    ...columnQuantiles.map((q) => quantileColumn(name, q)),
  ]);
  const formatTime = timeFormat(
    frequency,
    models[0].cases.map(({ times, cutoff }) => [cutoff, ...times]),
  );
  for (let i = 0; i < models[0].cases.length; i++) {
    const { id, target, times, cutoff, actual } = models[0].cases[i];
    const cutoffText = formatTime(cutoff);
    for (let step = 0; step < times.length; step++) {
      const row: Record<string, string | number | null> = { unique_id: id };
      if (severalTargets) row.target = target;
      row.ds = formatTime(times[step]);
      row.cutoff = cutoffText;
      row.y = numberOrNull(actual[step]);
      models.forEach(({ name, cases }, m) => {
        const { mean, median = mean, point, quantiles: rows } = cases[i].forecast;
        row[name] = numberOrNull(mean[step]);
        row[medianColumn(name)] = numberOrNull(median[step]);
        if (point) row[pointColumn(name)] = numberOrNull(point[step]);
        for (const [k, index] of indices.entries()) row[columns[m][k]] = numberOrNull(rows[index][step]);
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
