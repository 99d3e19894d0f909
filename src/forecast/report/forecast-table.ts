// Forecasts as table rows, with the column names that other forecasting tools use, and as fan charts.

import type { CsvRow, CsvValue } from "../../formats/csv.ts";
import type { FanChart, Interval } from "../../report/fan-chart.ts";
import { isStepIndexed } from "../data/index.ts";
import { timeFormat } from "../data/time-format.ts";
import {
  intervalColumns,
  medianColumn,
  modelColumns,
  pointColumn,
  type QuantileColumns,
  quantileColumn,
} from "../forecast-columns.ts";
import { intervalQuantiles } from "../metrics/index.ts";
import { futureTimes, medianGap } from "../model/features.ts";
import type { Forecast, Panel } from "../types.ts";

/** The forecasts of one model, series by series. */
export interface ModelForecasts {
  readonly name: string;
  readonly forecasts: readonly Forecast[];
}

/** Which quantiles of forecasts become columns. */
export interface ForecastColumns extends Required<QuantileColumns> {
  readonly horizon: number;
}

/** All quantiles to request from a forecaster, increasing: the columns, the interval bounds, and the median. */
export function requestedQuantiles({ levels, quantiles }: ForecastColumns): number[] {
  return [...new Set([...quantiles, ...levels.flatMap(intervalQuantiles), 0.5])].sort((a, b) => a - b);
}

/**
 * Column names: `unique_id, ds, MODEL, MODEL-median, MODEL-lo-80, MODEL-hi-80, MODEL-q-10, …`. `target` follows `unique_id`
 * if there are several targets; `MODEL-point` follows the median if the model has a point-forecast head.
 */
export function forecastColumnNames(
  models: readonly ModelForecasts[],
  { targets }: Panel,
  columns: ForecastColumns,
): string[] {
  const keys = targets.length > 1 ? ["unique_id", "target"] : ["unique_id"];
  return [
    ...keys,
    "ds",
    ...models.flatMap(({ name, forecasts }) =>
      modelColumns(
        name,
        columns,
        forecasts.some(({ point }) => point),
      ),
    ),
  ];
}

/** One row per series, target and step. */
export function* forecastRows(
  models: readonly ModelForecasts[],
  panel: Panel,
  columns: ForecastColumns,
): Generator<CsvRow> {
  const requested = requestedQuantiles(columns);
  const gap = medianGap(panel);
  const targetCount = panel.targets.length;
  const future = panel.series.map((series) => futureTimes(series, panel.frequency, gap, columns.horizon));
  const formatTime = timeFormat(panel.frequency, future);
  for (const [i, series] of panel.series.entries()) {
    const times = future[i];
    for (const [j, target] of panel.targets.entries()) {
      for (let h = 0; h < columns.horizon; h++) {
        const row: Record<string, CsvValue> = { unique_id: series.id };
        if (targetCount > 1) row.target = target;
        row.ds = formatTime(times[h]);
        for (const { name, forecasts } of models) {
          const { mean, point, quantiles } = forecasts[i * targetCount + j];
          const at = (q: number) => quantiles[requested.indexOf(q)][h];
          row[name] = mean[h];
          row[medianColumn(name)] = at(0.5);
          if (point) row[pointColumn(name)] = point[h];
          for (const level of columns.levels) {
            const ends = intervalQuantiles(level);
            intervalColumns(name, level).forEach((column, end) => {
              row[column] = at(ends[end]);
            });
          }
          for (const q of columns.quantiles) row[quantileColumn(name, q)] = at(q);
        }
        yield row;
      }
    }
  }
}

/** One row per sampled path and step. */
export function* pathRows(
  models: readonly ModelForecasts[],
  panel: Panel,
  { horizon }: ForecastColumns,
): Generator<CsvRow> {
  const gap = medianGap(panel);
  const future = panel.series.map((series) => futureTimes(series, panel.frequency, gap, horizon));
  const formatTime = timeFormat(panel.frequency, future);
  for (const { name, forecasts } of models) {
    for (const [i, { id, target, paths = [], intended }] of forecasts.entries()) {
      const times = future[Math.floor(i / panel.targets.length)];
      for (const [sample, path] of paths.entries()) {
        for (let h = 0; h < horizon; h++) {
          const ds = formatTime(times[h]);
          yield {
            ...{ model: name, unique_id: id, target, sample: sample + 1, ds, y: path[h] },
            ...(intended && { intended: intended[sample][h] }),
          };
        }
      }
    }
  }
}

/** Column names of `pathRows`; `intended` if paths were sampled through a noise channel. */
export function pathColumnNames(models: readonly ModelForecasts[]): string[] {
  const hasIntended = models.some(({ forecasts }) => forecasts.some(({ intended }) => intended));
  return ["model", "unique_id", "target", "sample", "ds", "y", ...(hasIntended ? ["intended"] : [])];
}

/** One fan chart per series and target. */
export function fanCharts(
  models: readonly ModelForecasts[],
  panel: Panel,
  columns: ForecastColumns,
): FanChart[] {
  const requested = requestedQuantiles(columns);
  const gap = medianGap(panel);
  const targetCount = panel.targets.length;
  return panel.series.flatMap((series, i) => {
    const times = futureTimes(series, panel.frequency, gap, columns.horizon);
    return panel.targets.map(
      (target, j): FanChart => ({
        title: targetCount > 1 ? `${series.id}, ${target}` : series.id,
        timesAreSteps: isStepIndexed(panel.frequency),
        value: { label: target },
        history: { times: series.times, values: series.targets[j] },
        models: models.map(({ name, forecasts }) => {
          const { quantiles } = forecasts[i * targetCount + j];
          const rowOf = (q: number) => quantiles[requested.indexOf(q)];
          const intervals = columns.levels.map((level): Interval => {
            const [low, high] = intervalQuantiles(level).map(rowOf);
            return { level: level / 100, low, high };
          });
          return { name, times, median: rowOf(0.5), intervals };
        }),
      }),
    );
  });
}
