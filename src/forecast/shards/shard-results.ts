// Puts the records of all shards together: metrics over all series, and Parquet files with the scores and forecasts of each.
// The shards are read one after the other, so that memory does not grow with their number.

import { join } from "node:path";
import { withDiskErrors } from "../../disk/run-error.ts";
import type { Json } from "../../executor/unit.ts";
import { MICROSECONDS, writeParquet } from "../../formats/tables/write-parquet.ts";
import { formatCount } from "../../report/text-format.ts";
import { backtestMetrics, noForecasts, withSkill } from "../backtest/backtest.ts";
import { timeFormat } from "../data/time-format.ts";
import { isStepIndexed } from "../data/time-grid.ts";
import { intervalColumns, medianColumn, modelColumns, quantileColumn } from "../forecast-columns.ts";
import { forecastersByName } from "../forecasters/forecaster-by-name.ts";
import { metricNames, metricsOfSums } from "../metrics/forecast-metrics.ts";
import { coverage } from "../metrics/index.ts";
import type { BacktestScores } from "../report/backtest-tables.ts";
import { reliabilityLevels } from "../report/reliability-levels.ts";
import type { ShardPlan } from "./plan-shards.ts";
import { SHARD_FILES } from "./shard-files.ts";
import type { ShardFolder } from "./shard-folder.ts";
import { addModelSums, modelSums } from "./shard-metrics.ts";
import {
  caseLength,
  decodeRecord,
  type ForecastRecord,
  type ModelSums,
  type SeriesRecord,
  type ShardRecord,
} from "./shard-record.ts";

/** The scores over all series. */
export interface ShardedScores extends BacktestScores {
  /** Coverage of each model at several levels, for the reliability chart. */
  readonly coverage: readonly {
    readonly name: string;
    readonly levels: readonly { readonly nominal: number; readonly observed: number }[];
  }[];
}

/** Labels of the models, in order. */
export function modelLabels({ plan: { models, horizon } }: ShardPlan): string[] {
  return forecastersByName(models, { horizon }).map(({ name }) => name);
}

/** Reads the records of a shard. Throws if they are not complete. */
export function shardRecords({ plan }: ShardPlan, records: readonly Json[]): ShardRecord[] {
  const options = backtestMetrics(plan.levels, undefined, plan.quantiles);
  const read = records.map((record) => decodeRecord(record, () => modelSums([], options, plan.horizon)));
  if (read.at(-1)?.kind !== "sums") throw new Error("the records of a shard are not complete");
  return read;
}

/** The metrics over all series, and notes about those without a forecast. */
export async function shardedScores(plan: ShardPlan, folder: ShardFolder): Promise<ShardedScores> {
  const options = backtestMetrics(plan.plan.levels, undefined, plan.plan.quantiles);
  const labels = modelLabels(plan);
  const sums = labels.map((): ModelSums => modelSums([], options, plan.plan.horizon));
  const skipped = new SkippedCount();
  for await (const record of recordsOf(plan, folder)) {
    if (record.kind === "series") skipped.add(record, plan.plan.windows);
    if (record.kind === "sums")
      for (const [i, model] of record.models.entries()) addModelSums(sums[i], model);
  }
  if (skipped.none === plan.series) throw noForecasts(plan.plan, skipped.firstNote);
  const models = labels.map((name, i) => ({
    ...{ name, kind: "baseline" as const },
    metrics: { ...metricsOfSums(sums[i], options), bySeries: {} },
  }));
  return {
    models: withSkill(models),
    notes: skipped.notes(plan.series),
    coverage: labels.map((name, i) => ({
      name,
      levels: reliabilityLevels(plan.plan.levels).flatMap((level, j) => {
        const { value } = coverage(options.quantiles, level).value(sums[i].coverage[j]);
        return value === null ? [] : [{ nominal: level / 100, observed: value }];
      }),
    })),
  };
}

/** Writes the Parquet files, and returns their paths. */
export async function writeShardTables(plan: ShardPlan, folder: ShardFolder): Promise<string[]> {
  const scores = join(folder.path, SHARD_FILES.scores);
  await withDiskErrors("written", scores, () =>
    writeParquet(scores, scoreLines(plan, folder), scoreColumns(plan)),
  );
  if (!plan.shards[0].forecasts) return [scores];
  const forecasts = join(folder.path, SHARD_FILES.forecasts);
  await withDiskErrors("written", forecasts, () =>
    writeParquet(forecasts, allForecastLines(plan, folder), forecastColumns(plan)),
  );
  return [scores, forecasts];
}

/** Series without a forecast, or with forecasts in some windows only. */
class SkippedCount {
  none = 0;
  #some = 0;
  firstNote = "";

  add({ ids, windows, notes }: SeriesRecord, all: number): void {
    for (const [i, count] of windows.entries()) {
      if (count === all) continue;
      if (count === 0) this.none++;
      else this.#some++;
      this.firstNote ||= `series ${JSON.stringify(ids[i])} is ${notes[i]}`;
    }
  }

  notes(total: number): string[] {
    const parts = [
      ...(this.none > 0
        ? [`${formatCount(this.none)} of ${formatCount(total)} series have no forecast`]
        : []),
      ...(this.#some > 0 ? [`${formatCount(this.#some)} have forecasts in some windows only`] : []),
    ];
    if (parts.length === 0) return [];
    return [`${parts.join(", ")}; ${SHARD_FILES.scores} has the reason of each: ${this.firstNote}`];
  }
}

async function* recordsOf(plan: ShardPlan, folder: ShardFolder): AsyncGenerator<ShardRecord> {
  for (const index of plan.shards.keys()) yield* shardRecords(plan, await folder.read(index));
}

function targetsOf({ shards: [{ targetColumns }] }: ShardPlan): readonly string[] {
  return targetColumns;
}

/** Types of the columns of the scores. */
function scoreColumns(plan: ShardPlan): Record<string, string> {
  const names = metricNames(backtestMetrics(plan.plan.levels));
  return {
    ...idColumns(plan),
    ...{ model: "VARCHAR", windows: "INTEGER" },
    ...Object.fromEntries(names.map((name) => [name, "DOUBLE"])),
    note: "VARCHAR",
  };
}

async function* scoreLines(plan: ShardPlan, folder: ShardFolder): AsyncGenerator<string> {
  const labels = modelLabels(plan);
  const targets = targetsOf(plan);
  const count = metricNames(backtestMetrics(plan.plan.levels)).length;
  yield headerLine(scoreColumns(plan));
  for await (const record of recordsOf(plan, folder)) {
    if (record.kind !== "series") continue;
    const { ids, windows, notes, scores } = record;
    if (scores.length !== ids.length * targets.length * labels.length * count) throw wrongLength();
    let at = 0;
    const lines: string[] = [];
    for (const [i, id] of ids.entries()) {
      for (const target of targets) {
        for (const label of labels) {
          const cells = [...idCells(id, target, targets), quoted(label), String(windows[i])];
          for (let k = 0; k < count; k++) cells.push(numberCell(scores[at++]));
          lines.push(`${cells.join(",")},${notes[i] === "" ? "" : quoted(notes[i])}\n`);
        }
      }
    }
    yield lines.join("");
  }
}

/** Types of the columns of the forecasts: those of `forecasts.csv`, with times as timestamps. */
function forecastColumns(plan: ShardPlan): Record<string, string> {
  const time = isStepIndexed(plan.frequency) ? "BIGINT" : MICROSECONDS;
  const values = modelLabels(plan).flatMap((label) => modelColumns(label, plan.plan));
  return {
    ...idColumns(plan),
    ...{ ds: time, cutoff: time, y: "DOUBLE" },
    ...Object.fromEntries(values.map((name) => [name, "DOUBLE"])),
  };
}

/** The forecasts of the sample as CSV, as an undivided backtest writes them. */
export async function sampleCsv(plan: ShardPlan, folder: ShardFolder): Promise<string> {
  const records = shardRecords(plan, await folder.read(plan.shards.length));
  const formatTime = timeFormat(plan.frequency, recordedTimes(plan, records));
  const timeCell = (time: number) => String(formatTime(time));
  return [...forecastLines(plan, records, timeCell)].join("");
}

/** Cutoffs and times of the forecasts. */
function* recordedTimes(plan: ShardPlan, records: readonly ShardRecord[]): Generator<number[]> {
  const { horizon } = plan.plan;
  const length = caseLength(horizon, modelLabels(plan).length, plan.plan);
  const stepLength = (length - 1) / horizon;
  for (const record of records) {
    if (record.kind !== "forecasts") continue;
    for (let from = 0; from < record.values.length; from += length) {
      const times = Array.from({ length: horizon }, (_, step) => record.values[from + 1 + step * stepLength]);
      yield [record.values[from], ...times];
    }
  }
}

async function* allForecastLines(plan: ShardPlan, folder: ShardFolder): AsyncGenerator<string> {
  const timeCell = (time: number) => String(isStepIndexed(plan.frequency) ? time : Math.round(1000 * time));
  yield* forecastLines(plan, [], timeCell);
  for await (const record of recordsOf(plan, folder)) {
    const [, ...lines] = forecastLines(plan, [record], timeCell);
    yield* lines;
  }
}

/** The header, and the rows of each record. */
function* forecastLines(
  plan: ShardPlan,
  records: Iterable<ShardRecord>,
  timeCell: (time: number) => string,
): Generator<string> {
  const { horizon, levels, quantiles } = plan.plan;
  const labels = modelLabels(plan);
  const columns = forecastColumns(plan);
  const length = caseLength(horizon, labels.length, plan.plan);
  // Where the values of a step are in the record, in the order of the columns.
  const recorded = labels.flatMap((label) => [
    ...[label, medianColumn(label)],
    ...levels.flatMap((level) => intervalColumns(label, level)),
    ...quantiles.map((q) => quantileColumn(label, q)),
  ]);
  const order = Object.keys(columns)
    .slice(-recorded.length)
    .map((name) => recorded.indexOf(name));
  yield headerLine(columns);
  for (const record of records) {
    if (record.kind === "forecasts") yield caseLines(record, { plan, order, length, timeCell });
  }
}

function caseLines(
  { ids, cases, values }: ForecastRecord,
  {
    plan,
    order,
    length,
    timeCell,
  }: {
    readonly plan: ShardPlan;
    readonly order: readonly number[];
    readonly length: number;
    readonly timeCell: (time: number) => string;
  },
): string {
  const targets = targetsOf(plan);
  if (values.length !== cases.length * length) throw wrongLength();
  const lines: string[] = [];
  for (const [i, [series, target]] of cases.entries()) {
    const cutoff = timeCell(values[i * length]);
    const keys = idCells(ids[series], targets[target], targets);
    for (let step = 0; step < plan.plan.horizon; step++) {
      const at = i * length + 1 + step * (2 + order.length);
      const forecasts = order.map((k) => numberCell(values[at + 2 + k]));
      const cells = [...keys, timeCell(values[at]), cutoff, numberCell(values[at + 1]), ...forecasts];
      lines.push(`${cells.join(",")}\n`);
    }
  }
  return lines.join("");
}

function idColumns(plan: ShardPlan): Record<string, string> {
  return { unique_id: "VARCHAR", ...(targetsOf(plan).length > 1 && { target: "VARCHAR" }) };
}

function idCells(id: string, target: string, targets: readonly string[]): string[] {
  return targets.length > 1 ? [quoted(id), quoted(target)] : [quoted(id)];
}

function headerLine(columns: Readonly<Record<string, string>>): string {
  return `${Object.keys(columns).map(quoted).join(",")}\n`;
}

/** A cell of text. It is always quoted, so that an empty text is not a missing one. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function numberCell(value: number): string {
  return Number.isFinite(value) ? String(value) : "";
}

function wrongLength(): Error {
  return new Error("a record of a shard is damaged");
}
