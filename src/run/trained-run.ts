// A run folder with its task, training options and checkpoint: ready to evaluate, sample, export or resume.

import { join } from "node:path";
import {
  type CompleteConfig,
  completeConfig,
  parseConfigText,
  taskOf,
  trainOptionsOf,
} from "../config/index.ts";
import { RunError } from "../disk/run-error.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { isPreference } from "../gfn/environment/preference.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import { model as createModel, type Model } from "../gfn/policy/model.ts";
import type { ScoreFunction } from "../gfn/reward/cached-score-function.ts";
import { decodeCheckpoint } from "../gfn/training/checkpoint.ts";
import { stateNames } from "../gfn/training/network-state.ts";
import { checkCompatible, fingerprintOf, type Snapshot } from "../gfn/training/snapshot.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { UserError, withSource } from "../issues.ts";
import type { TaskOfRun } from "../tasks/task.ts";
import { customDefinition, customTask } from "./custom-task.ts";
import { RUN_FILES } from "./run-files.ts";
import { type RunView, viewRun } from "./run-folder.ts";
import { decodeTask, type StoredTask } from "./task-file.ts";

/** A complete config with its task and training options. */
export interface ConfiguredRun {
  readonly config: CompleteConfig;
  readonly task: TaskOfRun;
  readonly options: TrainOptions;
}

export interface TrainedRun extends ConfiguredRun {
  readonly run: RunView;
  readonly model: Model;
  readonly snapshot: Snapshot;
}

/** Parts of a run that its folder cannot hold: functions of the user. */
export interface OpenRunOptions {
  /** Replaces the environment of the folder. */
  readonly environment?: Environment;
  /** Replaces the scores of the folder. */
  readonly scores?: Float64Array | ScoreFunction;
}

/** Reads the config of a run, and builds its task and training options. */
export async function configuredRun(run: RunView, given: OpenRunOptions = {}): Promise<ConfiguredRun> {
  const source = join(run.folder, RUN_FILES.config);
  const stored = await storedTask(run);
  if (!stored) return registeredRun(run.configText, source);
  const environment = given.environment ?? stored.environment;
  if (!environment) {
    throw new UserError(
      `the environment of ${run.folder} is a program of your own, which is not stored; give a module that exports \`environment\` with --module, or give \`environment\` to \`openRun\``,
    );
  }
  const definition = customDefinition(environment);
  const parsed = await parseConfigText(run.configText, source, definition);
  try {
    const config = await completeConfig(parsed, definition);
    const scores = given.scores ?? stored.scores;
    const task = customTask(environment, scores instanceof Float64Array ? scores : null);
    const { offlineObjects, heldOutObjects, largestScore } = stored;
    const options = await trainOptionsOf(config, task, { scores, offlineObjects });
    const others = {
      ...(largestScore !== undefined && { largestScore }),
      ...(heldOutObjects && { heldOutObjects }),
    };
    return { config, task, options: { ...options, ...others } };
  } catch (error) {
    throw withSource(error, source);
  }
}

async function registeredRun(configText: string, source: string): Promise<ConfiguredRun> {
  const parsed = await parseConfigText(configText, source);
  try {
    const config = await completeConfig(parsed);
    const task = await taskOf(config);
    return { config, task, options: await trainOptionsOf(config, task) };
  } catch (error) {
    throw withSource(error, source);
  }
}

/** The task file of a run that was trained from TypeScript; null for a task of the registry. */
export async function storedTask(run: RunView): Promise<StoredTask | null> {
  const bytes = await run.readTask();
  return bytes && decodeTask(bytes, join(run.folder, RUN_FILES.task));
}

/** What a checkpoint of the run must agree with. */
export function runFingerprint({
  task,
  options,
}: Pick<ConfiguredRun, "task" | "options">): Record<string, string> {
  const model = createModel(task.environment, options);
  return fingerprintOf(model, options, { learnsDynamics: learnsDynamics(options) });
}

/** The checkpoint of a run, or null if there is none yet. Throws a RunError if it does not belong to the config. */
export async function readSnapshot(run: RunView, configured: ConfiguredRun): Promise<Snapshot | null> {
  const bytes = await run.readCheckpoint();
  if (!bytes) return null;
  const file = join(run.folder, RUN_FILES.checkpoint);
  try {
    return fittingSnapshot(bytes, file, configured);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const remedy = `restore ${RUN_FILES.config}, or start a new run with the changed settings`;
    throw new RunError(`${file}: ${error.message}; ${remedy}`, { cause: error });
  }
}

/** Reads the bytes of a checkpoint. `where` is its name in errors. Throws a RangeError if it does not belong to the config. */
export function fittingSnapshot(
  bytes: Uint8Array,
  where: string,
  { task, options }: Pick<ConfiguredRun, "task" | "options">,
): Snapshot {
  const snapshot = decodeCheckpoint(bytes, where);
  const hasDynamics = learnsDynamics(options);
  const names = [...stateNames("policy"), ...(hasDynamics ? stateNames("dynamics") : [])];
  checkCompatible(snapshot, runFingerprint({ task, options }), names);
  return snapshot;
}

/** Opens a run that has a checkpoint. */
export async function openTrainedRun(folder: string, given: OpenRunOptions = {}): Promise<TrainedRun> {
  const run = await viewRun(folder);
  const configured = await configuredRun(run, given);
  const snapshot = await readSnapshot(run, configured);
  if (!snapshot) {
    const { folder } = run;
    throw new RunError(`${folder} has no checkpoint yet; train it first`, {
      remedy: { action: "resume", folder },
    });
  }
  const { task, options } = configured;
  return { run, ...configured, snapshot, model: createModel(task.environment, options) };
}

/** A run that was trained with preferences, with another preference. Throws a UserError if it has none. */
export function runWithPreference(run: TrainedRun, preference: readonly number[]): TrainedRun {
  const { environment } = run.task;
  if (!isPreference(environment)) {
    const message = `${run.run.folder} was not trained with preferences; design with \`preferences: conditioned\``;
    throw new UserError([{ path: "preference", code: "conflict", message }]);
  }
  const preferred = environment.at(preference);
  const options = { ...run.options, environment: preferred, scores: preferred.scores };
  return {
    ...run,
    options,
    task: { ...run.task, environment: preferred, scores: preferred.scores },
    model: createModel(preferred, options),
  };
}
