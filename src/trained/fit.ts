// Trains a model in one call. `train` is the stream of events that `fit` consumes.

import type { EngineName } from "../engine/index.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { isPreference } from "../gfn/environment/preference.ts";
import type { EvaluationOptions } from "../gfn/evaluate/model-evaluator.ts";
import type { ScoreFunction } from "../gfn/reward/cached-score-function.ts";
import { callBudgetDataSettings, callBudgetSettings } from "../gfn/training/call-budget-defaults.ts";
import { DATA_SET_KEYS, type DataSetSettings } from "../gfn/training/data-set-settings.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { SettingsInput } from "../gfn/training/settings.ts";
import { INPUT_KEYS } from "../gfn/training/settings-table.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { type TrainOptions, train } from "../gfn/training/train.ts";
import { type Issue, throwIssues, UserError } from "../issues.ts";
import { nearest } from "../settings/nearest.ts";
import type { Task } from "../tasks/task.ts";
import { type Storage, type Trained, trainedModel } from "./trained.ts";

/** What to train on, for how long, and any settings that differ from the defaults of the environment. */
export interface FitOptions
  extends SettingsInput,
    Pick<
      TrainOptions,
      | "iterations"
      | "seconds"
      | "evaluateEvery"
      | "checkpointEvery"
      | "residuals"
      | "signal"
      | "offlineObjects"
      | "largestScore"
      | "calls"
    >,
    Partial<DataSetSettings>,
    EvaluationOptions {
  /** The environment. A plain environment brings its scores; for another one, give `scores` too. */
  readonly environment?: Environment & { readonly scores?: Float64Array };
  /** A score for each object: a table of all scores, or a function from texts to scores, which may be asynchronous. */
  readonly scores?: Float64Array | ScoreFunction;
  /** A task, instead of `environment` and `scores`. */
  readonly task?: Task;
  /** Seed of all random numbers. Default: 0. */
  readonly seed?: number;
  /** Default: native if its library can be loaded, else jax. */
  readonly engine?: EngineName;
  /** Threads of the native engine. Default: 1. */
  readonly threads?: number;
  /** Receives every event of the training, for example to show progress. */
  readonly onEvent?: (event: TrainEvent) => void;
}

/** `fit` for a storage. */
export function fitWith(storage: Storage) {
  return async ({ onEvent, ...options }: FitOptions): Promise<Trained> => {
    const complete = completeOptions(options);
    const events: TrainEvent[] = [];
    let snapshot: Snapshot | undefined;
    for await (const event of train(complete)) {
      if (event.kind === "checkpoint") snapshot = event.snapshot;
      else events.push(event);
      onEvent?.(event);
    }
    if (!snapshot) throw new Error("internal: the training ended without a checkpoint");
    return trainedModel({ options: complete, snapshot, events }, storage);
  };
}

/** The options of `train`: defaults of the environment are filled in, and the task is taken apart. */
export function completeOptions(options: Omit<FitOptions, "onEvent">): TrainOptions {
  checkNames(options);
  const { task, seed = 0 } = options;
  const environment = options.environment ?? task?.environment;
  const scores = options.scores ?? task?.scores ?? options.environment?.scores;
  if (!environment) throw new UserError("fit needs `environment`, or else `task`");
  if (task && options.environment) throw new UserError("fit takes `environment` or `task`, not both");
  if (options.scores && isPreference(environment)) {
    throw new UserError("an environment with preferences brings the scores of its objectives; omit `scores`");
  }
  if (!scores) {
    throw new UserError(
      `fit needs \`scores\`, a table or a function with a score for each object of ${environment.name}`,
    );
  }
  const others = Object.entries(options).filter(([name]) => !isSetting(name) && name !== "task");
  return {
    ...(options.calls === undefined
      ? defaultSettings(environment, settingsIn(options))
      : {
          ...callBudgetSettings(environment, settingsIn(options)),
          ...callBudgetDataSettings(environment, options),
        }),
    ...(task && { modes: task }),
    ...Object.fromEntries(others),
    environment,
    scores,
    seed,
  };
}

/** Options of `fit` that are not settings of training. */
const OTHER_NAMES: readonly string[] = [
  "environment",
  "scores",
  "task",
  "seed",
  "engine",
  "threads",
  "iterations",
  "seconds",
  "evaluateEvery",
  "checkpointEvery",
  "residuals",
  "signal",
  "offlineObjects",
  "largestScore",
  "calls",
  ...(Object.keys(DATA_SET_KEYS) as (keyof DataSetSettings)[]),
  "samples",
  "heldOutObjects",
  "modes",
  "evaluation",
] satisfies (keyof FitOptions)[];

function isSetting(name: string): boolean {
  return Object.hasOwn(INPUT_KEYS, name);
}

function settingsIn(options: object): SettingsInput {
  return Object.fromEntries(Object.entries(options).filter(([name]) => isSetting(name)));
}

/** Throws a UserError that names all unknown options. Types find them only in programs that are type-checked. */
function checkNames(options: object): void {
  const known = [...OTHER_NAMES, ...Object.keys(INPUT_KEYS)];
  throwIssues(
    Object.keys(options).flatMap((path): Issue[] => {
      if (known.includes(path)) return [];
      const meant = nearest(path, known);
      const message = `there is no such option of fit${meant ? `; did you mean \`${meant}\`?` : ""}`;
      return [{ path, code: "unknown", message }];
    }),
  );
}
