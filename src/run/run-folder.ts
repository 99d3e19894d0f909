// A run on disk: a folder with a config, metrics, a checkpoint and samples.
//
// One process at a time writes to a run and holds its lock; any number of processes may read it. Even if a process is
// killed, at any moment, each file is complete, and the metrics include all iterations up to the checkpoint.

import { rm, rmdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writeFileAtomically } from "../disk/atomic-file.ts";
import { acquireLock, type Lock } from "../disk/lock.ts";
import { isMissing, readBytes, readText } from "../disk/open-file.ts";
import { RunNameError, withDiskErrors } from "../disk/run-error.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { MetricsFile, readEvents } from "./metrics-file.ts";
import { checkEmpty, createFolder, removeLeftovers } from "./new-folder.ts";
import { DESIGN_RUN, RUN_FILES } from "./run-files.ts";

export { checkAvailable, nextRunFolder } from "./new-folder.ts";

/** A run that is open for reading. */
export interface RunView {
  readonly folder: string;
  /** Content of `config.json`. */
  readonly configText: string;
  /** Bytes of the task file; null for a task of the registry. */
  readTask(): Promise<Uint8Array | null>;
  /** Bytes of the checkpoint; null if there is none yet. */
  readCheckpoint(): Promise<Uint8Array | null>;
  /** All events, without an incomplete last line. */
  readMetrics(): Promise<TrainEvent[]>;
  /** Content of `samples.csv`; null if there is none yet. */
  readSamples(): Promise<string | null>;
  /** Replaces `samples.csv`. */
  writeSamples(csv: string): Promise<void>;
}

/** A run that is open for writing. Its lock keeps other processes from writing to it. */
export interface Run extends RunView {
  /** Appends an event. Numbers that are not finite become the strings "NaN", "Infinity" and "-Infinity". */
  appendMetrics<E extends { readonly kind: string }>(event: E): void;
  /** Removes the first event after this iteration and everything behind it, so that the metrics match a checkpoint. */
  truncateMetrics(iteration: number): Promise<void>;
  /** Syncs the metrics to disk, then the checkpoint. */
  writeCheckpoint(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  /** Replaces `close` for a run that never started: deletes its files, and its folder if that is empty then. */
  discard(): Promise<void>;
}

/** Creates a run in a folder that does not exist or is empty. `files` has the bytes of files beside the config, by name: the
 * task file, and files that the config names. */
export async function createRun(
  folder: string,
  configText: string,
  files: Readonly<Record<string, Uint8Array>> = {},
): Promise<Run> {
  const path = resolve(folder);
  const isNewFolder = await createFolder(path);
  let lock: Lock | undefined;
  try {
    await checkEmpty(path);
    lock = await acquireLock(path);
    await checkEmpty(path); // another process may have created a run since
    await removeLeftovers(path);
    // The config is written last, because a folder with a config counts as a run.
    for (const [name, bytes] of Object.entries(files)) {
      const file = join(path, name);
      await withDiskErrors("written", file, () => writeFileAtomically(file, bytes));
    }
    const config = join(path, RUN_FILES.config);
    await withDiskErrors("written", config, () => writeFileAtomically(config, configText));
    return await writableRun(path, configText, lock, Object.keys(files));
  } catch (error) {
    await lock?.release();
    if (isNewFolder) await rmdir(path).catch(() => {}); // fails if the folder is not empty
    throw error;
  }
}

/** Opens a run for writing. */
export async function openForWriting(folder: string): Promise<Run> {
  const { folder: path, configText } = await viewRun(folder);
  const lock = await acquireLock(path);
  try {
    await removeLeftovers(path);
    return await writableRun(path, configText, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Opens a run for reading, also while another process writes to it. */
export async function viewRun(folder: string): Promise<RunView> {
  const path = await runInside(resolve(folder));
  const info = await withDiskErrors("read", path, () => stat(path)).catch((error: Error) => {
    if (!isMissing(error.cause)) throw error;
    throw new RunNameError(`there is no run at ${path}; check the name, or start a run`, {
      remedy: { action: "train" },
    });
  });
  if (!info.isDirectory()) throw new RunNameError(`${path} is a file; give the folder of a run`);
  const configText = await readText(join(path, RUN_FILES.config));
  if (configText === null) {
    throw new RunNameError(
      `${path} is not a run, because it has no ${RUN_FILES.config}; give the folder of a run`,
    );
  }
  return runView(path, configText);
}

/** The folder of the run. A design folder has it inside. */
export async function runInside(folder: string): Promise<string> {
  const inside = join(folder, DESIGN_RUN);
  const isDesign =
    (await readText(join(folder, RUN_FILES.config)).catch(() => null)) === null &&
    (await readText(join(inside, RUN_FILES.config)).catch(() => null)) !== null;
  return isDesign ? inside : folder;
}

function runView(folder: string, configText: string): RunView {
  const path = (file: keyof typeof RUN_FILES) => join(folder, RUN_FILES[file]);
  return {
    folder,
    configText,
    readTask: () => readBytes(path("task")),
    readCheckpoint: () => readBytes(path("checkpoint")),
    readMetrics: () => readEvents(path("metrics")),
    readSamples: () => readText(path("samples")),
    writeSamples: (csv) =>
      withDiskErrors("written", path("samples"), () => writeFileAtomically(path("samples"), csv)),
  };
}

/** `own`: names of files that `createRun` wrote beside the config. */
async function writableRun(
  folder: string,
  configText: string,
  lock: Lock,
  own: readonly string[] = [],
): Promise<Run> {
  const metrics = await MetricsFile.open(join(folder, RUN_FILES.metrics));
  const view = runView(folder, configText);
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
    ...view,
    appendMetrics: (event) => metrics.append(event),
    async readMetrics() {
      metrics.flush();
      return view.readMetrics();
    },
    async truncateMetrics(iteration) {
      await lock.check();
      await metrics.truncate(iteration);
    },
    async writeCheckpoint(bytes) {
      await lock.check();
      await metrics.sync();
      const path = join(folder, RUN_FILES.checkpoint);
      await withDiskErrors("written", path, () => writeFileAtomically(path, bytes));
    },
    close: () => close(async () => {}),
    async discard() {
      await close(async () => {
        await lock.check();
        for (const name of [RUN_FILES.metrics, RUN_FILES.checkpoint, RUN_FILES.config, ...own])
          await rm(join(folder, name), { force: true });
      });
      await rmdir(folder).catch(() => {});
    },
  };
}
