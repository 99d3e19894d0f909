// Run folders as trained models: `saveRun` writes one, and `openRun` reads one that `save` or the command line wrote.

import { resolve } from "node:path";
import { type CompleteConfig, completeConfig, configText } from "../config/index.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { encodeCheckpoint } from "../gfn/training/checkpoint.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { SETTING_KEYS } from "../gfn/training/settings-table.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { type Storage, type Trained, trainedModel } from "../trained/trained.ts";
import { CUSTOM_TASK, customDefinition } from "./custom-task.ts";
import { RUN_FILES } from "./run-files.ts";
import { createRun, type Run } from "./run-folder.ts";
import { encodeTask } from "./task-file.ts";
import { type OpenRunOptions, openTrainedRun } from "./trained-run.ts";

/** Iterations between logged metrics, as in the command line's runs by default. */
const LOG_EVERY = 10;

/** The file system of Node. */
export const runStorage: Storage = { save: saveRun };

/** Saves a trained model in a folder that does not exist or is empty. Functions of the user are not stored. */
export async function saveRun(folder: string, trained: Trained): Promise<void> {
  const { environment, options, snapshot, events } = trained;
  const run = await createCustomRun(folder, environment, {
    ...options,
    iterations: snapshot.iterations ?? snapshot.iteration,
  });
  try {
    for (const event of events) if (isLogged(event)) run.appendMetrics(event);
    await run.writeCheckpoint(encodeCheckpoint(snapshot));
  } finally {
    await run.close();
  }
}

/** Creates the folder of a run whose task is not in the registry, in a folder that does not exist or is empty. */
export async function createCustomRun(
  folder: string,
  environment: Environment,
  options: TrainOptions,
): Promise<Run> {
  const { scores, offlineObjects, heldOutObjects, largestScore } = options;
  const task = encodeTask({
    environment,
    scores: scores instanceof Float64Array ? scores : null,
    offlineObjects,
    heldOutObjects,
    largestScore,
  });
  const text = configText(await configOf(environment, options));
  return createRun(resolve(folder), text, { [RUN_FILES.task]: task });
}

/**
 * Opens a run folder as a trained model. `given` has the functions of a run that was trained from TypeScript, which its
 * folder cannot hold: `evaluate` needs its score function, everything else works without it.
 *
 * @example
 * ```ts
 * import { fit, openRun, sequenceEnvironment } from "gflownet";
 *
 * const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25 });
 * const scores = (texts: readonly string[]) => texts.map((text) => text.split("A").length);
 * const trained = await fit({ environment, scores, iterations: 20, hidden: [16] });
 * await trained.save("runs/mine");
 * const again = await openRun("runs/mine");
 * console.log((await again.sample(3)).map(({ object }) => object));
 * ```
 */
export async function openRun(folder: string, given: OpenRunOptions = {}): Promise<Trained> {
  const { options, snapshot, run } = await openTrainedRun(folder, given);
  const events = await run.readMetrics();
  return trainedModel({ options, snapshot, events }, runStorage);
}

async function configOf(environment: Environment, options: TrainOptions): Promise<CompleteConfig> {
  const settings = Object.keys(SETTING_KEYS).map((name) => [name, options[name as keyof typeof options]]);
  const { seed, engine, threads, evaluateEvery = 0, residuals, samples, iterations, seconds } = options;
  return completeConfig(
    {
      ...Object.fromEntries(settings),
      task: CUSTOM_TASK,
      ...(iterations === undefined ? { seconds } : { iterations }),
      ...{
        evaluateEvery,
        checkpointEvery: 0,
        logEvery: LOG_EVERY,
        residuals,
        samples,
        seed,
        engine,
        threads,
      },
    },
    customDefinition(environment),
  );
}

/** Whether an event is written to the metrics of a run. */
export function isLogged(event: TrainEvent): boolean {
  if (event.kind === "checkpoint") return false;
  return event.kind !== "iteration" || event.iteration % LOG_EVERY === 0;
}
