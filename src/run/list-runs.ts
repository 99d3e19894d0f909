// Lists the runs in a folder with a summary of each. A broken run is listed with its problem and does not hide the others.

import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isLocked } from "../disk/lock.ts";
import { isMissing, openIfExists } from "../disk/open-file.ts";
import { withDiskErrors } from "../disk/run-error.ts";
import type { EvaluationEvent, TrainEvent } from "../gfn/training/events.ts";
import { eventsFromEnd, iterationOf } from "./event-lines.ts";
import { RUN_FILES } from "./run-files.ts";
import { runInside, viewRun } from "./run-folder.ts";

/** A run in a list of runs. */
export interface RunSummary {
  /** Name of the folder of the run. */
  readonly name: string;
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Name of the task; null for a broken run. */
  readonly task: string | null;
  /** Whether a process is training the run, it has ended, it was interrupted, or it cannot be read. */
  readonly state: "running" | "finished" | "interrupted" | "broken";
  /** The last iteration in the metrics; null if there is none. */
  readonly iteration: number | null;
  /** The last evaluation in the metrics; null if there is none. */
  readonly lastEvaluation: EvaluationEvent | null;
  /** The problem of a broken run, in one sentence; null for other runs. */
  readonly problem: string | null;
}

/** The last evaluation is looked for in this many bytes at the end of the metrics. */
const MAX_SEARCH_BYTES = 2 ** 26;

/** A folder with one of these files counts as a run. */
export const IDENTIFYING_FILES: readonly string[] = [
  RUN_FILES.config,
  RUN_FILES.metrics,
  RUN_FILES.checkpoint,
];

/**
 * Lists the runs in a folder, in natural order of their names; none if the folder does not exist. Folders without files of
 * a run are skipped, and design folders count as the run inside them.
 *
 * @example
 * ```ts
 * import { fit, hypergridTask, listRuns } from "gflownet";
 *
 * const task = hypergridTask({ stick: 0.25, side: 3 });
 * const trained = await fit({ task, iterations: 5, batch: 8, hidden: [16] });
 * await trained.save("runs/mine");
 * for (const { name, state, iteration } of await listRuns("runs")) console.log(name, state, iteration);
 * ```
 */
export async function listRuns(base: string): Promise<RunSummary[]> {
  const path = resolve(base);
  const entries = await withDiskErrors("read", path, () => readdir(path, { withFileTypes: true })).catch(
    (error: Error) => {
      if (isMissing(error.cause)) return [];
      throw error;
    },
  );
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const runs: RunSummary[] = [];
  for (const name of names) {
    const folder = await runInside(join(path, name));
    if (await containsRun(folder)) runs.push(await summaryOf(name, folder));
  }
  return runs;
}

/** Also true for a folder that cannot be read, so that the problem is listed. */
async function containsRun(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => null);
  return names?.some((name) => IDENTIFYING_FILES.includes(name)) ?? true;
}

async function summaryOf(name: string, folder: string): Promise<RunSummary> {
  const empty = { task: null, iteration: null, lastEvaluation: null, problem: null };
  try {
    const locked = await isLocked(folder);
    const events = await latestEvents(join(folder, RUN_FILES.metrics));
    return {
      ...empty,
      name,
      folder,
      task: configOf((await viewRun(folder)).configText).task,
      state: stateOf(locked, events.at(-1)),
      iteration: events.map(iterationOf).findLast((iteration) => iteration !== undefined) ?? null,
      lastEvaluation: events.findLast((event) => event.kind === "evaluation") ?? null,
    };
  } catch (error) {
    return { ...empty, name, folder, state: "broken", problem: (error as Error).message };
  }
}

/** The state of a run that can be read, by its lock and the last event of its metrics. */
export function stateOf(
  isLocked: boolean,
  last: TrainEvent | undefined,
): "running" | "finished" | "interrupted" {
  if (isLocked) return "running";
  return last?.kind === "end" ? "finished" : "interrupted";
}

/** The config of a run, as far as a list needs it: an object with a task. */
export function configOf(configText: string): Readonly<Record<string, unknown>> & { readonly task: string } {
  let config: unknown;
  try {
    config = JSON.parse(configText);
  } catch {
    throw new Error(`its ${RUN_FILES.config} is not JSON`);
  }
  const task = (config as { readonly task?: unknown } | null)?.task;
  if (typeof task !== "string") throw new Error(`its ${RUN_FILES.config} has no task`);
  return config as Readonly<Record<string, unknown>> & { readonly task: string };
}

export interface LatestOptions {
  /** Kinds of events of which the last one is looked for. Default: evaluations. */
  readonly kinds?: readonly TrainEvent["kind"][];
  /** Bytes at the end of the file in which they are looked for. */
  readonly most?: number;
}

/** Events at the end of the metrics, in order, as far back as the last ones of some kinds. */
export async function latestEvents(
  path: string,
  { kinds = ["evaluation"], most = MAX_SEARCH_BYTES }: LatestOptions = {},
): Promise<TrainEvent[]> {
  const file = await openIfExists(path);
  if (!file) return [];
  try {
    const missing = new Set(kinds);
    const events: TrainEvent[] = [];
    for await (const event of eventsFromEnd(file, most)) {
      events.push(event);
      missing.delete(event.kind);
      if (missing.size === 0) break;
    }
    return events.reverse();
  } finally {
    await file.close();
  }
}
