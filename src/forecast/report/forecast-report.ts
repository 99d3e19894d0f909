// The layout of the pages of a backtest (with the actual values) and of a forecast (without).
//
// Input is plain data. Names and settings are untrusted text. Sections without data are omitted.

import { type BacktestOverlay, backtestOverlay } from "../../report/backtest-overlay.ts";
import {
  horizonErrorChart,
  type ModelCoverage,
  type ModelPit,
  pitHistogram,
  reliabilityChart,
} from "../../report/calibration-charts.ts";
import { type DecompositionChart, decompositionChart } from "../../report/decomposition-chart.ts";
import { type FanChart, fanChart, type ModelForecast, percent } from "../../report/fan-chart.ts";
import { type Metrics, metricTable, skillTable } from "../../report/metric-table.ts";
import type { Page, Section } from "../../report/page.ts";
import { decimalsFor, settingsTable, type Table, type TableRow } from "../../report/tables.ts";
import { formatCount } from "../../report/text-format.ts";
import { dateText } from "../../report/time-axis.ts";

/** How a result was made: enough to reproduce it. */
export interface Provenance {
  /** The command line. */
  readonly command: string;
  /** Name and size of the data set. */
  readonly data: string;
  /** Forecast horizon, e.g. "28 days". */
  readonly horizon: string;
  readonly seed: number;
  /** Versions by package or program name. */
  readonly versions: Readonly<Record<string, string>>;
  /** All other settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface BacktestContents {
  /** Name of the backtest. */
  readonly name: string;
  readonly provenance: Provenance;
  /** Sentence about the number and position of the cutoffs. */
  readonly windows: string;
  /** Metrics over all series, steps and windows. */
  readonly metrics: Metrics;
  /** Reference model of the skill table. Optional. */
  readonly reference?: string;
  /** Further tables, e.g. one per series. */
  readonly tables?: readonly Table[];
  readonly horizons?: readonly Parameters<typeof horizonErrorChart>[0][];
  readonly coverage?: readonly ModelCoverage[];
  readonly pit?: readonly ModelPit[];
  readonly overlays?: readonly BacktestOverlay[];
  /** Forecasts of the last window. */
  readonly lastWindow?: readonly FanChart[];
  /** Sentences about missing results and their reasons. */
  readonly notes?: readonly string[];
}

export interface ForecastContents {
  /** Name of the forecast. */
  readonly name: string;
  readonly provenance: Provenance;
  /** Fan charts, one for each series and target. */
  readonly fans: readonly FanChart[];
  readonly decompositions?: readonly DecompositionChart[];
  readonly notes?: readonly string[];
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** Maximum number of series that a page draws, so that it opens quickly. */
const MAX_DRAWN = 24;
/** Maximum number of steps in the table of a forecast. */
const MAX_TABLE_STEPS = 60;
/** Significant digits of the largest number in the table of a forecast. */
const DIGITS = 5;

export function backtestReport(contents: BacktestContents): Page {
  const { name, provenance: work, windows, metrics, reference, tables = [], notes = [] } = contents;
  const { horizons = [], coverage = [], pit = [], overlays = [], lastWindow = [] } = contents;
  const order = metrics.models.map((model) => model.name);
  const hasSkill = reference !== undefined && metrics.models.length > 1;
  return {
    title: `Backtest ${name}`,
    intro: [`${work.data}; ${work.horizon} ahead. ${windows}`, ...notes].join("\n\n"),
    sections: [
      {
        heading: "Results",
        text: metrics.models.length > 0 ? "" : "No model was evaluated.",
        tables: [metricTable(metrics), ...(hasSkill ? [skillTable(metrics, reference)] : []), ...tables],
      },
      ...sectionOf(
        "Error by step ahead",
        horizons.map((horizon) => horizonErrorChart({ order, ...horizon })),
      ),
      ...sectionOf("Calibration", [
        ...(coverage.length > 0 ? [reliabilityChart({ models: coverage, order })] : []),
        ...(pit.length > 0 ? [pitHistogram({ models: pit, order })] : []),
      ]),
      ...sectionOf(
        "Forecasts and actual values",
        overlays.slice(0, MAX_DRAWN).map((overlay) => backtestOverlay({ order, ...overlay })),
        truncationText(overlays),
      ),
      ...sectionOf(
        "The last window",
        lastWindow.map((fan) => fanChart({ order, ...fan })),
      ),
      provenanceSection(work),
    ],
  };
}

export function forecastReport({
  name,
  provenance: work,
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
        text: fans.length > 0 ? truncationText(fans) : "No series.",
        figures: fans.slice(0, MAX_DRAWN).map((fan) => fanChart({ order, ...fan })),
      },
      ...sectionOf(
        "Parts of the series",
        decompositions.slice(0, MAX_DRAWN).map(decompositionChart),
        truncationText(decompositions),
      ),
      ...(fans.length > 0
        ? [
            {
              heading: "Numbers",
              text: fans.length > 1 ? "The first series." : "",
              tables: fans[0].models.map((model) => forecastTable(model, fans[0].title, fans[0])),
            },
          ]
        : []),
      provenanceSection(work),
    ],
  };
}

/** A table with one row per step ahead: its time (or step number), the median and the ends of the intervals. */
export function forecastTable(
  { name, times, median, intervals }: ModelForecast,
  series: string,
  { timesAreSteps = false }: Pick<FanChart, "timesAreSteps"> = {},
): Table {
  const all = Array.from(times);
  const clock = all.some((time) => time % MINUTE !== 0)
    ? "seconds"
    : all.some((time) => time % DAY !== 0)
      ? "minutes"
      : "none";
  const more =
    all.length > MAX_TABLE_STEPS ? `; the first ${MAX_TABLE_STEPS} of ${formatCount(all.length)} steps` : "";
  const sorted = intervals.toSorted((a, b) => a.level - b.level);
  const digits = decimalsFor(Array.from(median), DIGITS);
  return {
    caption: `${name}, ${series}${more}`,
    columns: [
      timesAreSteps ? "step" : "time (UTC)",
      "median",
      ...sorted.flatMap(({ level }) => [`${percent(level)} low`, `${percent(level)} high`]),
    ],
    rows: all.slice(0, MAX_TABLE_STEPS).map((time, h): TableRow => {
      const values = [median[h], ...sorted.flatMap(({ low, high }) => [low[h], high[h]])];
      const cells = values.map((value) => (Number.isFinite(value) ? { seeds: [value], digits } : null));
      return { name: timesAreSteps ? String(time) : dateText(time, clock), cells };
    }),
  };
}

function provenanceSection({ command, data, horizon, seed, versions, settings = {} }: Provenance): Section {
  const rows: readonly (readonly [string, unknown])[] = [
    ...[["command", command] as const, ["data", data] as const, ["horizon", horizon] as const],
    ...[["seed", seed] as const, ...Object.entries(settings)],
    ...Object.entries(versions).map(([name, version]) => [`version of ${name}`, version] as const),
  ];
  return {
    heading: "How this was made",
    tables: [settingsTable(rows)],
  };
}

/** A list of one section with these figures; an empty list if there are no figures. */
function sectionOf(heading: string, figures: readonly string[], text = ""): Section[] {
  return figures.length > 0 ? [{ heading, text, figures }] : [];
}

function truncationText({ length }: readonly unknown[]): string {
  return length > MAX_DRAWN ? `The first ${MAX_DRAWN} of ${formatCount(length)} series.` : "";
}
