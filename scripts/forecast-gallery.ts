// Draws the charts and pages of forecasts from synthetic data, as a part of the gallery in report-gallery.ts.
//
// npx tsx scripts/forecast-gallery.ts FOLDER writes a backtest page and a forecast page. The tests draw the same pages.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RandomStream } from "../src/engine/random-stream.ts";
import {
  type BacktestContents,
  backtestReport,
  type ForecastContents,
  forecastReport,
} from "../src/forecast/report/forecast-report.ts";
import { type BacktestWindow, backtestOverlay } from "../src/report/backtest-overlay.ts";
import { boundChart } from "../src/report/bound-chart.ts";
import { horizonErrorChart, pitHistogram, reliabilityChart } from "../src/report/calibration-charts.ts";
import { decompositionChart } from "../src/report/decomposition-chart.ts";
import { fanChart, type ModelForecast } from "../src/report/fan-chart.ts";
import { metricTable, skillTable } from "../src/report/metric-table.ts";
import { htmlPage, type Section } from "../src/report/page.ts";

const DAY = 86_400_000;
const START = Date.UTC(2012, 0, 1);
const MODELS = ["token-model", "seasonal-naive", "mstl-ets"];
const BIRTHS = { label: "births", unit: "per day" } as const;
const HORIZON = 28;
const SERIES = births(3 * 365);

/** Sections of the gallery: all charts of forecasts, and the same charts with almost no data. */
export function forecastSections(): Section[] {
  const { metrics, horizons = [], coverage = [], pit = [], overlays = [] } = backtestContents();
  const { fans, decompositions = [] } = forecastContents();
  return [
    {
      heading: "Forecasts",
      tables: [metricTable(metrics), skillTable(metrics, MODELS[1])],
      figures: [
        ...fans.map(fanChart),
        ...overlays.map(backtestOverlay),
        reliabilityChart({ models: coverage }),
        pitHistogram({ models: pit }),
        ...horizons.map(horizonErrorChart),
        ...decompositions.map(decompositionChart),
        checks("linear"),
        checks("log"),
      ],
    },
    { heading: "Forecasts with almost no data", figures: degenerate() },
  ];
}

/** Contents of a backtest page: three models on one series. */
export function backtestContents(): BacktestContents {
  const errors = (base: number, growth: number) =>
    Array.from({ length: HORIZON }, (_, h) => base + growth * Math.sqrt(h + 1) + 12 * Math.sin(h));
  const windowsOf = (model: number) =>
    [84, 56, 28].map((back): BacktestWindow => {
      const end = SERIES.times.length - back;
      return { ...forecastAt(end, model, [0.8]), cutoff: SERIES.times[end - 1] };
    });
  return {
    name: "births",
    provenance: workOf("gflownet backtest births.csv --horizon 28 --windows 3"),
    windows: "3 windows at the end of each series, 28 days apart; models were fitted once.",
    reference: "seasonal-naive",
    metrics: {
      caption: "All series and windows",
      metrics: [
        { name: "mase", label: "MASE" },
        { name: "wql", label: "WQL" },
        { name: "mae", label: "MAE" },
        { name: "cov80", label: "coverage 80 %", best: 0.8 },
      ],
      models: MODELS.map((name, i) => ({
        name,
        values: {
          mase: [0.81, 1.029, 0.77][i],
          wql: [0.0241, 0.0502, 0.0267][i],
          mae: [412.3, 578.1, 398.7][i],
          cov80: [0.82, 0.95, null][i],
        },
      })),
    },
    horizons: [
      {
        metric: { label: "MAE", unit: "births per day" },
        models: MODELS.map((name, i) => ({
          name,
          errors: errors([300, 420, 250][i], [25, 20, 40][i]).map((error, h) =>
            i === 2 && h === 9 ? Number.NaN : error,
          ),
        })),
      },
    ],
    coverage: MODELS.map((name, i) => ({
      name,
      levels: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95].map((nominal) => ({
        nominal,
        observed: nominal ** [0.95, 0.5, 1.4][i],
      })),
    })),
    pit: MODELS.map((name, i) => ({
      name,
      counts: Array.from({ length: 10 }, (_, bin) =>
        Math.round(168 * (1 + [0.05, -0.6, 0.5][i] * Math.cos((2 * Math.PI * (bin + 0.5)) / 10))),
      ),
    })),
    overlays: [
      {
        ...{ title: "births, 3 windows", value: BIRTHS, actual: SERIES },
        models: MODELS.slice(0, 2).map((name, i) => ({ name, windows: windowsOf(i) })),
      },
    ],
  };
}

/** Contents of a forecast page: one series with three models, and another with one. */
export function forecastContents(): ForecastContents {
  const end = SERIES.times.length - HORIZON;
  const hours = hourly();
  return {
    name: "births",
    provenance: workOf("gflownet forecast births.csv --horizon 28"),
    notes: ["Trained on all data before the forecast."],
    fans: [
      {
        ...{ title: "births, the gflownet's forecast", value: BIRTHS },
        history: { times: SERIES.times.slice(0, end), values: SERIES.values.slice(0, end) },
        actual: { times: SERIES.times.slice(end), values: SERIES.values.slice(end) },
        models: [forecastAt(end, 0, [0.5, 0.8, 0.95])],
      },
      {
        ...{ title: "births, three models", value: BIRTHS, historyLength: 60 },
        history: { times: SERIES.times.slice(0, end), values: SERIES.values.slice(0, end) },
        actual: { times: SERIES.times.slice(end), values: SERIES.values.slice(end) },
        models: MODELS.map((_, i) => forecastAt(end, i, [0.8, 0.95])),
      },
      { title: "load, hour by hour", value: { label: "load", unit: "MW" }, ...hours },
    ],
    decompositions: [
      {
        ...{ title: "births and their components", value: BIRTHS },
        ...{ times: SERIES.times, observed: SERIES.values },
        components: [
          { name: "trend", values: SERIES.times.map((_, t) => trend(t)) },
          { name: "season of 7", values: SERIES.times.map((_, t) => week(t)) },
          { name: "residual", values: SERIES.values.map((value, t) => value - trend(t) - week(t)) },
        ],
      },
    ],
  };
}

function workOf(command: string) {
  return {
    command,
    ...{ data: "births.csv, 1 series of 1,095 days", horizon: "28 days", seed: 0 },
    versions: { gflownet: "0.1.0", node: "20.19.0" },
    settings: { quantiles: [0.1, 0.5, 0.9], season: 7 },
  };
}

/** Daily values with a trend, a weekly season and noise; some days are missing. */
function births(days: number) {
  const random = RandomStream.fromSeed(0).split("births");
  const times = Array.from({ length: days }, (_, t) => START + t * DAY);
  const values = times.map((_, t) => {
    const value = trend(t) + week(t) + 700 * (random.uniform() - 0.5);
    return t >= days - 60 && t < days - 55 ? Number.NaN : value;
  });
  return { times, values };
}

function trend(t: number): number {
  return 11_000 + 600 * Math.sin((2 * Math.PI * t) / 365) - 0.5 * t;
}

function week(t: number): number {
  return [-2400, 300, 900, 800, 850, 700, -1150][t % 7];
}

/** The forecast of a model after the first `end` days; the models differ in the widths of their intervals. */
function forecastAt(end: number, model: number, levels: readonly number[]): ModelForecast {
  const ahead = Array.from({ length: HORIZON }, (_, h) => end + h);
  const median = ahead.map((t, h) => trend(t) + week(t) + [0, -180, 9 * h][model]);
  const width = (h: number, level: number) =>
    level * [450, 600 * Math.sqrt(Math.floor(h / 7) + 1), 300 + 20 * h][model];
  return {
    name: MODELS[model],
    times: ahead.map((t) => START + t * DAY),
    median,
    intervals: levels.map((level) => ({
      level,
      low: median.map((value, h) => value - width(h, level)),
      high: median.map((value, h) => value + width(h, level)),
    })),
  };
}

/** Two days of hourly values, and a forecast of the next twelve hours. */
function hourly() {
  const time = (i: number) => Date.UTC(2024, 1, 28, 12) + i * 3_600_000;
  const load = (i: number) => 40 + 12 * Math.sin((2 * Math.PI * i) / 24);
  const ahead = Array.from({ length: 12 }, (_, h) => 48 + h);
  return {
    history: {
      times: Array.from({ length: 48 }, (_, i) => time(i)),
      values: Array.from({ length: 48 }, (_, i) => load(i) + Math.sin(7 * i)),
    },
    models: [
      {
        name: "token-model",
        times: ahead.map(time),
        median: ahead.map(load),
        intervals: [0.9].map((level) => ({
          level,
          low: ahead.map((i) => load(i) - 2 * Math.sqrt(i - 47)),
          high: ahead.map((i) => load(i) + 2 * Math.sqrt(i - 47)),
        })),
      },
    ],
  };
}

function checks(scale: "linear" | "log"): string {
  return boundChart({
    title: `Learned against exact, ${scale}`,
    value: { label: "total variation", scale },
    items: [
      { name: "V1 two states", reached: 0.0041, limit: 0.002, bound: 0.01 },
      { name: "V2 chain with 1,024 paths", reached: 0.0193, limit: 0.0088, bound: 0.03 },
      { name: "V3 tilted by a rare event", reached: 0.062, limit: 0.011, bound: 0.05 },
      { name: "V4 a name that is much longer than the space for names", reached: 0.0008 },
      { name: "V5 infilling", reached: Number.NaN, bound: 0.05 },
    ],
  });
}

/** Charts with one point, no points, or all values missing, and with names that must be escaped. */
function degenerate(): string[] {
  const none = { times: [], values: [] };
  const one = { times: [START], values: [3] };
  const interval = { level: 0.8, low: [2], high: [5] };
  return [
    fanChart({ title: "Nothing at all", value: { label: "y" }, history: none, models: [] }),
    fanChart({
      title: "History only",
      value: { label: "y" },
      history: SERIES,
      historyLength: 14,
      models: [],
    }),
    fanChart({
      ...{ title: "One step after one value", value: { label: "y" }, history: one },
      models: [{ name: "<b>model</b>", times: [START + DAY], median: [4], intervals: [interval] }],
    }),
    fanChart({
      ...{ title: "One that is infinite, and no interval", value: { label: "y" }, history: one },
      models: [
        {
          name: "wide",
          times: [START + DAY, START + 2 * DAY, START + 3 * DAY],
          median: [4, 5, Number.POSITIVE_INFINITY],
          intervals: [{ level: 0.8, low: [2, Number.NaN, 1], high: [5, 6, 7] }],
        },
      ],
    }),
    reliabilityChart({ models: [] }),
    pitHistogram({ models: [{ name: "quiet", counts: [0, 0, 0] }] }),
    horizonErrorChart({ metric: { label: "MASE" }, models: [{ name: "one step", errors: [0.7] }] }),
    decompositionChart({
      ...{ title: "Parts of nothing", value: { label: "y" }, times: [], observed: [], components: [] },
    }),
    boundChart({ title: "No checks", value: { label: "total variation" }, items: [] }),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? ".";
  writeFileSync(join(folder, "backtest.html"), htmlPage(backtestReport(backtestContents())));
  writeFileSync(join(folder, "forecast.html"), htmlPage(forecastReport(forecastContents())));
}
