// The result of a training as a playground file, which `gflownet import` makes a run of.

import { type FilledConfig, withDefaults } from "../config/fill-defaults.ts";
import { type PlaygroundData, writePlaygroundFile } from "../formats/playground-file.ts";
import { isSequence } from "../gfn/environment/capabilities.ts";
import { encodeCheckpoint } from "../gfn/training/checkpoint.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { exampleData, type OwnData } from "./own-data.ts";
import type { Problem } from "./problem.ts";

/** Iterations between logged metrics, as in runs of the command line by default. */
const LOG_EVERY = 10;

/** The config with which the command line builds the same problem and trains in the same way. */
export function configOf(
  problem: Pick<Problem, "settings" | "task" | "training">,
  evaluateEvery: number,
): Promise<FilledConfig> {
  const { settings, training } = problem;
  const { iterations, seed } = settings;
  const run = { iterations, seed, evaluateEvery, logEvery: LOG_EVERY };
  return withDefaults({ ...taskOptions(problem), ...training, ...run });
}

/** The task and its options. Names of files stand for their contents, which the file has, too. */
function taskOptions({ settings, task }: Pick<Problem, "settings" | "task">) {
  const { problem, stick, side, reward, missing, variable } = settings;
  const { environment } = task;
  if (problem === "tfbind8") return { task: "tfbind8", stick };
  if (problem === "table") {
    if (!isSequence(environment)) throw new Error("internal: a table has strings");
    const { alphabet, length } = environment;
    return { task: "table", stick, scores: "scores.csv", alphabet, length, missing, variable };
  }
  const own = { formula: { reward }, picture: { picture: "picture.png" }, hypergrid: {} }[problem];
  return { task: "hypergrid", stick, side, ...own };
}

/** The contents of the files that the options of the task name. */
function dataOf({ settings }: Pick<Problem, "settings">, data: OwnData): Record<string, PlaygroundData> {
  const { table, picture } = { ...exampleData(), ...data };
  if (settings.problem === "table") {
    return { scores: { name: table.name, bytes: new TextEncoder().encode(table.text) } };
  }
  return settings.problem === "picture" ? { picture: { name: picture.name, bytes: picture.png } } : {};
}

/** An event as the file has it, and small enough to be kept. */
export function withoutTables(event: TrainEvent): TrainEvent {
  if (event.kind !== "evaluation" || !event.exact) return event;
  const { tables: _, ...rest } = event;
  return rest;
}

/** The text of the file. */
export async function resultFile(
  problem: Problem,
  data: OwnData,
  trained: {
    readonly evaluateEvery: number;
    readonly snapshot: Snapshot;
    readonly events: readonly TrainEvent[];
  },
): Promise<string> {
  const metrics = trained.events.filter(
    (event) => event.kind !== "iteration" || event.iteration % LOG_EVERY === 0,
  );
  return writePlaygroundFile({
    config: await configOf(problem, trained.evaluateEvery),
    data: dataOf(problem, data),
    checkpoint: encodeCheckpoint(trained.snapshot),
    metrics,
  });
}
