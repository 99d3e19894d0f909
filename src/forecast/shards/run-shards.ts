// Runs the shards of a plan on an executor and keeps the records of each finished one.

import { stat } from "node:fs/promises";
import type { Executor, Unit } from "../../executor/unit.ts";
import { UserError } from "../../issues.ts";
import { hashFile, type ShardPlan } from "./plan-shards.ts";
import type { ShardFolder } from "./shard-folder.ts";
import { shardUnit } from "./shard-settings.ts";

/** How far the shards are. */
export interface ShardProgress {
  readonly finished: number;
  readonly total: number;
  /** Series of the finished shards. */
  readonly series: number;
  /** The share of all shards that is done, from 0 to 1. */
  readonly share: number;
}

/** A shard that could not be forecast. */
export interface FailedShard {
  /** Number of the shard; 1 is the first. */
  readonly shard: number;
  readonly message: string;
}

/** The units of all shards, and of the sample at the end. */
export function shardUnits({ shards, sample, sha256 }: ShardPlan): Unit[] {
  return [...shards, sample].map((settings) => shardUnit(settings, sha256));
}

/**
 * Runs all shards that are not in the folder, and returns those that failed. Throws if the file changes meanwhile: shards of
 * two versions of a file must not mix.
 */
export async function runShards(
  { path, shards, sha256 }: ShardPlan,
  units: readonly Unit[],
  folder: ShardFolder,
  executor: Executor,
  signal: AbortSignal,
  onProgress: (progress: ShardProgress) => void,
): Promise<FailedShard[]> {
  // The series of the sample are in a shard, too.
  const seriesOf = (index: number) => shards[index]?.series ?? 0;
  const left = [...units.keys()].filter((index) => !folder.finished.has(index));
  const shares = new Map<number, number>();
  const failures: FailedShard[] = [];
  let finished = finishedShards(folder, shards.length);
  let series = [...folder.finished].reduce((sum, index) => sum + seriesOf(index), 0);
  const before = await fileState(path);
  const report = () => {
    const running = [...shares.values()].reduce((sum, share) => sum + share, 0);
    const share = Math.min(1, (finished + running) / shards.length);
    onProgress({ finished, total: shards.length, series, share });
  };
  await executor.run(
    left.map((index) => units[index]),
    async (event) => {
      const index = left[event.index];
      switch (event.kind) {
        case "started":
        case "record":
          break;
        case "progress":
          shares.set(index, event.progress);
          break;
        case "finished":
          await checkUnchanged();
          await folder.write(index, event.records);
          shares.delete(index);
          if (index < shards.length) finished++;
          series += seriesOf(index);
          break;
        case "failed":
          await checkUnchanged();
          shares.delete(index);
          failures.push({ shard: index + 1, message: event.message });
          break;
        default:
          event satisfies never;
      }
      report();
    },
    signal,
  );
  if (left.length > 0 && !signal.aborted) await checkHash();
  return failures.sort((a, b) => a.shard - b.shard);

  /** A cheap check; the hash of the whole file is compared at the end. */
  async function checkUnchanged(): Promise<void> {
    if ((await fileState(path)) !== before) await checkHash();
  }

  async function checkHash(): Promise<void> {
    const hash = await hashFile(path).catch(() => null);
    if (hash !== sha256) throw changed(path);
  }
}

/** Number of finished shards, without the sample. */
export function finishedShards({ finished }: Pick<ShardFolder, "finished">, total: number): number {
  return [...finished].filter((index) => index < total).length;
}

/** Identity, size and time of the last change of a file. */
async function fileState(path: string): Promise<string> {
  const info = await stat(path, { bigint: true }).catch(() => null);
  return info === null ? "missing" : [info.dev, info.ino, info.size, info.mtimeNs].join(" ");
}

function changed(path: string): UserError {
  return new UserError(
    `${path} changed while it was forecast: its SHA-256 is another one; run the command again in a new folder`,
  );
}
