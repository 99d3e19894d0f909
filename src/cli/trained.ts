// A run as it stands on disk, ready to be evaluated, drawn from, exported or trained further.

import { join } from "node:path";
import { decodeCheckpoint } from "../gfn/checkpoint.ts";
import { stateNames } from "../gfn/iteration.ts";
import { model as modelOf } from "../gfn/model.ts";
import { learnsDynamics } from "../gfn/settings.ts";
import { aboutOf, checkFit, type Snapshot } from "../gfn/snapshot.ts";
import type { TrainOptions } from "../gfn/train.ts";
import { type SavedRun, viewRun } from "../run/folder.ts";
import { RunError } from "../run/run-error.ts";
import { RUN_FILES } from "../run/run-files.ts";
import type { Task } from "../tasks/task.ts";
import { type CompleteConfig, completeConfig, parseConfigText, taskOf, trainOptionsOf } from "./config.ts";
import type { Assessed } from "./reader.ts";
import { inShell } from "./words.ts";

/** What a config stands for. */
export interface Configured {
  readonly config: CompleteConfig;
  readonly task: Task;
  readonly options: TrainOptions;
}

export interface TrainedRun extends Assessed, Configured {
  readonly run: SavedRun;
}

/** The config of a run, its task and what training takes. */
export async function configured(run: SavedRun): Promise<Configured> {
  const where = join(run.folder, RUN_FILES.config);
  const config = await completeConfig(parseConfigText(run.configText, where));
  const task = await taskOf(config);
  return { config, task, options: await trainOptionsOf(config, task) };
}

/** The checkpoint of a run, which must be of its config; null if there is none yet. */
export async function snapshotOf(run: SavedRun, { task, options }: Configured): Promise<Snapshot | null> {
  const bytes = await run.readCheckpoint();
  if (!bytes) return null;
  const where = join(run.folder, RUN_FILES.checkpoint);
  const snapshot = decodeCheckpoint(bytes, where);
  const about = { learnsDynamics: learnsDynamics(options.objective), asks: false };
  const names = [...stateNames("policy"), ...(about.learnsDynamics ? stateNames("dynamics") : [])];
  try {
    checkFit(snapshot, aboutOf(modelOf(task.environment, options), options, about), names);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RunError(`${where}: ${error.message}`, { cause: error });
  }
  return snapshot;
}

export async function openTrained(folder: string): Promise<TrainedRun> {
  const run = await viewRun(folder);
  const about = await configured(run);
  const snapshot = await snapshotOf(run, about);
  if (!snapshot) {
    throw new RunError(
      `${run.folder} has no checkpoint yet; train it first: gflownet train --resume ${inShell(run.folder)}`,
    );
  }
  return { run, ...about, snapshot, model: modelOf(about.task.environment, about.options) };
}
