// A backtest as tables: for the screen, for files, and for programs.

import type { BacktestResult, ModelResult } from "../../../forecast/backtest/index.ts";
import type { Measures } from "../../../forecast/metrics/index.ts";
import { type Metrics, metricTable, skillTable } from "../../../report/metric-table.ts";
import type { Table } from "../../../report/tables.ts";
import { csvText, type Value } from "./csv.ts";

/** What skill is measured against. */
export const REFERENCE = "SeasonalNaive";
/** What stands on the screen, beside coverage. */
const SHOWN = ["MAE", "RMSE", "sMAPE", "MASE", "WQL", "CRPS"];

/** Values by name; null where there is none. */
export function valuesOf(measures: Measures): Record<string, number | null> {
  return Object.fromEntries(Object.entries(measures).map(([name, { value }]) => [name, value]));
}

/** All metrics of all models over everything, the best marked. */
export function allMetrics({ models }: BacktestResult): Metrics {
  const names = Object.keys(models[0].metrics.overall);
  return {
    metrics: names.map((name) => ({ name, best: bestOf(name) })),
    models: models.map(({ name, metrics }) => ({ name, values: valuesOf(metrics.overall) })),
  };
}

/** The most telling metrics, for the screen. */
export function shownTables(result: BacktestResult): readonly Table[] {
  const all = allMetrics(result);
  const shown = all.metrics.filter(({ name }) => SHOWN.includes(name) || name.startsWith("coverage-"));
  const some = { ...all, metrics: shown };
  return all.models.length > 1 ? [metricTable(some), skillTable(some, REFERENCE)] : [metricTable(some)];
}

/** A row for each model over everything, for each series, and for each step ahead. */
export function metricsCsv({ models }: BacktestResult): string {
  const names = Object.keys(models[0].metrics.overall);
  const rows = models.flatMap(({ name, metrics }): Record<string, Value>[] => [
    { model: name, ...valuesOf(metrics.overall) },
    ...Object.entries(metrics.series).map(([series, measures]) => ({
      model: name,
      series,
      ...valuesOf(measures),
    })),
    ...metrics.horizon.map((measures, h) => ({ model: name, step: h + 1, ...valuesOf(measures) })),
  ]);
  return csvText(["model", "series", "step", ...names], rows);
}

/** One object per model, for programs. */
export function modelJson({ name, metrics, skill, fitSeconds, predictSeconds }: ModelResult): object {
  const told = Object.entries(metrics.overall);
  return {
    model: name,
    metrics: valuesOf(metrics.overall),
    skill: valuesOf(skill),
    pit: metrics.pit,
    reasons: Object.fromEntries(told.flatMap(([metric, { reason }]) => (reason ? [[metric, reason]] : []))),
    warnings: Object.fromEntries(
      told.flatMap(([metric, { warning }]) => (warning ? [[metric, warning]] : [])),
    ),
    seconds: { fit: fitSeconds, predict: predictSeconds },
  };
}

/** Remarks of the backtest and of its metrics, those with the same reason together. */
export function metricNotes({ models, notes }: BacktestResult): string[] {
  const metrics = new Map<string, Set<string>>();
  for (const { metrics: tables } of models) {
    for (const [name, { reason, warning }] of Object.entries(tables.overall)) {
      const why = reason ?? warning;
      // Only what draws paths has an energy score: its dash says enough.
      if (why === undefined || name === "energy") continue;
      metrics.set(why, (metrics.get(why) ?? new Set()).add(name));
    }
  }
  return [...notes, ...Array.from(metrics, ([why, names]) => `${[...names].join(", ")}: ${why}`)];
}

function bestOf(name: string): "least" | number {
  // Narrow is not good by itself: no width is nearest to this, so none gets a mark.
  if (name.startsWith("width-")) return Number.NaN;
  return name.startsWith("coverage-") ? Number(name.slice("coverage-".length)) / 100 : "least";
}
