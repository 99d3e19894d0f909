// The metrics of a backtest as tables: for the screen, for CSV files, and as JSON objects.

import { type CsvRow, formatCsv } from "../../formats/csv.ts";
import { type Metrics, metricTable, skillTable } from "../../report/metric-table.ts";
import type { Table } from "../../report/tables.ts";
import type { ModelResult, ModelScores } from "../backtest/index.ts";
import { SEASONAL_NAIVE } from "../baselines/seasonal.ts";
import type { MetricValues } from "../metrics/index.ts";

/** The scores of a backtest. */
export interface BacktestScores {
  readonly models: readonly ModelScores[];
  /** One sentence per skipped series, or about them. */
  readonly notes: readonly string[];
}

/** Metrics on the screen, in addition to coverage. */
const MAIN_METRICS = ["MAE", "RMSE", "sMAPE", "MASE", "WQL", "CRPS"];

/** Metric values by name; null if there is none. */
export function valuesOf(metrics: MetricValues): Record<string, number | null> {
  return Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value]));
}

/** All metrics of all models over all series, windows and steps. */
export function overallMetrics({ models }: Pick<BacktestScores, "models">): Metrics {
  const names = Object.keys(models[0].metrics.overall);
  return {
    metrics: names.map((name) => ({ name, best: bestOf(name) })),
    models: models.map(({ name, metrics }) => ({ name, values: valuesOf(metrics.overall) })),
  };
}

/** The main metrics and their skill scores, for the screen. */
export function mainTables(result: Pick<BacktestScores, "models">): readonly Table[] {
  const all = overallMetrics(result);
  const metrics = all.metrics.filter(
    ({ name }) => MAIN_METRICS.includes(name) || name.startsWith("coverage-"),
  );
  const main = { ...all, metrics };
  return all.models.length > 1 ? [metricTable(main), skillTable(main, SEASONAL_NAIVE)] : [metricTable(main)];
}

/** A CSV file with one row per model, per model and series, and per model and step ahead. */
export function metricsCsv({ models }: Pick<BacktestScores, "models">): string {
  const names = Object.keys(models[0].metrics.overall);
  const rows = models.flatMap(({ name, metrics }): CsvRow[] => [
    { model: name, ...valuesOf(metrics.overall) },
    ...Object.entries(metrics.bySeries).map(([series, values]) => ({
      model: name,
      series,
      ...valuesOf(values),
    })),
    ...metrics.byStep.map((values, h) => ({ model: name, step: h + 1, ...valuesOf(values) })),
  ]);
  return formatCsv(["model", "series", "step", ...names], rows);
}

/** The result of one model as a JSON object; with the seconds of its work, if they are known. */
export function modelResultJson({
  name,
  kind,
  metrics,
  skill,
  fitSeconds,
  predictSeconds,
}: ModelScores & Partial<ModelResult>): object {
  const entries = Object.entries(metrics.overall);
  return {
    ...{ model: name, kind },
    metrics: valuesOf(metrics.overall),
    skill: valuesOf(skill),
    pit: metrics.pit,
    reasons: Object.fromEntries(
      entries.flatMap(([metric, { reason }]) => (reason ? [[metric, reason]] : [])),
    ),
    warnings: Object.fromEntries(
      entries.flatMap(([metric, { warning }]) => (warning ? [[metric, warning]] : [])),
    ),
    ...(fitSeconds !== undefined && { seconds: { fit: fitSeconds, predict: predictSeconds } }),
  };
}

/** Notes of the backtest and of its metrics. Metrics with the same reason share one note. */
export function backtestNotes({ models, notes }: BacktestScores): string[] {
  const metricsByNote = new Map<string, Set<string>>();
  for (const { metrics } of models) {
    for (const [name, { reason, warning }] of Object.entries(metrics.overall)) {
      const note = reason ?? warning;
      // Baselines never have an energy score, so a note would be noise.
      if (note === undefined || name === "energy") continue;
      metricsByNote.set(note, (metricsByNote.get(note) ?? new Set()).add(name));
    }
  }
  return [...notes, ...Array.from(metricsByNote, ([note, names]) => `${[...names].join(", ")}: ${note}`)];
}

function bestOf(name: string): "least" | number {
  // A narrow interval is not better by itself, so the table marks no width as the best: no value is nearest to NaN.
  if (name.startsWith("width-")) return Number.NaN;
  return name.startsWith("coverage-") ? Number(name.slice("coverage-".length)) / 100 : "least";
}
