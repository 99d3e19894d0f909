// Runs a shard: reads its series, forecasts all windows, and yields scores, sums and forecasts.

import type { UnitKind } from "../../executor/unit-kind.ts";
import { formatCountOf } from "../../report/text-format.ts";
import {
  type BacktestCase,
  type BacktestEvent,
  backtestMetrics,
  forecastWindows,
  type WindowForecasts,
} from "../backtest/backtest.ts";
import { panelOfPart } from "../data/panel.ts";
import { readPart } from "../data/read-part.ts";
import { FEW_VALUES, seriesRemarks } from "../data/usable-panel.ts";
import { forecastersByName } from "../forecasters/forecaster-by-name.ts";
import { metricNames, metricsBySeries } from "../metrics/forecast-metrics.ts";
import { intervalQuantiles } from "../metrics/interval.ts";
import { quantileIndex } from "../metrics/quantile.ts";
import type { Panel, Series } from "../types.ts";
import { modelSums } from "./shard-metrics.ts";
import { caseLength, encodeRecord, type ForecastRecord, type SeriesRecord } from "./shard-record.ts";
import { DATA_INPUT, type ShardSettings, shardProblem } from "./shard-settings.ts";

/** Series of one record. */
const CHUNK = 250;

export const shardKind: UnitKind = {
  problem: shardProblem,
  engine: () => null,
  async *run(json, { input, pause }) {
    const settings = json as unknown as ShardSettings;
    const panel = await shardPanel(input(DATA_INPUT), settings);
    const remarks = panel.series.map((series) => seriesRemarks(series, panel.targets));
    const usable = panel.series.filter((_, i) => remarks[i].unusable === null);
    const events = shardForecasts({ ...panel, series: usable }, settings);
    const forecasts = settings.models.length * settings.windows;
    let done = 0;
    for (;;) {
      if (pause.aborted) {
        yield { kind: "paused" };
        return;
      }
      const next = await events.next();
      if (next.done) {
        yield* records(panel, settings, next.value, remarks.map(remarkText));
        return;
      }
      if (next.value.type === "predicted") yield { kind: "progress", progress: ++done / forecasts };
    }
  },
};

async function* shardForecasts(
  panel: Panel,
  settings: ShardSettings,
): AsyncGenerator<BacktestEvent, WindowForecasts> {
  const { horizon, windows, stepSize, cutoffs, inputSize, levels, quantiles, models } = settings;
  const forecasters = forecastersByName(
    models.map((name) => ({ name })),
    settings,
  );
  if (panel.series.length === 0) {
    return {
      models: forecasters.map(({ name }) => ({
        ...{ name, kind: "baseline", cases: [], fitSeconds: 0, predictSeconds: 0 },
      })),
      remarks: [],
      metricOptions: backtestMetrics(levels, undefined, quantiles),
      skipped: [],
    };
  }
  return yield* forecastWindows({
    ...{ panel, forecasters, horizon, windows, stepSize, inputSize, levels },
    ...(cutoffs && { align: "time", cutoffs }),
    columnQuantiles: quantiles,
  });
}

/** The series of the shard on the time grid of the whole file. */
async function shardPanel(path: string, settings: ShardSettings): Promise<Panel> {
  const table = await readPart(path, settings);
  if (table.ids.length !== settings.series) {
    throw new Error(
      `the rows of the shard must belong to ${settings.series} series, got ${table.ids.length}: ` +
        "the file is not the one that the shards were planned for",
    );
  }
  return panelOfPart(table, settings).panel;
}

function remarkText({ unusable, trailing, isShort }: ReturnType<typeof seriesRemarks>): string[] {
  if (unusable !== null) return [`skipped, because it ${unusable}`];
  return [
    ...(trailing === null ? [] : [`it ${trailing}`]),
    ...(isShort ? [`intervals are unreliable with fewer than ${FEW_VALUES} values`] : []),
  ];
}

function* records(
  panel: Panel,
  settings: ShardSettings,
  { models, metricOptions, skipped }: WindowForecasts,
  remarks: readonly (readonly string[])[],
) {
  const skippedById = groupById(skipped);
  const notes = panel.series.map(({ id }, i) =>
    [...skippedText(id, skippedById.get(id) ?? []), ...remarks[i]].join("; "),
  );
  const scores = models.map(({ cases }) => metricsBySeries(cases, metricOptions));
  const casesById = models.map(({ cases }) => groupById(cases));
  const names = metricNames(metricOptions);
  for (let from = 0; from < panel.series.length; from += CHUNK) {
    const series = panel.series.slice(from, from + CHUNK);
    const record = (value: SeriesRecord | ForecastRecord) => ({
      kind: "record" as const,
      record: encodeRecord(value),
    });
    yield record({
      kind: "series",
      ids: series.map(({ id }) => id),
      windows: series.map(({ id }) => (casesById[0].get(id)?.length ?? 0) / panel.targets.length),
      notes: notes.slice(from, from + CHUNK),
      scores: seriesScores(series, panel.targets, scores, names),
    });
    if (settings.forecasts)
      yield record(forecastRecord(series, panel.targets, casesById, settings, metricOptions.quantiles));
  }
  const sums = models.map(({ cases }) => modelSums(cases, metricOptions, settings.horizon));
  yield { kind: "record" as const, record: encodeRecord({ kind: "sums", models: sums }) };
}

/** In which windows a series is skipped, with the first reason. */
function skippedText(id: string, skipped: WindowForecasts["skipped"]): string[] {
  if (skipped.length === 0) return [];
  const [{ window, note }] = skipped;
  const reason = note.slice(`series ${JSON.stringify(id)} is skipped in window ${window}: `.length);
  const windows = skipped.length === 1 ? "" : ` and ${formatCountOf(skipped.length - 1, "more window")}`;
  return [`skipped in window ${window}${windows}: ${reason}`];
}

function seriesScores(
  series: readonly Series[],
  targets: readonly string[],
  scores: readonly ReturnType<typeof metricsBySeries>[],
  names: readonly string[],
): Float64Array {
  const values = series.flatMap(({ id }) =>
    targets.flatMap((target) =>
      scores.flatMap((model) => {
        const metrics = model.get(targets.length > 1 ? `${id}/${target}` : id);
        return names.map((name) => metrics?.[name].value ?? Number.NaN);
      }),
    ),
  );
  return Float64Array.from(values);
}

function forecastRecord(
  series: readonly Series[],
  targets: readonly string[],
  casesById: readonly Map<string, readonly BacktestCase[]>[],
  { horizon, levels, quantiles = [] }: ShardSettings,
  all: readonly number[],
): ForecastRecord {
  const columns = [...levels.flatMap(intervalQuantiles), ...quantiles].map((q) => quantileIndex(all, q));
  const rows = series.flatMap(({ id }, position) => {
    const own = casesById.map((cases) => cases.get(id) ?? []);
    // The cases of a series are in the order of the windows, and in each of the targets.
    return own[0].map((one, i) => ({ position, one, models: own.map((cases) => cases[i].forecast) }));
  });
  const length = caseLength(horizon, casesById.length, { levels, quantiles });
  const values = new Float64Array(rows.length * length);
  for (const [i, { one, models }] of rows.entries()) {
    let at = i * length;
    values[at++] = one.cutoff;
    for (let step = 0; step < horizon; step++) {
      values[at++] = one.times[step];
      values[at++] = one.actual[step];
      for (const { mean, median = mean, quantiles: rows } of models) {
        values[at++] = mean[step];
        values[at++] = median[step];
        for (const column of columns) values[at++] = rows[column][step];
      }
    }
  }
  return {
    kind: "forecasts",
    ids: series.map(({ id }) => id),
    cases: rows.map(({ position, one }) => [position, targets.indexOf(one.target)]),
    values,
  };
}

function groupById<T extends { readonly id: string }>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(one.id);
    if (group) group.push(one);
    else groups.set(one.id, [one]);
  }
  return groups;
}
