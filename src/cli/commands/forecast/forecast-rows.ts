// Forecasts as rows with the columns that users of forecasting tools know, and as fans to draw.

import { countsSteps, writtenTime } from "../../../forecast/data/index.ts";
import { boundsOf } from "../../../forecast/metrics/index.ts";
import { timesAhead, usualGap } from "../../../forecast/model/features.ts";
import type { Forecast, Panel } from "../../../forecast/types.ts";
import type { FanChart, Interval } from "../../../report/fan-chart.ts";
import type { Value } from "./csv.ts";

/** Forecasts of one model, series by series. */
export interface ModelForecasts {
  readonly name: string;
  readonly forecasts: readonly Forecast[];
}

/** What is written of forecasts. */
export interface Asked {
  readonly horizon: number;
  /** Central intervals in percent. */
  readonly levels: readonly number[];
  readonly quantiles: readonly number[];
}

/** All quantiles to ask for, rising: those wanted, the ends of intervals, and the median. */
export function askedQuantiles({ levels, quantiles }: Asked): number[] {
  return [...new Set([...quantiles, ...levels.flatMap(boundsOf), 0.5])].sort((a, b) => a - b);
}

/** `unique_id, ds, MODEL, MODEL-lo-80, MODEL-hi-80, MODEL-q-10, …`; with several targets `target` after the id, and `MODEL-point` after the mean where there is one. */
export function forecastColumns(
  models: readonly ModelForecasts[],
  { targets }: Panel,
  asked: Asked,
): string[] {
  const heads = targets.length > 1 ? ["unique_id", "target"] : ["unique_id"];
  const levels = asked.levels.toSorted((a, b) => a - b);
  return [
    ...heads,
    "ds",
    ...models.flatMap(({ name, forecasts }) => [
      name,
      ...(forecasts.some(({ point }) => point) ? [`${name}-point`] : []),
      ...levels.toReversed().map((level) => `${name}-lo-${level}`),
      ...levels.map((level) => `${name}-hi-${level}`),
      ...asked.quantiles.map((q) => quantileColumn(name, q)),
    ]),
  ];
}

/** A row for each series, target and step. */
export function* forecastRows(
  models: readonly ModelForecasts[],
  panel: Panel,
  asked: Asked,
): Generator<Record<string, Value>> {
  const all = askedQuantiles(asked);
  const gap = usualGap(panel);
  const M = panel.targets.length;
  for (const [i, series] of panel.series.entries()) {
    const times = timesAhead(series, panel.frequency, gap, asked.horizon);
    for (const [j, target] of panel.targets.entries()) {
      for (let h = 0; h < asked.horizon; h++) {
        const row: Record<string, Value> = { unique_id: series.id };
        if (M > 1) row.target = target;
        row.ds = writtenTime(times[h], panel.frequency);
        for (const { name, forecasts } of models) {
          const { mean, point, quantiles } = forecasts[i * M + j];
          const at = (q: number) => quantiles[all.indexOf(q)][h];
          row[name] = mean[h];
          if (point) row[`${name}-point`] = point[h];
          for (const level of asked.levels) {
            const [low, high] = boundsOf(level);
            row[`${name}-lo-${level}`] = at(low);
            row[`${name}-hi-${level}`] = at(high);
          }
          for (const q of asked.quantiles) row[quantileColumn(name, q)] = at(q);
        }
        yield row;
      }
    }
  }
}

/** A row for each drawn path and step. */
export function* pathRows(
  models: readonly ModelForecasts[],
  panel: Panel,
  { horizon }: Asked,
): Generator<Record<string, Value>> {
  const gap = usualGap(panel);
  for (const { name, forecasts } of models) {
    for (const [i, { id, target, paths = [], intended }] of forecasts.entries()) {
      const series = panel.series[Math.floor(i / panel.targets.length)];
      const times = timesAhead(series, panel.frequency, gap, horizon);
      for (const [sample, path] of paths.entries()) {
        for (let h = 0; h < horizon; h++) {
          const ds = writtenTime(times[h], panel.frequency);
          yield {
            ...{ model: name, unique_id: id, target, sample: sample + 1, ds, y: path[h] },
            ...(intended && { intended: intended[sample][h] }),
          };
        }
      }
    }
  }
}

/** `intended` where some paths came of plans. */
export function pathColumns(models: readonly ModelForecasts[]): string[] {
  const planned = models.some(({ forecasts }) => forecasts.some(({ intended }) => intended));
  return ["model", "unique_id", "target", "sample", "ds", "y", ...(planned ? ["intended"] : [])];
}

/** A chart for each series and target. */
export function fansOf(models: readonly ModelForecasts[], panel: Panel, asked: Asked): FanChart[] {
  const all = askedQuantiles(asked);
  const gap = usualGap(panel);
  const M = panel.targets.length;
  return panel.series.flatMap((series, i) => {
    const times = timesAhead(series, panel.frequency, gap, asked.horizon);
    return panel.targets.map(
      (target, j): FanChart => ({
        title: M > 1 ? `${series.id}, ${target}` : series.id,
        counted: countsSteps(panel.frequency),
        value: { label: target },
        history: { times: series.times, values: series.targets[j] },
        models: models.map(({ name, forecasts }) => {
          const { quantiles } = forecasts[i * M + j];
          const rowOf = (q: number) => quantiles[all.indexOf(q)];
          const intervals = asked.levels.map((level): Interval => {
            const [low, high] = boundsOf(level).map(rowOf);
            return { level: level / 100, low, high };
          });
          return { name, times, median: rowOf(0.5), intervals };
        }),
      }),
    );
  });
}

/** 0.1 of M as M-q-10. */
export function quantileColumn(name: string, q: number): string {
  return `${name}-q-${Number((100 * q).toPrecision(10))}`;
}
