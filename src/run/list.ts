// All runs in a folder, at a glance. One that is broken is listed as such and keeps no other from being seen.

import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EvaluationEvent, TrainEvent } from "../gfn/events.ts";
import { viewRun } from "./folder.ts";
import { isLocked } from "./lock.ts";
import { iterationOf, lastEvents } from "./metrics-lines.ts";
import { onDisk } from "./run-error.ts";
import { isMissing, openToRead, RUN_FILES } from "./run-files.ts";

export interface RunSummary {
  readonly name: string;
  readonly folder: string;
  readonly task: string | null;
  readonly state: "running" | "finished" | "interrupted" | "broken";
  /** The last iteration that the metrics know of. */
  readonly iteration: number | null;
  readonly lastEvaluation: EvaluationEvent | null;
  /** Of a broken run: what is wrong, in one sentence. */
  readonly problem: string | null;
}

/** Evaluations are looked for in so many bytes at the end of the metrics, and if there are none in more. */
const FIRST_LOOK = 2 ** 16;
const LAST_LOOK = 2 ** 26;

/** What stays of a run once it has begun. */
const LASTING: readonly string[] = [RUN_FILES.config, RUN_FILES.metrics, RUN_FILES.checkpoint];

/** By name, with numbers in their order. None if there is no such folder. Folders without a file of a run are left out. */
export async function listRuns(base: string): Promise<RunSummary[]> {
  const path = resolve(base);
  const entries = await onDisk("read", path, () => readdir(path, { withFileTypes: true })).catch(
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
    if (await hasFileOfRun(join(path, name))) runs.push(await summaryOf(name, join(path, name)));
  }
  return runs;
}

/** Also true of a folder that cannot be looked into: that is worth a word. */
async function hasFileOfRun(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => null);
  return names?.some((name) => LASTING.includes(name)) ?? true;
}

async function summaryOf(name: string, folder: string): Promise<RunSummary> {
  const nothing = { task: null, iteration: null, lastEvaluation: null, problem: null };
  try {
    const locked = await isLocked(folder);
    const events = await latest(join(folder, RUN_FILES.metrics));
    const last = events.at(-1);
    return {
      ...nothing,
      name,
      folder,
      task: taskOf((await viewRun(folder)).configText),
      state: locked ? "running" : last?.kind === "end" ? "finished" : "interrupted",
      iteration: events.map(iterationOf).findLast((iteration) => iteration !== undefined) ?? null,
      lastEvaluation: events.findLast((event) => event.kind === "evaluation") ?? null,
    };
  } catch (error) {
    return { ...nothing, name, folder, state: "broken", problem: (error as Error).message };
  }
}

function taskOf(configText: string): string {
  let config: unknown;
  try {
    config = JSON.parse(configText);
  } catch {
    throw new Error(`its ${RUN_FILES.config} is not JSON`);
  }
  const task = (config as { readonly task?: unknown } | null)?.task;
  if (typeof task !== "string") throw new Error(`its ${RUN_FILES.config} names no task`);
  return task;
}

/** Events at the end of the metrics, with an evaluation among them if there is any. */
async function latest(path: string): Promise<TrainEvent[]> {
  const file = await openToRead(path).catch((error: Error) => {
    if (isMissing(error.cause)) return null;
    throw error;
  });
  if (!file) return [];
  try {
    const { size } = await file.stat();
    let events: TrainEvent[] = [];
    for (let bytes = FIRST_LOOK; bytes <= LAST_LOOK; bytes *= 8) {
      events = await lastEvents(file, bytes);
      if (bytes >= size || events.some(({ kind }) => kind === "evaluation")) break;
    }
    return events;
  } finally {
    await file.close();
  }
}
