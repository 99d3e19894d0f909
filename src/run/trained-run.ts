// A run folder with its task, training options and checkpoint: ready to evaluate, sample, export or resume.

import { join } from "node:path";
import {
  type CompleteConfig,
  completeConfig,
  parseConfigText,
  taskOf,
  trainOptionsOf,
} from "../config/index.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import { model as createModel } from "../gfn/policy/model.ts";
import { decodeCheckpoint } from "../gfn/training/checkpoint.ts";
import { stateNames } from "../gfn/training/network-state.ts";
import { checkCompatible, fingerprintOf, type Snapshot } from "../gfn/training/snapshot.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { withSource } from "../issues.ts";
import type { Task } from "../tasks/task.ts";
import { RunError } from "./run-error.ts";
import { RUN_FILES } from "./run-files.ts";
import { type RunView, viewRun } from "./run-folder.ts";
import type { TrainedModel } from "./run-sampler.ts";

/** A complete config with its task and training options. */
export interface ConfiguredRun {
  readonly config: CompleteConfig;
  readonly task: Task;
  readonly options: TrainOptions;
}

export interface TrainedRun extends TrainedModel, ConfiguredRun {
  readonly run: RunView;
}

/** Reads the config of a run, and builds its task and training options. */
export async function configuredRun(run: RunView): Promise<ConfiguredRun> {
  const source = join(run.folder, RUN_FILES.config);
  const parsed = await parseConfigText(run.configText, source);
  try {
    const config = await completeConfig(parsed);
    const task = await taskOf(config);
    return { config, task, options: await trainOptionsOf(config, task) };
  } catch (error) {
    throw withSource(error, source);
  }
}

/** The checkpoint of a run, or null if there is none yet. Throws a RunError if it does not belong to the config. */
export async function readSnapshot(run: RunView, { task, options }: ConfiguredRun): Promise<Snapshot | null> {
  const bytes = await run.readCheckpoint();
  if (!bytes) return null;
  const file = join(run.folder, RUN_FILES.checkpoint);
  const snapshot = decodeCheckpoint(bytes, file);
  const hasDynamics = learnsDynamics(options);
  const names = [...stateNames("policy"), ...(hasDynamics ? stateNames("dynamics") : [])];
  const fingerprint = fingerprintOf(createModel(task.environment, options), options, {
    learnsDynamics: hasDynamics,
    asks: false,
  });
  try {
    checkCompatible(snapshot, fingerprint, names);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RunError(`${file}: ${error.message}`, { cause: error });
  }
  return snapshot;
}

/** Opens a run that has a checkpoint. */
export async function openTrainedRun(folder: string): Promise<TrainedRun> {
  const run = await viewRun(folder);
  const configured = await configuredRun(run);
  const snapshot = await readSnapshot(run, configured);
  if (!snapshot) {
    throw new RunError(
      `${run.folder} has no checkpoint yet; train it first with: gflownet train --resume ${run.folder}`,
    );
  }
  const { task, options } = configured;
  return { run, ...configured, snapshot, model: createModel(task.environment, options) };
}
