// Builds the task and the options of `train` from a complete config.

import { rewardTable } from "../gfn/reward/reward.ts";
import { checkSettings } from "../gfn/training/check-settings.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { SETTING_KEYS } from "../gfn/training/settings-table.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { type Issue, throwIssues, UserError } from "../issues.ts";
import type { Key } from "../settings/keys.ts";
import { hasScoreTable, type Task, type TaskOfRun } from "../tasks/task.ts";
import type { TaskFile } from "../tasks/task-definition.ts";
import { checkMemory, type Purpose } from "./check-memory.ts";
import { type CompleteConfig, type Config, definitionOf, fingerprintKey, TASK_NAMES } from "./config.ts";
import { taskOptions } from "./fill-defaults.ts";
import { readNamedFile } from "./named-file.ts";
import { problemOf } from "./problem-of.ts";

/** Builds the task of a config. Throws a UserError if a file is missing, damaged or changed, or if the purpose would take
 * more memory than there is. */
export async function taskOf(config: Config, purpose: Purpose = "train"): Promise<Task> {
  await checkMemory(config, purpose);
  const definition = definitionOf(config);
  const options = await taskOptions(config);
  const files: Record<string, TaskFile> = {};
  for (const [name, { file }] of Object.entries<Key>(definition.keys)) {
    const value = options[name] as string | undefined;
    if (!file || value === undefined || file.builtIn.includes(value)) continue;
    files[name] = await readNamedFile(name, value, config[fingerprintKey(name)]);
  }
  const { task } = await definition.load();
  return task(options, files);
}

/** Parts of the options of `train` that a config does not have, for a task that is not in the registry. */
interface CustomParts {
  /** Null if the score function is not available; such options can sample, but not train. */
  readonly scores: TrainOptions["scores"] | null;
  readonly offlineObjects?: readonly string[];
}

/** Reads the offline objects, if any. Throws a UserError if something does not fit the task. */
export async function trainOptionsOf(
  config: CompleteConfig,
  task: TaskOfRun,
  { scores, offlineObjects: given }: CustomParts = { scores: task.scores },
): Promise<TrainOptions> {
  const settings = settingsOf(config);
  const { rewardExponent: exponent, rewardFloor: floor, offlineFile } = config;
  const { environment } = task;
  checkSettings(settings, {
    environment,
    scores: scores instanceof Float64Array ? "table" : "function",
    hasOfflineObjects: offlineFile !== undefined || given !== undefined,
    residuals: config.residuals,
  });
  if (scores instanceof Float64Array) checkRewards(scores, task, { exponent, floor });
  const offlineObjects = offlineFile === undefined ? given : await readOfflineObjects(config, task);
  return {
    ...settings,
    environment,
    scores: scores as TrainOptions["scores"],
    // A run that was trained from TypeScript has no options: its task is in its folder.
    ...(TASK_NAMES.includes(config.task) && { problem: problemOf(config) }),
    ...(offlineObjects && { offlineObjects }),
    ...lengthOf(config),
    evaluateEvery: config.evaluateEvery,
    samples: config.samples,
    residuals: config.residuals,
    ...(hasScoreTable(task) && { modes: task }),
    seed: config.seed,
    engine: config.engine,
    threads: config.threads,
  };
}

/** The length of the run, as the one option that gives it. */
function lengthOf({
  iterations,
  seconds,
  plan,
}: CompleteConfig): Pick<TrainOptions, "iterations" | "seconds" | "plan"> {
  if (plan !== undefined) return { plan };
  return seconds === undefined ? { iterations } : { seconds };
}

/** The settings of training of a complete config. */
export function settingsOf(config: CompleteConfig): Settings {
  const names = Object.keys(SETTING_KEYS);
  return Object.fromEntries(names.map((name) => [name, config[name]])) as unknown as Settings;
}

/** Throws a UserError if the scores of a task make no rewards. */
export function checkRewards(
  scores: Float64Array,
  { decode }: Pick<Task, "decode">,
  reward: { readonly exponent: number; readonly floor: number },
): void {
  try {
    rewardTable(scores, { ...reward, decode });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(error.message, { cause: error });
  }
}

/** Objects of a file, one per line, as the task writes them. */
async function readOfflineObjects(config: CompleteConfig, task: TaskOfRun): Promise<string[]> {
  const key = "offlineFile";
  const { text, path } = await readNamedFile(key, config.offlineFile as string, config[fingerprintKey(key)]);
  const issues: Issue[] = [];
  const objects = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .flatMap((line, i) => {
      if (line.trim() === "") return [];
      try {
        return [task.decode(task.encode(line.trim()))];
      } catch (error) {
        issues.push(fileIssue(`${path}, line ${i + 1}: ${(error as Error).message}`));
        return [];
      }
    });
  if (issues.length > MOST_LINES) {
    issues.splice(MOST_LINES, issues.length, fileIssue(`and ${issues.length - MOST_LINES} more lines`));
  }
  throwIssues(issues);
  if (objects.length === 0) throwIssues([fileIssue(`${path} has no objects; write one per line`)]);
  return objects;

  function fileIssue(message: string): Issue {
    return { path: key, code: "file", message };
  }
}

/** Largest number of invalid lines that the error lists: a wrong file has thousands of them. */
const MOST_LINES = 10;
