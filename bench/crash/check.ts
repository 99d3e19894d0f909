// Checks the folder of a run after a kill, and compares a finished run with an uninterrupted run.

import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseConfigText } from "../../src/config/index.ts";
import { isTemporaryOf } from "../../src/disk/atomic-file.ts";
import { isLockFile, isLockLeftover } from "../../src/disk/lock.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/gfn/training/checkpoint.ts";
import type { Snapshot } from "../../src/gfn/training/snapshot.ts";
import { listRuns } from "../../src/run/list-runs.ts";
import { RUN_FILES } from "../../src/run/run-files.ts";

/** Content of the folder of an uninterrupted run, without values such as times that differ from run to run. */
export interface Reference {
  readonly config: string;
  /** Events as JSON, without start events and times. */
  readonly events: readonly string[];
  readonly checkpoint: Uint8Array;
  readonly iterations: number;
  readonly samples: string;
}

/** Progress of a run. The stage `at the end` means that the last checkpoint is written, but the end event is not. */
export type Stage = "no config" | "no checkpoint" | "training" | "at the end" | "ended";

export interface Finding {
  readonly stage: Stage;
  /** Iteration of the checkpoint. 0 without a checkpoint. */
  readonly iteration: number;
  readonly problems: readonly string[];
}

export async function referenceOf(folder: string): Promise<Reference> {
  const read = (file: string) => readFile(join(folder, file));
  const snapshot = decodeCheckpoint(await read(RUN_FILES.checkpoint), "reference");
  return {
    config: await readFile(join(folder, RUN_FILES.config), "utf8"),
    events: eventsIn(await readFile(join(folder, RUN_FILES.metrics), "utf8")),
    checkpoint: checkpointWithoutTime(snapshot),
    iterations: snapshot.iteration,
    samples: await readFile(join(folder, RUN_FILES.samples), "utf8"),
  };
}

/**
 * Checks the folder after a process has ended in any way. `before` is the result of this check after the previous
 * process.
 */
export async function inspect(folder: string, reference: Reference, before?: Finding): Promise<Finding> {
  const problems: string[] = [];
  const attempt = async <T>(what: string, read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const names = await readdir(folder).catch(() => [] as string[]);
  problems.push(
    ...names.filter((name) => !isRunFileOrLeftover(name)).map((name) => `${name} is not a file of a run`),
  );
  const read = (file: string) =>
    readFile(join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });

  const config = await read(RUN_FILES.config);
  if (!config) {
    const extra = names.filter((name) => !name.startsWith(".") && name !== RUN_FILES.lock);
    problems.push(...extra.map((name) => `${name} exists without a ${RUN_FILES.config}`));
    if (before && before.stage !== "no config") problems.push(`${RUN_FILES.config} was lost`);
    return { stage: "no config", iteration: 0, problems };
  }
  await attempt(RUN_FILES.config, () => parseConfigText(config.toString(), RUN_FILES.config));
  if (config.toString() !== reference.config)
    problems.push(`${RUN_FILES.config} differs from the config of the run`);

  const bytes = await read(RUN_FILES.checkpoint);
  const snapshot = bytes
    ? await attempt(RUN_FILES.checkpoint, () => decodeCheckpoint(bytes, RUN_FILES.checkpoint))
    : undefined;
  const iteration = snapshot?.iteration ?? 0;
  if (before && iteration < before.iteration) {
    problems.push(`the checkpoint went back from iteration ${before.iteration} to ${iteration}`);
  }

  const metrics = await read(RUN_FILES.metrics);
  const events = await attempt(RUN_FILES.metrics, () => eventsIn(metrics?.toString() ?? ""));
  if (events) {
    problems.push(...eventDifferences(events, reference.events));
    const due = reference.events.filter((event) => iterationIn(event) <= iteration && !isEnd(event));
    if (snapshot && events.length < due.length) {
      problems.push(
        `the checkpoint is at iteration ${iteration}, but the metrics have only ${events.length} of ${due.length} events up to it`,
      );
    }
  }

  const samples = await read(RUN_FILES.samples);
  if (samples && samples.toString() !== reference.samples) problems.push(`${RUN_FILES.samples} differs`);

  const ended = events?.some(isEnd) ?? false;
  const listed = (await listRuns(dirname(folder))).find((run) => run.folder === folder);
  const expected = ended ? "finished" : "interrupted";
  if (listed?.state !== expected) {
    problems.push(`the run is listed as ${listed?.state} instead of ${expected}: ${listed?.problem ?? ""}`);
  }
  const stage = ended
    ? "ended"
    : iteration === reference.iterations
      ? "at the end"
      : snapshot
        ? "training"
        : "no checkpoint";
  return { stage, iteration, problems };
}

/** Differences between a finished run and the uninterrupted one. Empty if they are equal. */
export async function compareFinished(folder: string, reference: Reference): Promise<string[]> {
  const problems: string[] = [];
  const files = (await readdir(folder)).sort();
  const expected = [RUN_FILES.checkpoint, RUN_FILES.config, RUN_FILES.metrics, RUN_FILES.samples];
  const extra = files.filter((name) => !(expected as string[]).includes(name));
  const missing = expected.filter((name) => !files.includes(name));
  if (extra.length > 0) problems.push(`${extra.join(", ")} was not deleted`);
  if (missing.length > 0) return [...problems, `${missing.join(", ")} is missing`];
  const found = await referenceOf(folder);
  problems.push(...eventDifferences(found.events, reference.events));
  if (found.events.length < reference.events.length) {
    problems.push(`the metrics have only ${found.events.length} of ${reference.events.length} events`);
  }
  if (!Buffer.from(found.checkpoint).equals(reference.checkpoint)) problems.push("the checkpoint differs");
  if (found.config !== reference.config) problems.push(`${RUN_FILES.config} differs`);
  if (found.samples !== reference.samples) problems.push(`${RUN_FILES.samples} differs`);
  return problems;
}

/** Complete lines of the metrics as JSON, without start events and times. Throws if a line is not valid JSON. */
export function eventsIn(metrics: string): string[] {
  const lines = metrics.split("\n").slice(0, -1);
  return lines.flatMap((line, i) => {
    try {
      const event = JSON.parse(line, (key, value) => (key === "seconds" ? undefined : value));
      if (typeof event?.kind !== "string") throw new Error("the event has no kind");
      return event.kind === "start" ? [] : [JSON.stringify(event)];
    } catch (error) {
      throw new Error(`line ${i + 1} is damaged: ${(error as Error).message}`, { cause: error });
    }
  });
}

/** The first difference between the events and the first events that are expected. Empty if there is none. */
export function eventDifferences(events: readonly string[], expected: readonly string[]): string[] {
  const at = events.findIndex((event, i) => event !== expected[i]);
  if (at < 0) return [];
  const short = (text = "nothing") => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
  return [`event ${at + 1} of the metrics is ${short(events[at])} instead of ${short(expected[at])}`];
}

function isEnd(event: string): boolean {
  return event.startsWith('{"kind":"end"');
}

function iterationIn(event: string): number {
  const { iteration, iterations } = JSON.parse(event) as { iteration?: number; iterations?: number };
  return iteration ?? iterations ?? 0;
}

/** The bytes of a checkpoint with its elapsed time set to 0. */
function checkpointWithoutTime(snapshot: Snapshot): Uint8Array {
  return encodeCheckpoint({ ...snapshot, seconds: 0 });
}

/** Whether a file belongs to a run, or is a temporary file that a killed process may leave. */
function isRunFileOrLeftover(name: string): boolean {
  const files: readonly string[] = Object.values(RUN_FILES);
  const isLeftover = files.some((file) => isTemporaryOf(file, name)) || isLockLeftover(name);
  return files.includes(name) || isLockFile(name) || isLeftover;
}
