// Backtests in shards: any division gives the rows and scores of the undivided backtest, to the bit.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeSeriesParquet } from "../../../test/support/series-parquet.ts";
import { jsonText, parseJson } from "../../executor/json-text.ts";
import type { Executor, Json, Unit } from "../../executor/unit.ts";
import { openTableFile } from "../../formats/tables/table-file.ts";
import type { BacktestResult } from "../backtest/backtest.ts";
import { backtestRows } from "../backtest/backtest-rows.ts";
import { backtestPlan, runBacktestPlan } from "../backtest/plan.ts";
import { type PanelFileOptions, readPanelFile } from "../data/panel-file.ts";
import { longestSeries, usablePanel } from "../data/usable-panel.ts";
import { metricsCsv, valuesOf } from "../report/backtest-tables.ts";
import { planShards, type ShardPlan, type ShardPlanOptions } from "./plan-shards.ts";
import { runShards, shardUnits } from "./run-shards.ts";
import { openShardFolder } from "./shard-folder.ts";
import { shardKind } from "./shard-kind.ts";
import {
  type ShardedScores,
  sampleCsv,
  shardedScores,
  shardRecords,
  writeShardTables,
} from "./shard-results.ts";

const SERIES = 330;
const models = ["seasonal-naive", "naive", "window-average"].map((name) => ({ name }));
const options = { horizon: 6, windows: 3, stepSize: 2, models, quantiles: [0.25] } satisfies ShardPlanOptions;

let folder = "";
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-shards-"));
  await writeSeriesParquet(at("sorted.parquet"), { series: SERIES });
  await writeSeriesParquet(at("by-time.parquet"), { series: SERIES, order: "t, s" });
  await writeSeriesParquet(at("numbers.parquet"), {
    series: SERIES,
    idType: "BIGINT",
    order: "s % 3, s, t DESC",
  });
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs units in this process. Units and records pass through JSON, as between machines. */
function executorHere(path: string, count: { units: number } = { units: 0 }): Executor {
  return {
    async run(units, handle, signal) {
      for (const [index, unit] of units.entries()) {
        if (signal.aborted) return;
        const { settings } = parseJson(jsonText(unit as never)) as unknown as Unit;
        expect(shardKind.problem(settings)).toBeNull();
        const records: Json[] = [];
        const context = { input: () => path, checkpoint: null, pause: new AbortController().signal };
        for await (const output of shardKind.run(settings, context)) {
          if (output.kind === "record") records.push(parseJson(jsonText(output.record)));
        }
        expect(records.map(jsonText).join().length).toBeLessThan(600_000);
        count.units++;
        const provenance = { version: "1", engine: null, threads: 1, instructions: "x64" };
        await handle({ index, kind: "finished", records, provenance });
      }
    },
    async close() {},
  };
}

interface Sharded {
  readonly plan: ShardPlan;
  readonly scores: ShardedScores;
  readonly table: Record<string, Json>[];
  readonly forecasts: Record<string, Json>[];
  readonly sample: string;
  readonly bytes: Buffer;
}

async function sharded(file: string, shards: number, data: PanelFileOptions = {}): Promise<Sharded> {
  const plan = await planShards(at(file), data, { ...options, shards, forecasts: true });
  const path = await mkdtemp(join(folder, "out-"));
  const results = await openShardFolder(join(path, "new"), shardUnits(plan), "1", (records) => {
    shardRecords(plan, records);
  });
  const never = new AbortController().signal;
  expect(await runShards(plan, shardUnits(plan), results, executorHere(at(file)), never, () => {})).toEqual(
    [],
  );
  const scores = await shardedScores(plan, results);
  const [table, forecasts] = await writeShardTables(plan, results);
  const sample = await sampleCsv(plan, results);
  await results.close();
  return {
    ...{ plan, scores, sample, bytes: await readFile(table) },
    table: await readRows(table),
    forecasts: await readRows(forecasts),
  };
}

/** The rows of a Parquet file; times as milliseconds. */
async function readRows(path: string): Promise<Record<string, Json>[]> {
  const file = await openTableFile(path);
  try {
    const columns = file.columnNames.map((name) => file.timeSql(name) ?? `"${name}"`);
    const rows = await file.all(`SELECT ${columns.join(", ")} FROM ${file.fromSql}`);
    return rows.map((row) => Object.fromEntries(row.map((value, i) => [file.columnNames[i], value as Json])));
  } finally {
    await file.close();
  }
}

async function undivided(file: string, data: PanelFileOptions = {}): Promise<BacktestResult> {
  const { panel } = usablePanel((await readPanelFile(at(file), data)).panel);
  expect(longestSeries(panel)).toBeGreaterThan(0);
  for await (const event of runBacktestPlan(panel, backtestPlan(options, panel), { fill: data.fill })) {
    if (event.type === "done") return event.result;
  }
  throw new Error("no result");
}

/** The file of metrics without the rows of single series. */
function withoutSeries(csv: string): string[] {
  return csv.split("\n").filter((line) => line.split(",")[1] === "" || line.startsWith("model,"));
}

function expectEqual({ scores, table, forecasts }: Sharded, whole: BacktestResult): void {
  expect(metricsCsv(scores).trimEnd().split("\n")).toEqual(withoutSeries(metricsCsv(whole)));
  expect(scores.models.map(({ metrics }) => metrics.pit)).toEqual(
    whole.models.map(({ metrics }) => metrics.pit),
  );
  const scored = table.filter(({ windows }) => windows !== 0);
  expect(scored.length).toBe(whole.models.length * Object.keys(whole.models[0].metrics.bySeries).length);
  for (const { unique_id, model, windows: _, note: __, ...values } of scored) {
    const own = whole.models.find(({ name }) => name === model)!;
    expect(values).toEqual(valuesOf(own.metrics.bySeries[String(unique_id)]));
  }
  const key = (row: Readonly<Record<string, unknown>>) => `${row.unique_id} ${row.cutoff} ${row.ds}`;
  const milliseconds = (time: unknown) => Date.parse(String(time));
  const rows = Array.from(backtestRows(whole), (row) => ({
    ...row,
    ...{ ds: milliseconds(row.ds), cutoff: milliseconds(row.cutoff) },
  }));
  const found = new Map(forecasts.map((row) => [key(row), row]));
  expect(found.size).toBe(rows.length);
  for (const row of rows) expect(found.get(key(row))).toEqual(row);
}

describe("a file sorted by series", () => {
  let whole: BacktestResult;
  let one: Sharded;
  beforeAll(async () => {
    whole = await undivided("sorted.parquet");
    one = await sharded("sorted.parquet", 1);
  }, 120_000);

  test("gives the rows and scores of the undivided backtest", () => {
    expectEqual(one, whole);
  });

  test.each([3, 17])(
    "gives the same bytes in %i shards",
    async (shards) => {
      const more = await sharded("sorted.parquet", shards);
      expect(more.plan.shards.length).toBeGreaterThanOrEqual(shards);
      expect(more.plan.shards.every(({ ids }) => ids === undefined)).toBe(true);
      expect(metricsCsv(more.scores)).toBe(metricsCsv(one.scores));
      expect(more.scores.coverage).toEqual(one.scores.coverage);
      expect(more.bytes.equals(one.bytes)).toBe(true);
      expect(more.forecasts).toEqual(one.forecasts);
      expect(more.sample).toBe(one.sample);
    },
    120_000,
  );

  test("has shards that share a row group, and series that span two", () => {
    expect(one.plan.rowGroups.count).toBe(7);
    const groupOf = (row: number) => Math.floor(row / 2048);
    const borders = one.plan.shards.map(({ rows }) => groupOf(rows.to - 1) - groupOf(rows.to));
    expect(borders.filter((step) => step === 0).length).toBeGreaterThan(0);
  });

  test("reports series that cannot be forecast, and goes on with the rest", () => {
    const noteOf = (id: string) => one.table.find(({ unique_id }) => unique_id === id);
    expect(one.table.length).toBe(3 * SERIES);
    expect(one.table.map(({ unique_id }) => unique_id).slice(0, 7)).toEqual([
      "0",
      "0",
      "0",
      "1",
      "1",
      "1",
      "2",
    ]);
    expect(noteOf("7")).toMatchObject({
      windows: 0,
      MAE: null,
      note: "skipped in window 1 and 2 more windows: it has no rows before the cutoff; intervals are unreliable with fewer than 8 values",
    });
    expect(noteOf("11")).toMatchObject({ windows: 0, note: "skipped, because it has no value of y" });
    // It ends earlier than the others, and has cutoffs of its own.
    expect(noteOf("13")).toMatchObject({ windows: 3 });
    expect(noteOf("0")).toMatchObject({ windows: 3, note: null });
    expect(one.scores.notes).toEqual([
      '14 of 330 series have no forecast; scores.parquet has the reason of each: series "7" is skipped in window 1 and 2 more windows: it has no rows before the cutoff; intervals are unreliable with fewer than 8 values',
    ]);
  });
});

describe("a file that is not sorted by series", () => {
  test.each(["by-time.parquet", "numbers.parquet"])(
    "gives the same scores: %s",
    async (file) => {
      const whole = await undivided(file);
      for (const shards of [1, 5]) expectEqual(await sharded(file, shards), whole);
    },
    240_000,
  );

  test("is read by the names of the series, and a note says how to read less", async () => {
    const { plan } = await sharded("by-time.parquet", 5);
    expect(plan.shards.every(({ ids, series }) => ids?.length === series)).toBe(true);
    expect(plan.notes.join()).toMatch(/a shard reads up to 7 of 7 row groups; sort the file by unique_id/);
  }, 120_000);
});

test("gaps that are filled, irregular times and resampled rows give the same scores", async () => {
  for (const data of [
    { fill: "linear", season: 4 },
    { frequency: "irregular" },
    { resample: "Q", aggregate: "sum" },
  ] satisfies PanelFileOptions[]) {
    expectEqual(await sharded("sorted.parquet", 4, data), await undivided("sorted.parquet", data));
  }
}, 240_000);
