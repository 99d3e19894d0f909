// What must be true of a run's folder at any moment, and at the end, beside one that was never interrupted.

import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseConfigText } from "../../src/cli/config.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/gfn/checkpoint.ts";
import type { Snapshot } from "../../src/gfn/snapshot.ts";
import { isTemporaryOf } from "../../src/run/atomic-file.ts";
import { listRuns } from "../../src/run/list.ts";
import { isLockFile, isLockLeftover } from "../../src/run/lock.ts";
import { RUN_FILES } from "../../src/run/run-files.ts";

/** A run that was never interrupted, without what differs from run to run. */
export interface Reference {
  readonly config: string;
  /** Events as JSON, without starts and seconds. */
  readonly events: readonly string[];
  readonly checkpoint: Uint8Array;
  readonly iterations: number;
  readonly samples: string;
}

/** How far a run has come. */
export type Stage = "no config" | "no checkpoint" | "on the way" | "at the end" | "ended";

export interface Finding {
  readonly stage: Stage;
  /** Of the checkpoint; 0 if there is none. */
  readonly iteration: number;
  readonly problems: readonly string[];
}

export async function referenceOf(folder: string): Promise<Reference> {
  const read = (file: string) => readFile(join(folder, file));
  const snapshot = decodeCheckpoint(await read(RUN_FILES.checkpoint), "reference");
  return {
    config: await readFile(join(folder, RUN_FILES.config), "utf8"),
    events: eventsIn(await readFile(join(folder, RUN_FILES.metrics), "utf8")),
    checkpoint: timeless(snapshot),
    iterations: snapshot.iteration,
    samples: await readFile(join(folder, RUN_FILES.samples), "utf8"),
  };
}

/** Looks at what a process left, however it ended; `before` is what the one before it left. */
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
  problems.push(...names.filter((name) => !isExpected(name)).map((name) => `${name} is no file of a run`));
  const read = (file: string) =>
    readFile(join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });

  const config = await read(RUN_FILES.config);
  if (!config) {
    const surplus = names.filter((name) => !name.startsWith(".") && name !== RUN_FILES.lock);
    problems.push(...surplus.map((name) => `${name} is there without a ${RUN_FILES.config}`));
    if (before && before.stage !== "no config") problems.push(`${RUN_FILES.config} is gone`);
    return { stage: "no config", iteration: 0, problems };
  }
  await attempt(RUN_FILES.config, () => parseConfigText(config.toString(), RUN_FILES.config));
  if (config.toString() !== reference.config)
    problems.push(`${RUN_FILES.config} is not what the run was told`);

  const bytes = await read(RUN_FILES.checkpoint);
  const snapshot = bytes
    ? await attempt(RUN_FILES.checkpoint, () => decodeCheckpoint(bytes, "it"))
    : undefined;
  const iteration = snapshot?.iteration ?? 0;
  if (before && iteration < before.iteration) {
    problems.push(`the checkpoint went back from iteration ${before.iteration} to ${iteration}`);
  }

  const metrics = await read(RUN_FILES.metrics);
  const events = await attempt(RUN_FILES.metrics, () => eventsIn(metrics?.toString() ?? ""));
  if (events) {
    problems.push(...differences(events, reference.events));
    const due = reference.events.filter((event) => iterationIn(event) <= iteration && !isEnd(event));
    if (snapshot && events.length < due.length) {
      problems.push(
        `the checkpoint is of iteration ${iteration}, and the metrics have ${events.length} of its ${due.length} events`,
      );
    }
  }

  const samples = await read(RUN_FILES.samples);
  if (samples && samples.toString() !== reference.samples) problems.push(`${RUN_FILES.samples} differs`);

  const ended = events?.some(isEnd) ?? false;
  const listed = (await listRuns(dirname(folder))).find((run) => run.folder === folder);
  const expected = ended ? "finished" : "interrupted";
  if (listed?.state !== expected) {
    problems.push(`it is listed as ${listed?.state} instead of ${expected}: ${listed?.problem ?? ""}`);
  }
  const stage = ended
    ? "ended"
    : iteration === reference.iterations
      ? "at the end"
      : snapshot
        ? "on the way"
        : "no checkpoint";
  return { stage, iteration, problems };
}

/** What differs from the run that was never interrupted, once all is done. */
export async function compareFinished(folder: string, reference: Reference): Promise<string[]> {
  const problems: string[] = [];
  const files = (await readdir(folder)).sort();
  const expected = [RUN_FILES.checkpoint, RUN_FILES.config, RUN_FILES.metrics, RUN_FILES.samples];
  const surplus = files.filter((name) => !(expected as string[]).includes(name));
  const missing = expected.filter((name) => !files.includes(name));
  if (surplus.length > 0) problems.push(`${surplus.join(", ")} stayed behind`);
  if (missing.length > 0) return [...problems, `${missing.join(", ")} is missing`];
  const found = await referenceOf(folder);
  problems.push(...differences(found.events, reference.events));
  if (found.events.length < reference.events.length) {
    problems.push(`the metrics have ${found.events.length} of ${reference.events.length} events`);
  }
  if (!Buffer.from(found.checkpoint).equals(reference.checkpoint)) problems.push("the checkpoint differs");
  if (found.config !== reference.config) problems.push(`${RUN_FILES.config} differs`);
  if (found.samples !== reference.samples) problems.push(`${RUN_FILES.samples} differs`);
  return problems;
}

/** Whole lines as JSON, without starts and seconds. Throws if one of them is none. */
export function eventsIn(metrics: string): string[] {
  const lines = metrics.split("\n").slice(0, -1);
  return lines.flatMap((line, i) => {
    try {
      const event = JSON.parse(line, (key, value) => (key === "seconds" ? undefined : value));
      if (typeof event?.kind !== "string") throw new Error("it has no kind");
      return event.kind === "start" ? [] : [JSON.stringify(event)];
    } catch (error) {
      throw new Error(`line ${i + 1} is damaged: ${(error as Error).message}`, { cause: error });
    }
  });
}

/** Empty if the events are the first of those expected. */
function differences(events: readonly string[], expected: readonly string[]): string[] {
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

/** The bytes of a checkpoint without its clock. */
function timeless(snapshot: Snapshot): Uint8Array {
  return encodeCheckpoint({ ...snapshot, seconds: 0 });
}

/** Files of a run, and what a process that is killed may leave beside them. */
function isExpected(name: string): boolean {
  const files: readonly string[] = Object.values(RUN_FILES);
  const isLeftover = files.some((file) => isTemporaryOf(file, name)) || isLockLeftover(name);
  return files.includes(name) || isLockFile(name) || isLeftover;
}
