// A backtest as the contents of its page: tables, errors by step, calibration, and forecasts over what came.

import type { BacktestCase, BacktestResult, ModelResult } from "../../../forecast/backtest/index.ts";
import { countsSteps } from "../../../forecast/data/index.ts";
import { boundsOf, coverage } from "../../../forecast/metrics/index.ts";
import type { Panel } from "../../../forecast/types.ts";
import type { BacktestOverlay, ModelWindows } from "../../../report/backtest-overlay.ts";
import { type FanChart, fanChart, type Interval } from "../../../report/fan-chart.ts";
import { type BacktestContents, backtestReport, type ForecastWork } from "../../../report/forecast-report.ts";
import { metricTable } from "../../../report/metric-table.ts";
import type { Page, Section } from "../../../report/page.ts";
import type { Table } from "../../../report/tables.ts";
import { allMetrics, metricNotes, REFERENCE, valuesOf } from "./backtest-tables.ts";

/** Intervals by which reliability is drawn: those between the deciles, and those that were asked for. */
const RELIABILITY = [20, 40, 60, 80];
/** Baselines that are drawn over what came, beside what was learned and the reference. */
const DRAWN_BASELINES = 1;
/** Series with a row of their own in the table of series. */
const LISTED = 50;
/** Series whose forecasts are drawn over what came. */
const DRAWN = 12;

export function backtestPage(
  result: BacktestResult,
  panel: Panel,
  about: { readonly name: string; readonly work: ForecastWork; readonly windows: string },
): Page {
  const { models } = result;
  const all = allMetrics(result);
  // A table of everything would be too wide to read.
  const ofIntervals = all.metrics.filter(({ name }) => /-[\d.]+$/.test(name));
  const page = backtestReport({
    ...about,
    metrics: { ...all, metrics: all.metrics.filter((metric) => !ofIntervals.includes(metric)) },
    reference: REFERENCE,
    tables: [metricTable({ ...all, metrics: ofIntervals, caption: "Intervals" }), ...seriesTables(result)],
    horizons: ["MAE", "WQL"].map((metric) => ({
      metric: { label: metric },
      models: models.map(({ name, metrics }) => ({
        name,
        errors: metrics.horizon.map((measures) => measures[metric].value ?? Number.NaN),
      })),
    })),
    coverage: models.map((model) => coverageOf(model, result)),
    pit: models.flatMap(({ name, metrics }) => (metrics.pit ? [{ name, counts: metrics.pit }] : [])),
    overlays: overlaysOf(result, panel),
    notes: metricNotes(result),
  } satisfies BacktestContents);
  const fans = lastFans(result, panel).map((fan) =>
    fanChart({ order: models.map(({ name }) => name), ...fan }),
  );
  const section: Section = { heading: "The last window", figures: fans };
  return { ...page, sections: [...page.sections.slice(0, -1), section, ...page.sections.slice(-1)] };
}

/** MASE and WQL of each series, the best model of each marked; nothing of a single one. */
export function seriesTables({ models }: Pick<BacktestResult, "models">): Table[] {
  const names = Object.keys(models[0].metrics.series);
  if (names.length < 2) return [];
  return ["MASE", "WQL"].map((metric) => {
    const listed = names.slice(0, LISTED);
    // Models are what is compared: a column per series has the marks, and then columns become rows.
    const table = metricTable({
      metrics: listed.map((name) => ({ name })),
      models: models.map(({ name, metrics }) => ({
        name,
        values: Object.fromEntries(
          listed.map((series) => [series, valuesOf(metrics.series[series])[metric]]),
        ),
      })),
    });
    const more = names.length > LISTED ? `; the first ${LISTED} of ${names.length} series` : "";
    const marks = table.caption === undefined ? "" : "; * the best of its row";
    return {
      caption: `${metric} of each series${more}${marks}`,
      columns: ["series", ...models.map(({ name }) => name)],
      rows: listed.map((name, i) => ({ name, cells: table.rows.map(({ cells }) => cells[i]) })),
    };
  });
}

function coverageOf({ name, cases }: ModelResult, { quantiles, levels }: BacktestResult) {
  const all = [...new Set([...RELIABILITY, ...levels])];
  return {
    name,
    levels: all.flatMap((level) => {
      const { value } = coverage(quantiles, level)(cases);
      return value === null ? [] : [{ nominal: level / 100, observed: value }];
    }),
  };
}

/** One figure per series and target: what was learned, the best baseline and the reference. */
function overlaysOf(result: BacktestResult, panel: Panel): BacktestOverlay[] {
  const models = drawnModels(result.models);
  return panel.series.slice(0, DRAWN).flatMap((series) =>
    panel.targets.flatMap((target, j): BacktestOverlay[] => {
      const drawn = models.map(({ name, cases }): ModelWindows => {
        const own = cases.filter((one) => one.id === series.id && one.target === target);
        return { name, windows: own.map((one) => windowOf(one, result)) };
      });
      if (drawn.every(({ windows }) => windows.length === 0)) return [];
      const title = panel.targets.length > 1 ? `${series.id}, ${target}` : series.id;
      const actual = { times: series.times, values: series.targets[j] };
      const counted = countsSteps(panel.frequency);
      return [{ title, counted, value: { label: target }, actual, models: drawn }];
    }),
  );
}

/** The forecasts of the last window of each series, large enough to see single steps. */
function lastFans(result: BacktestResult, panel: Panel): FanChart[] {
  const models = drawnModels(result.models);
  const last = models[0].cases.filter(({ window }, _, cases) => window === cases[cases.length - 1].window);
  return last.slice(0, DRAWN).map((one): FanChart => {
    const series = panel.series.find(({ id }) => id === one.id)!;
    const seen = series.times.findLastIndex((time) => time <= one.cutoff) + 1;
    const values = series.targets[panel.targets.indexOf(one.target)].subarray(0, seen);
    return {
      title: panel.targets.length > 1 ? `${one.id}, ${one.target}` : one.id,
      counted: countsSteps(panel.frequency),
      value: { label: one.target },
      history: { times: series.times.subarray(0, seen), values },
      models: models.map(({ name, cases }) => ({
        name,
        ...windowOf(cases[models[0].cases.indexOf(one)], result),
      })),
      actual: { times: one.times, values: one.actual },
    };
  });
}

function drawnModels(models: readonly ModelResult[]): ModelResult[] {
  const learned = models.filter(({ cases }) => cases[0].forecast.paths);
  const error = ({ metrics }: ModelResult) => metrics.overall.WQL.value ?? Number.POSITIVE_INFINITY;
  const others = models
    .filter((model) => !learned.includes(model) && model.name !== REFERENCE)
    .toSorted((a, b) => error(a) - error(b));
  const drawn = [...learned, ...others.slice(0, DRAWN_BASELINES)];
  return models.filter((model) => drawn.includes(model) || model.name === REFERENCE);
}

function windowOf({ cutoff, times, forecast }: BacktestCase, { quantiles, levels }: BacktestResult) {
  const rowOf = (wanted: number) => forecast.quantiles[nearest(quantiles, wanted)];
  const intervals = levels.map((level): Interval => {
    const [low, high] = boundsOf(level).map(rowOf);
    return { level: level / 100, low, high };
  });
  return { cutoff, times, median: rowOf(0.5), intervals };
}

/** Where a quantile stands among those that were forecast. */
function nearest(quantiles: readonly number[], wanted: number): number {
  return quantiles.reduce(
    (best, q, i) => (Math.abs(q - wanted) < Math.abs(quantiles[best] - wanted) ? i : best),
    0,
  );
}
