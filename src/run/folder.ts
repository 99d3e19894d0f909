// A run on disk: `runs/<name>/` with a config, metrics, a checkpoint and samples.
//
// One process writes to a run and holds its lock; any number may look at it meanwhile. Whatever moment a process ends
// at, each file is whole, and the metrics reach at least as far as the checkpoint.

import { rm, rmdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { TrainEvent } from "../gfn/events.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { MetricsFile, readEvents } from "./metrics-file.ts";
import { checkEmpty, makeFolder, removeLeftovers } from "./new-folder.ts";
import { onDisk, RunNameError } from "./run-error.ts";
import { isMissing, RUN_FILES, readText, readWhole } from "./run-files.ts";

export { checkNew, nextRunFolder } from "./new-folder.ts";

/** A run to look at. */
export interface SavedRun {
  readonly folder: string;
  /** What stands in `config.json`. */
  readonly configText: string;
  /** Null if there is none yet. */
  readCheckpoint(): Promise<Uint8Array | null>;
  /** All events, without a last one that is not whole. */
  readMetrics(): Promise<TrainEvent[]>;
  /** The text of `samples.csv`, null if there is none yet. */
  readSamples(): Promise<string | null>;
  writeSamples(csv: string): Promise<void>;
}

/** A run to go on with, which no other process writes to. */
export interface Run extends SavedRun {
  /** Numbers that are not finite are written as the strings "NaN", "Infinity" and "-Infinity". */
  appendMetrics(event: { readonly kind: string }): void;
  /** Drops everything from the first event after this iteration on: what a checkpoint does not know of. */
  truncateMetrics(iteration: number): Promise<void>;
  /** The metrics are safely on disk before the checkpoint is, and the checkpoint is when this returns. */
  writeCheckpoint(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  /** Instead of `close`, for a run that never began: removes it, and its folder if nothing else is in it. */
  discard(): Promise<void>;
}

/** Makes a new run in a folder that does not exist or is empty. */
export async function createRun(folder: string, configText: string): Promise<Run> {
  const path = resolve(folder);
  const made = await makeFolder(path);
  let lock: Lock | undefined;
  try {
    await checkEmpty(path);
    lock = await acquireLock(path);
    await checkEmpty(path); // another process may have been faster
    await removeLeftovers(path);
    const config = join(path, RUN_FILES.config);
    await onDisk("written", config, () => writeFileAtomically(config, configText));
    return await writable(path, configText, lock);
  } catch (error) {
    await lock?.release();
    if (made) await rmdir(path).catch(() => {}); // not if there is something in it
    throw error;
  }
}

/** Opens a run to go on with. */
export async function openRun(folder: string): Promise<Run> {
  const { folder: path, configText } = await viewRun(folder);
  const lock = await acquireLock(path);
  try {
    await removeLeftovers(path);
    return await writable(path, configText, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Opens a run to look at, also while another process writes to it. */
export async function viewRun(folder: string): Promise<SavedRun> {
  const path = resolve(folder);
  const info = await onDisk("read", path, () => stat(path)).catch((error: Error) => {
    if (!isMissing(error.cause)) throw error;
    throw new RunNameError(`there is no run at ${path}; check the name, or begin one with gflownet train`);
  });
  if (!info.isDirectory()) throw new RunNameError(`${path} is a file; give the folder of a run`);
  const configText = await readText(join(path, RUN_FILES.config));
  if (configText === null) {
    throw new RunNameError(
      `${path} is not a run, for it has no ${RUN_FILES.config}; give a folder that gflownet train made`,
    );
  }
  return saved(path, configText);
}

function saved(folder: string, configText: string): SavedRun {
  const path = (file: keyof typeof RUN_FILES) => join(folder, RUN_FILES[file]);
  return {
    folder,
    configText,
    readCheckpoint: () => readWhole(path("checkpoint")),
    readMetrics: () => readEvents(path("metrics")),
    readSamples: () => readText(path("samples")),
    writeSamples: (csv) =>
      onDisk("written", path("samples"), () => writeFileAtomically(path("samples"), csv)),
  };
}

async function writable(folder: string, configText: string, lock: Lock): Promise<Run> {
  const metrics = await MetricsFile.open(join(folder, RUN_FILES.metrics));
  const run = saved(folder, configText);
  let closed = false;
  const close = async (before: () => Promise<void>) => {
    if (closed) return;
    closed = true;
    try {
      await metrics.close();
      await before();
    } finally {
      await lock.release();
    }
  };
  return {
    ...run,
    appendMetrics: (event) => metrics.append(event),
    async readMetrics() {
      metrics.flush();
      return run.readMetrics();
    },
    async truncateMetrics(iteration) {
      await lock.check();
      await metrics.truncate(iteration);
    },
    async writeCheckpoint(bytes) {
      await lock.check();
      await metrics.sync();
      const path = join(folder, RUN_FILES.checkpoint);
      await onDisk("written", path, () => writeFileAtomically(path, bytes));
    },
    close: () => close(async () => {}),
    async discard() {
      await close(async () => {
        await lock.check();
        for (const name of [RUN_FILES.metrics, RUN_FILES.config])
          await rm(join(folder, name), { force: true });
      });
      await rmdir(folder).catch(() => {});
    },
  };
}
