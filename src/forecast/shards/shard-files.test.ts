// Shards and their files: a shard reads only its row groups, finished shards are kept, and damage is found.

import { copyFile, mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeSeriesParquet } from "../../../test/support/series-parquet.ts";
import type { Executor, Json, Unit } from "../../executor/unit.ts";
import { openTableFile } from "../../formats/tables/table-file.ts";
import { readPart } from "../data/read-part.ts";
import { planShards, type ShardPlan } from "./plan-shards.ts";
import { runShards, shardUnits } from "./run-shards.ts";
import { openShardFolder } from "./shard-folder.ts";
import { shardKind } from "./shard-kind.ts";
import { shardedScores, shardRecords } from "./shard-results.ts";
import type { ShardSettings } from "./shard-settings.ts";

let folder = "";
let file = "";
let plan: ShardPlan;
const options = { horizon: 6, models: [{ name: "naive" }], shards: 6 };
const never = new AbortController().signal;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gflownet-shard-files-"));
  file = join(folder, "series.parquet");
  await writeSeriesParquet(file, { series: 300 });
  plan = await planShards(file, {}, options);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Bytes of the row groups of a Parquet file: the start of each, and its first row. */
async function rowGroups(path: string): Promise<{ rows: number; from: number; to: number }[]> {
  const table = await openTableFile(path);
  try {
    const found = await table.all(
      `SELECT any_value(row_group_num_rows), min(coalesce(dictionary_page_offset, data_page_offset)),
         max(coalesce(dictionary_page_offset, data_page_offset) + total_compressed_size)
       FROM parquet_metadata($1) GROUP BY row_group_id ORDER BY row_group_id`,
    );
    return found.map(([rows, from, to]) => ({ rows: Number(rows), from: Number(from), to: Number(to) }));
  } finally {
    await table.close();
  }
}

test("a shard reads only its row groups: the bytes of all others may be anything", async () => {
  const groups = await rowGroups(file);
  expect(groups.length).toBe(6);
  for (const shard of plan.shards) {
    const damaged = join(folder, "damaged.parquet");
    await copyFile(file, damaged);
    const handle = await open(damaged, "r+");
    let row = 0;
    let kept = 0;
    for (const { rows, from, to } of groups) {
      const isRead = row < shard.rows.to && row + rows > shard.rows.from;
      if (isRead) kept++;
      else await handle.write(Buffer.alloc(to - from, 0xab), 0, to - from, from);
      row += rows;
    }
    await handle.close();
    expect(kept).toBeLessThanOrEqual(2);
    expect(await readPart(damaged, shard)).toEqual(await readPart(file, shard));
    const other = plan.shards.find(({ rows }) => rows.from > shard.rows.to || rows.to < shard.rows.from)!;
    await expect(readPart(damaged, other)).rejects.toThrow();
  }
});

/** An executor that runs units here, until `limit` of them are finished. */
function executor(
  path: string,
  started: number[],
  { limit = Infinity, after = async () => {} } = {},
): Executor {
  return {
    async run(units, handle) {
      for (const [index, unit] of units.entries()) {
        if (started.length === limit) throw new Error("killed");
        started.push((unit.settings as unknown as ShardSettings).rows.from);
        try {
          const records = await recordsOf(unit, path);
          await after();
          const provenance = { version: "1", engine: null, threads: 1, instructions: "x64" };
          await handle({ index, kind: "finished", records, provenance });
        } catch (error) {
          if (!(error instanceof Error) || /changed while/.test(error.message)) throw error;
          await handle({ index, kind: "failed", message: error.message });
        }
      }
    },
    async close() {},
  };
}

async function recordsOf({ settings }: Unit, path: string): Promise<Json[]> {
  const records: Json[] = [];
  const context = { input: () => path, checkpoint: null, pause: never };
  for await (const output of shardKind.run(settings, context)) {
    if (output.kind === "record") records.push(output.record);
  }
  return records;
}

function openFolder(path: string, of: ShardPlan = plan, version = "1") {
  return openShardFolder(path, shardUnits(of), version, (records) => {
    shardRecords(of, records);
  });
}

describe("a command that was killed", () => {
  test("continues with the shards that are missing or damaged", async () => {
    const path = join(folder, "killed");
    const first = await openFolder(path);
    const started: number[] = [];
    await expect(
      runShards(plan, shardUnits(plan), first, executor(file, started, { limit: 4 }), never, () => {}),
    ).rejects.toThrow("killed");
    await first.close();
    const kept = (await readdir(join(path, "shards"))).filter((name) => name !== "plan.json");
    expect(kept).toEqual(["000001.json", "000002.json", "000003.json", "000004.json"]);
    await writeFile(join(path, "shards", "000002.json"), "[]");
    const again = await openFolder(path);
    expect([...again.finished]).toEqual([0, 2, 3]);
    expect(again.damaged).toEqual([join(path, "shards", "000002.json")]);
    const restarted: number[] = [];
    const shares: number[] = [];
    await runShards(plan, shardUnits(plan), again, executor(file, restarted), never, ({ share }) => {
      shares.push(share);
    });
    expect(restarted).toEqual([1, 4, 5, 6].map((i) => [...plan.shards, plan.sample][i].rows.from));
    expect(shares.at(-1)).toBe(1);
    expect((await shardedScores(plan, again)).models.length).toBe(2);
    await again.clear();
    await again.close();
    expect(await readdir(path)).toEqual([]);
  });

  test("does not continue with other options, another version, or while another process runs", async () => {
    const path = join(folder, "others");
    const first = await openFolder(path);
    await expect(openFolder(path)).rejects.toThrow(/in use|used/);
    await first.close();
    const other = await planShards(file, {}, { ...options, horizon: 5 });
    for (const [of, version] of [
      [other, "1"],
      [plan, "2"],
    ] as const) {
      await expect(openFolder(path, of, version)).rejects.toThrow(
        `${path} has shards of other data, options or another version; choose another folder, or remove it`,
      );
    }
  });
});

test("a file that changes between shards stops the command", async () => {
  const changing = join(folder, "changing.parquet");
  await copyFile(file, changing);
  const of = await planShards(changing, {}, options);
  const results = await openFolder(join(folder, "changed"), of);
  const started: number[] = [];
  const after = async () => {
    if (started.length === 2)
      await writeFile(changing, Buffer.concat([await readFile(changing), Buffer.from("x")]));
  };
  await expect(
    runShards(of, shardUnits(of), results, executor(changing, started, { after }), never, () => {}),
  ).rejects.toThrow(/changing.parquet changed while it was forecast: its SHA-256 is another one/);
  expect(started.length).toBe(2);
  expect(await readdir(join(results.path, "shards"))).toEqual(["000001.json", "plan.json"]);
  await results.close();
});

describe("a file that cannot be used", () => {
  test("is truncated", async () => {
    const short = join(folder, "short.parquet");
    await copyFile(file, short);
    await truncate(short, 5000);
    await expect(planShards(short, {}, options)).rejects.toThrow(/short.parquet cannot be read as PARQUET: /);
  });

  test("lacks a column", async () => {
    await expect(planShards(file, { idColumn: "item" }, options)).rejects.toThrow(/item/);
    const shard = { ...plan.shards[0], targetColumns: ["z"] };
    await expect(readPart(file, shard)).rejects.toThrow(
      'series.parquet has no column "z"; it has "unique_id", "ds", "y"',
    );
  });

  test("is not the one that the shards were planned for", async () => {
    const other = join(folder, "other.parquet");
    await writeSeriesParquet(other, { series: 300, length: 30 });
    await expect(recordsOf(shardUnits(plan)[1], other)).rejects.toThrow(
      /the rows of the shard must belong to 50 series, got \d+: the file is not the one/,
    );
  });
});

test("options that need all series are refused", async () => {
  const models = [{ name: "naive" }, { name: "token-model" }];
  await expect(planShards(file, {}, { ...options, models })).rejects.toThrow(
    "cannot have token-model in shards, because it is trained on all series together; choose baselines",
  );
  const { notes } = await planShards(file, {}, { horizon: 6 });
  expect(notes).toContain("token-model is left out, because it is trained on all series together");
  await expect(planShards(file, { wide: true }, options)).rejects.toThrow("cannot be used in shards");
  await expect(planShards(file, { pastColumns: ["y"] }, options)).rejects.toThrow(
    "baselines use no covariates",
  );
  await expect(planShards(file, {}, { ...options, horizon: 30, windows: 20 })).rejects.toThrow(
    "need a series",
  );
});
