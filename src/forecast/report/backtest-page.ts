// The page of a backtest: metric tables, errors by step, calibration, and forecasts with the actual values.

import type { BacktestOverlay, ModelWindows } from "../../report/backtest-overlay.ts";
import type { FanChart, Interval } from "../../report/fan-chart.ts";
import { metricTable } from "../../report/metric-table.ts";
import type { Page } from "../../report/page.ts";
import type { Table } from "../../report/tables.ts";
import type { BacktestCase, BacktestResult, ModelResult } from "../backtest/index.ts";
import { SEASONAL_NAIVE } from "../baselines/seasonal.ts";
import { isStepIndexed } from "../data/index.ts";
import { coverage, intervalQuantiles } from "../metrics/index.ts";
import type { Panel } from "../types.ts";
import { type BacktestScores, backtestNotes, overallMetrics, valuesOf } from "./backtest-tables.ts";
import { type BacktestContents, backtestReport, type Provenance } from "./forecast-report.ts";
import { reliabilityLevels } from "./reliability-levels.ts";

/** Number of baselines in charts, in addition to learned forecasters and the reference. */
const CHARTED_BASELINES = 1;
/** Largest number of rows in the table of series. */
const MAX_TABLE_SERIES = 50;
/** Largest number of series with charts. */
const MAX_CHARTED_SERIES = 12;

/** Creates the report of a backtest. */
export function backtestPage(
  result: BacktestResult,
  panel: Panel,
  about: { readonly name: string; readonly provenance: Provenance; readonly windows: string },
): Page {
  return backtestReport({
    ...about,
    ...scoreContents(result, seriesTables(result)),
    coverage: result.models.map((model) => coverageOf(model, result)),
    overlays: overlayCharts(result, panel),
    lastWindow: lastWindowFans(result, panel),
  } satisfies BacktestContents);
}

/** The part of a page that follows from scores: tables, errors by step, and histograms of F(y). */
export function scoreContents(result: BacktestScores, tables: readonly Table[] = []) {
  const { models } = result;
  const all = overallMetrics(result);
  // Interval metrics have a separate table, because one table of all metrics would be too wide.
  const intervalMetrics = all.metrics.filter(({ name }) => /-[\d.]+$/.test(name));
  return {
    metrics: { ...all, metrics: all.metrics.filter((metric) => !intervalMetrics.includes(metric)) },
    reference: SEASONAL_NAIVE,
    tables: [metricTable({ ...all, metrics: intervalMetrics, caption: "Intervals" }), ...tables],
    horizons: ["MAE", "WQL"].map((metric) => ({
      metric: { label: metric },
      models: models.map(({ name, metrics }) => ({
        name,
        errors: metrics.byStep.map((values) => values[metric].value ?? Number.NaN),
      })),
    })),
    pit: models.flatMap(({ name, metrics }) => (metrics.pit ? [{ name, counts: metrics.pit }] : [])),
    notes: backtestNotes(result),
  } satisfies Partial<BacktestContents>;
}

/**
 * Tables of MASE and WQL per series, with the best model of each series marked; empty for a single series. The series with
 * the worst forecasts of the first model come first.
 */
export function seriesTables({ models }: Pick<BacktestResult, "models">): Table[] {
  const names = Object.keys(models[0].metrics.bySeries);
  if (names.length < 2) return [];
  return ["MASE", "WQL"].map((metric) => {
    const [{ name: first, metrics: own }] = models;
    const error = (series: string) => own.bySeries[series][metric].value ?? Number.NEGATIVE_INFINITY;
    const shown = names
      .toSorted((a, b) => (error(a) === error(b) ? 0 : error(b) - error(a)))
      .slice(0, MAX_TABLE_SERIES);
    // `metricTable` marks the best value of a column, so series are columns first and are then transposed.
    const table = metricTable({
      metrics: shown.map((name) => ({ name })),
      models: models.map(({ name, metrics }) => ({
        name,
        values: Object.fromEntries(
          shown.map((series) => [series, valuesOf(metrics.bySeries[series])[metric]]),
        ),
      })),
    });
    const more = names.length > MAX_TABLE_SERIES ? ` (${MAX_TABLE_SERIES} of ${names.length})` : "";
    const marks = table.caption === undefined ? "" : "; * the best of its row";
    return {
      caption: `${metric} of each series, the worst of ${first} first${more}${marks}`,
      columns: ["series", ...models.map(({ name }) => name)],
      rows: shown.map((name, i) => ({ name, cells: table.rows.map(({ cells }) => cells[i]) })),
    };
  });
}

function coverageOf({ name, cases }: ModelResult, { quantiles, levels }: BacktestResult) {
  return {
    name,
    levels: reliabilityLevels(levels).flatMap((level) => {
      const { value } = coverage(quantiles, level)(cases);
      return value === null ? [] : [{ nominal: level / 100, observed: value }];
    }),
  };
}

/** One chart per series and target: learned forecasters, the best baseline and the reference. */
function overlayCharts(result: BacktestResult, panel: Panel): BacktestOverlay[] {
  const models = chartedModels(result.models);
  return panel.series.slice(0, MAX_CHARTED_SERIES).flatMap((series) =>
    panel.targets.flatMap((target, j): BacktestOverlay[] => {
      const modelWindows = models.map(({ name, cases }): ModelWindows => {
        const matching = cases.filter((one) => one.id === series.id && one.target === target);
        return { name, windows: matching.map((one) => windowOf(one, result)) };
      });
      if (modelWindows.every(({ windows }) => windows.length === 0)) return [];
      const title = panel.targets.length > 1 ? `${series.id}, ${target}` : series.id;
      const actual = { times: series.times, values: series.targets[j] };
      const counted = isStepIndexed(panel.frequency);
      return [{ title, timesAreSteps: counted, value: { label: target }, actual, models: modelWindows }];
    }),
  );
}

/** Fan charts of the last window of each series. */
function lastWindowFans(result: BacktestResult, panel: Panel): FanChart[] {
  const models = chartedModels(result.models);
  const last = models[0].cases.filter(({ window }, _, cases) => window === cases[cases.length - 1].window);
  return last.slice(0, MAX_CHARTED_SERIES).map((one): FanChart => {
    const series = panel.series.find(({ id }) => id === one.id)!;
    const count = series.times.findLastIndex((time) => time <= one.cutoff) + 1;
    const values = series.targets[panel.targets.indexOf(one.target)].subarray(0, count);
    return {
      title: panel.targets.length > 1 ? `${one.id}, ${one.target}` : one.id,
      timesAreSteps: isStepIndexed(panel.frequency),
      value: { label: one.target },
      history: { times: series.times.subarray(0, count), values },
      models: models.map(({ name, cases }) => ({
        name,
        ...windowOf(cases[models[0].cases.indexOf(one)], result),
      })),
      actual: { times: one.times, values: one.actual },
    };
  });
}

function chartedModels(models: readonly ModelResult[]): ModelResult[] {
  const learned = models.filter(({ cases }) => cases[0].forecast.paths);
  const error = ({ metrics }: ModelResult) => metrics.overall.WQL.value ?? Number.POSITIVE_INFINITY;
  const others = models
    .filter((model) => !learned.includes(model) && model.name !== SEASONAL_NAIVE)
    .toSorted((a, b) => error(a) - error(b));
  const charted = [...learned, ...others.slice(0, CHARTED_BASELINES)];
  return models.filter((model) => charted.includes(model) || model.name === SEASONAL_NAIVE);
}

function windowOf({ cutoff, times, forecast }: BacktestCase, { quantiles, levels }: BacktestResult) {
  const quantile = (wanted: number) => forecast.quantiles[nearestIndex(quantiles, wanted)];
  const intervals = levels.map((level): Interval => {
    const [low, high] = intervalQuantiles(level).map(quantile);
    return { level: level / 100, low, high };
  });
  return { cutoff, times, median: quantile(0.5), intervals };
}

/** Index of the nearest forecast quantile. */
function nearestIndex(quantiles: readonly number[], wanted: number): number {
  return quantiles.reduce(
    (best, q, i) => (Math.abs(q - wanted) < Math.abs(quantiles[best] - wanted) ? i : best),
    0,
  );
}
