// The finished shards of a backtest on disk, so that a command that was killed continues where it stopped. Only the process
// that holds the lock writes.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { acquireLock } from "../../disk/lock.ts";
import { isMissing } from "../../disk/open-file.ts";
import { withDiskErrors } from "../../disk/run-error.ts";
import { jsonText, parseJson } from "../../executor/json-text.ts";
import type { Json, Unit } from "../../executor/unit.ts";
import { UserError } from "../../issues.ts";
import { checkAvailable, createFolder } from "../../run/new-folder.ts";

/** The folder of finished shards, inside that of the results. */
const SHARDS = "shards";
const PLAN = "plan.json";
const LOCK = "shards.lock";

export interface ShardFolder {
  /** The folder of the results. */
  readonly path: string;
  /** Indices of the units whose records are here. */
  readonly finished: ReadonlySet<number>;
  /** Files of shards that could not be read; their units run again. */
  readonly damaged: readonly string[];
  write(index: number, records: readonly Json[]): Promise<void>;
  read(index: number): Promise<readonly Json[]>;
  /** Removes the shards, once the results are written. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Throws unless the folder is new, or has shards of a command that did not end. */
export async function checkShardFolder(path: string): Promise<void> {
  if (!(await hasShards(path))) await checkAvailable(path, "backtest");
}

/**
 * Opens a folder for the records of these units. Throws if it has shards of other units, or if another process uses it.
 * `check` throws if records are damaged.
 */
export async function openShardFolder(
  path: string,
  units: readonly Unit[],
  version: string,
  check: (records: readonly Json[]) => void,
): Promise<ShardFolder> {
  await checkShardFolder(path);
  await createFolder(path);
  const folder = join(path, SHARDS);
  const lock = await acquireLock(path, LOCK);
  const fileOf = (index: number) => join(folder, `${String(index + 1).padStart(6, "0")}.json`);
  const read = async (index: number): Promise<readonly Json[]> => {
    const file = fileOf(index);
    const records = parseJson(await withDiskErrors("read", file, () => readFile(file, "utf8")));
    if (!Array.isArray(records)) throw new Error(`${file} is damaged`);
    return records;
  };
  try {
    await checkPlan(path, folder, planId(units, version));
    const finished = new Set<number>();
    const damaged: string[] = [];
    const names = new Set(await readdir(folder));
    for (const index of units.keys()) {
      const file = fileOf(index);
      if (!names.has(file.slice(folder.length + 1))) continue;
      try {
        check(await read(index));
        finished.add(index);
      } catch {
        damaged.push(file);
      }
    }
    return {
      ...{ path, finished, damaged, read },
      async write(index, records) {
        const file = fileOf(index);
        await lock.check();
        await withDiskErrors("written", file, () => writeFileAtomically(file, jsonText([...records])));
      },
      clear: () => rm(folder, { recursive: true, force: true }),
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function hasShards(path: string): Promise<boolean> {
  const names = await readdir(path).catch((error: unknown): string[] => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names.includes(SHARDS);
}

/** Writes which units the folder is for, or checks that it is for the same. */
async function checkPlan(path: string, folder: string, id: string): Promise<void> {
  await withDiskErrors("written", folder, () => mkdir(folder, { recursive: true }));
  const file = join(folder, PLAN);
  const found = await readFile(file, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null) return writeFileAtomically(file, `${jsonText({ units: id })}\n`);
  if (found.includes(id)) return;
  throw new UserError(
    `${path} has shards of other data, options or another version; choose another folder, or remove it`,
  );
}

/** A hash of all units and the version: shards of different plans never mix. */
function planId(units: readonly Unit[], version: string): string {
  const hash = createHash("sha256").update(version);
  for (const { kind, settings, inputs = {} } of units) hash.update(jsonText({ kind, settings, inputs }));
  return hash.digest("hex");
}
