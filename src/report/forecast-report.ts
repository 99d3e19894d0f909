// Forecasts as pages: of a backtest, where what came is known, and of a forecast, where it is not.
//
// From plain data. Names and settings may be anyone's; what is not there has no section.

import { type BacktestOverlay, backtestOverlay } from "./backtest-overlay.ts";
import {
  horizonError,
  type ModelCoverage,
  type ModelPit,
  pitHistogram,
  reliability,
} from "./calibration-charts.ts";
import { type DecompositionChart, decompositionChart } from "./decomposition-chart.ts";
import { type FanChart, fanChart, type ModelForecast, percent } from "./fan-chart.ts";
import { type Metrics, metricTable, skillTable } from "./metric-table.ts";
import type { Page, Section } from "./page.ts";
import { digitsFor, type Row, type Table } from "./tables.ts";
import { count } from "./text-table.ts";
import { dateText } from "./time-axis.ts";

/** What was done: enough to do it again. */
export interface ForecastWork {
  /** As it was typed. */
  readonly command: string;
  /** The file or the name of the data, and how much of it there is. */
  readonly data: string;
  /** Steps ahead, as "28 days". */
  readonly horizon: string;
  readonly seed: number;
  /** By the names of packages and programs. */
  readonly versions: Readonly<Record<string, string>>;
  /** All else that was told. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface BacktestContents {
  /** What the backtest is called. */
  readonly name: string;
  readonly work: ForecastWork;
  /** How often and where the past was cut, in a sentence. */
  readonly windows: string;
  /** Over all series, steps and windows. */
  readonly metrics: Metrics;
  /** The model that skill is measured against. */
  readonly reference?: string;
  /** Further tables, as one for each series. */
  readonly tables?: readonly Table[];
  readonly horizons?: readonly Parameters<typeof horizonError>[0][];
  readonly coverage?: readonly ModelCoverage[];
  readonly pit?: readonly ModelPit[];
  readonly overlays?: readonly BacktestOverlay[];
  /** Sentences on what is missing, and why. */
  readonly notes?: readonly string[];
}

export interface ForecastContents {
  /** What the forecast is called. */
  readonly name: string;
  readonly work: ForecastWork;
  /** One for each series and target. */
  readonly fans: readonly FanChart[];
  readonly decompositions?: readonly DecompositionChart[];
  readonly notes?: readonly string[];
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** More series than this are counted, not drawn: a page must open. */
const DRAWN = 24;
/** Steps of a forecast that stand in its table. */
const LISTED = 60;
/** Digits of the largest number of a forecast's table. */
const DIGITS = 5;

export function backtestReport(contents: BacktestContents): Page {
  const { name, work, windows, metrics, reference, tables = [], notes = [] } = contents;
  const { horizons = [], coverage = [], pit = [], overlays = [] } = contents;
  const order = metrics.models.map((model) => model.name);
  const hasSkill = reference !== undefined && metrics.models.length > 1;
  return {
    title: `Backtest ${name}`,
    intro: [`${work.data}; ${work.horizon} ahead. ${windows}`, ...notes].join("\n\n"),
    sections: [
      {
        heading: "Results",
        text: metrics.models.length > 0 ? "" : "No model was scored.",
        tables: [metricTable(metrics), ...(hasSkill ? [skillTable(metrics, reference)] : []), ...tables],
      },
      ...sectionOf(
        "Error by step ahead",
        horizons.map((horizon) => horizonError({ order, ...horizon })),
      ),
      ...sectionOf("Calibration", [
        ...(coverage.length > 0 ? [reliability({ models: coverage, order })] : []),
        ...(pit.length > 0 ? [pitHistogram({ models: pit, order })] : []),
      ]),
      ...sectionOf(
        "Forecasts over what came",
        overlays.slice(0, DRAWN).map((overlay) => backtestOverlay({ order, ...overlay })),
        notDrawn(overlays),
      ),
      workSection(work),
    ],
  };
}

export function forecastReport({
  name,
  work,
  fans,
  decompositions = [],
  notes = [],
}: ForecastContents): Page {
  const order = [...new Set(fans.flatMap(({ models }) => models.map((model) => model.name)))];
  return {
    title: `Forecast ${name}`,
    intro: [`${work.data}; ${work.horizon} ahead.`, ...notes].join("\n\n"),
    sections: [
      {
        heading: "Forecasts",
        text: fans.length > 0 ? notDrawn(fans) : "There is no series.",
        figures: fans.slice(0, DRAWN).map((fan) => fanChart({ order, ...fan })),
      },
      ...sectionOf(
        "Parts of the series",
        decompositions.slice(0, DRAWN).map(decompositionChart),
        notDrawn(decompositions),
      ),
      ...(fans.length > 0
        ? [
            {
              heading: "Numbers",
              text: fans.length > 1 ? "Of the first series." : "",
              tables: fans[0].models.map((model) => forecastTable(model, fans[0].title, fans[0])),
            },
          ]
        : []),
      workSection(work),
    ],
  };
}

/** A row for each step ahead: its time, or its number where times count steps, the median and the ends of the intervals. */
export function forecastTable(
  { name, times, median, intervals }: ModelForecast,
  series: string,
  { counted = false }: Pick<FanChart, "counted"> = {},
): Table {
  const all = Array.from(times);
  const clock = all.some((time) => time % MINUTE !== 0)
    ? "seconds"
    : all.some((time) => time % DAY !== 0)
      ? "minutes"
      : "none";
  const more = all.length > LISTED ? `; the first ${LISTED} of ${count(all.length)} steps` : "";
  const sorted = intervals.toSorted((a, b) => a.level - b.level);
  const digits = digitsFor(Array.from(median), DIGITS);
  return {
    caption: `${name}, ${series}${more}`,
    columns: [
      counted ? "step" : "time (UTC)",
      "median",
      ...sorted.flatMap(({ level }) => [`${percent(level)} low`, `${percent(level)} high`]),
    ],
    rows: all.slice(0, LISTED).map((time, h): Row => {
      const values = [median[h], ...sorted.flatMap(({ low, high }) => [low[h], high[h]])];
      const cells = values.map((value) => (Number.isFinite(value) ? { seeds: [value], digits } : null));
      return { name: counted ? String(time) : dateText(time, clock), cells };
    }),
  };
}

function workSection({ command, data, horizon, seed, versions, settings = {} }: ForecastWork): Section {
  const rows: readonly (readonly [string, unknown])[] = [
    ...[["command", command] as const, ["data", data] as const, ["horizon", horizon] as const],
    ...[["seed", seed] as const, ...Object.entries(settings)],
    ...Object.entries(versions).map(([name, version]) => [`version of ${name}`, version] as const),
  ];
  return {
    heading: "What was done",
    tables: [
      { columns: ["setting", "value"], rows: rows.map(([name, value]) => ({ name, cells: [shown(value)] })) },
    ],
  };
}

/** No section without figures. */
function sectionOf(heading: string, figures: readonly string[], text = ""): Section[] {
  return figures.length > 0 ? [{ heading, text, figures }] : [];
}

function notDrawn({ length }: readonly unknown[]): string {
  return length > DRAWN ? `The first ${DRAWN} of ${count(length)} series.` : "";
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "–");
}
