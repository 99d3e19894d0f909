// The folder of a forecast: what was asked for and how reliable the answer is, the last values before it, the forecast of
// each model, and all sampled paths. `gflownet forecast predict --out FOLDER` writes it, and the dashboard shows it.

import { join } from "node:path";
import { readText } from "../disk/open-file.ts";
import { RunError } from "../disk/run-error.ts";
import { type CsvRow, formatCsv } from "../formats/csv.ts";
import { timeFormat } from "./data/time-format.ts";
import {
  type ForecastColumns,
  forecastColumnNames,
  forecastRows,
  type ModelForecasts,
  pathColumnNames,
  pathRows,
} from "./report/forecast-table.ts";
import type { EventProbability } from "./scenario/event.ts";
import type { ScenarioReport } from "./scenario/scenario.ts";
import type { Panel } from "./types.ts";

/** The names of its files. */
export const FORECAST_FILES = {
  /** What was asked for, and the reports of scenarios and events. */
  forecast: "forecast.json",
  /** The last values before the forecast. */
  history: "history.csv",
  /** Mean and intervals of each model, by step. */
  values: "forecast.csv",
  /** Every sampled path. */
  paths: "paths.csv",
  report: "report.html",
} as const;

/** The name of forecasts under a scenario, beside those of the model without it. */
export const SCENARIO_LABEL = "Scenario";

/** Version of `forecast.json`. */
export const FORECAST_VERSION = 1;

/** Rows of the history: this many horizons, and at least so many. */
const [HISTORY_HORIZONS, LEAST_HISTORY] = [4, 60];

/** What a scenario asks for. Without any of these, the forecast is that of the model alone. */
export interface ScenarioQuestion {
  readonly constraint?: string;
  readonly temperature?: number;
  readonly noise?: number;
  readonly event?: string;
  /** The target that constraint and event apply to. */
  readonly target?: string;
}

/** The content of `forecast.json`. */
export interface ForecastRecord {
  /** Name of the data. */
  readonly data: string;
  readonly horizon: number;
  readonly targets: readonly string[];
  readonly seed: number;
  /** Names of the models, as the columns of `forecast.csv` and the rows of `paths.csv` have them. */
  readonly models: readonly string[];
  readonly scenario: ScenarioQuestion;
  /** One per series, if there is a constraint, a temperature or noise. */
  readonly reports: readonly ScenarioReport[];
  /** One per series, if there is an event. */
  readonly events: readonly EventProbability[];
}

export interface ForecastFolderContents {
  readonly record: Omit<ForecastRecord, "horizon" | "targets" | "models">;
  readonly models: readonly ModelForecasts[];
  readonly panel: Panel;
  readonly columns: ForecastColumns;
}

/** The files of a forecast with their texts. */
export function forecastFiles({
  record,
  models,
  panel,
  columns,
}: ForecastFolderContents): (readonly [name: string, text: string])[] {
  const whole: ForecastRecord = {
    ...record,
    ...{ horizon: columns.horizon, targets: panel.targets, models: models.map(({ name }) => name) },
  };
  const keys = panel.targets.length > 1 ? ["unique_id", "target"] : ["unique_id"];
  const hasPaths = models.some(({ forecasts }) => forecasts.some(({ paths }) => paths));
  return [
    [
      FORECAST_FILES.values,
      formatCsv(forecastColumnNames(models, panel, columns), forecastRows(models, panel, columns)),
    ],
    [FORECAST_FILES.history, formatCsv([...keys, "ds", "y"], historyRows(panel, columns.horizon))],
    ...(hasPaths
      ? [
          [
            FORECAST_FILES.paths,
            formatCsv(pathColumnNames(models), pathRows(models, panel, columns)),
          ] as const,
        ]
      : []),
    // The last one: a folder with it is complete.
    [FORECAST_FILES.forecast, `${JSON.stringify({ version: FORECAST_VERSION, ...whole }, null, 1)}\n`],
  ];
}

function* historyRows({ series, targets, frequency }: Panel, horizon: number): Generator<CsvRow> {
  const rows = Math.max(LEAST_HISTORY, HISTORY_HORIZONS * horizon);
  const formatTime = timeFormat(
    frequency,
    series.map(({ times }) => times),
  );
  for (const { id, times, targets: values } of series) {
    for (const [j, target] of targets.entries()) {
      for (let t = Math.max(0, times.length - rows); t < times.length; t++) {
        const y = values[j][t];
        yield {
          ...{ unique_id: id, ...(targets.length > 1 && { target }) },
          ...{ ds: formatTime(times[t]), y: Number.isNaN(y) ? null : y },
        };
      }
    }
  }
}

/** The content of `forecast.json`. Throws a RunError, whose message is one sentence, if it is missing or damaged. */
export async function readForecastRecord(folder: string): Promise<ForecastRecord> {
  const path = join(folder, FORECAST_FILES.forecast);
  const text = await readText(path);
  if (text === null) throw new RunError(`${path} does not exist; make the forecast again`);
  const value = parsed(text) as Partial<ForecastRecord> & { readonly version?: unknown };
  if (typeof value !== "object" || value === null) throw damaged(path, "it must be a JSON object");
  const { version } = value;
  if (typeof version === "number" && version > FORECAST_VERSION) {
    throw new RunError(
      `${path} has version ${version} and this gflownet reads up to ${FORECAST_VERSION}; use a newer gflownet`,
    );
  }
  if (version !== FORECAST_VERSION)
    throw damaged(path, `its version is ${JSON.stringify(version) ?? "missing"}`);
  const lists = ["targets", "models", "reports", "events"] as const;
  const wrong = lists.find((name) => !Array.isArray(value[name]));
  if (wrong) throw damaged(path, `${wrong} must be a list`);
  if (!isTextList(value.models) || !isTextList(value.targets)) {
    throw damaged(path, "models and targets must be lists of names");
  }
  if (typeof value.scenario !== "object" || value.scenario === null) {
    throw damaged(path, "scenario must be an object");
  }
  return value as ForecastRecord;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function damaged(path: string, reason: string): RunError {
  return new RunError(`${path} is damaged: ${reason}; make the forecast again`);
}
