// Trains into a run folder: writes metrics and checkpoints while `train` streams its events, and the samples at the end.

import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { completeConfig, configText, taskOf, trainOptionsOf } from "../config/index.ts";
import { RunError } from "../disk/run-error.ts";
import { encodeCheckpoint } from "../gfn/training/checkpoint.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { plannedIterations } from "../gfn/training/plan.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { UserError } from "../issues.ts";
import type { Assessment } from "./assessment.ts";
import { computationHere, type RunComputation, type RunLength } from "./run-computation.ts";
import { createRun, openForWriting, type Run, viewRun } from "./run-folder.ts";
import { formatSamples } from "./sample-formats.ts";
import {
  type ConfiguredRun,
  configuredRun,
  type OpenRunOptions,
  readSnapshot,
  storedTask,
} from "./trained-run.ts";
import { ThreadEndedError } from "./training-thread.ts";

/** A run folder that is open for writing, before or between training. */
export interface OpenRun extends ConfiguredRun {
  readonly run: Run;
  /** The state to continue from; omitted for a new run. */
  readonly snapshot?: Snapshot;
  /** A new length for a run that continues. Default: as it was planned. */
  readonly length?: RunLength;
}

export interface TrainedState {
  /** The last checkpoint; undefined if the run was stopped before the first one. */
  readonly snapshot?: Snapshot;
  /** Whether the signal ended the run early. */
  readonly stopped: boolean;
}

export interface TrainingContext {
  /** Where to compute. Default: in this thread. */
  readonly computation?: RunComputation;
  readonly signal?: AbortSignal;
  /** When the time of the run began, in milliseconds since 1970. Default: when training begins. */
  readonly origin?: number;
}

/** Builds the task and training options of a config. */
export async function configureRun(config: Config): Promise<ConfiguredRun> {
  const complete = await completeConfig(config);
  const task = await taskOf(complete);
  return { config: complete, task, options: await trainOptionsOf(complete, task) };
}

/** Creates the folder of a new run. */
export async function startRun(folder: string, configured: ConfiguredRun): Promise<OpenRun> {
  return { run: await createRun(folder, configText(configured.config)), ...configured };
}

/** Opens a run to continue it, as planned or with a new length. */
export async function resumeRun(
  folder: string,
  given: OpenRunOptions = {},
  length?: RunLength,
): Promise<OpenRun> {
  if (length && !(await (await viewRun(folder)).readCheckpoint())) {
    throw new UserError(`${resolve(folder)} has no checkpoint yet; resume it without a new length`);
  }
  const run = await openForWriting(folder);
  try {
    const configured = await configuredRun(run, given);
    if (configured.options.scores === null) {
      throw new UserError(
        `${run.folder} was trained with a score function, which is not stored; give a module that exports \`scores\` with --module`,
      );
    }
    const snapshot = (await readSnapshot(run, configured)) ?? undefined;
    if (length && snapshot) checkLength(length, snapshot);
    return { run, ...configured, snapshot, length };
  } catch (error) {
    await run.close();
    throw error;
  }
}

function checkLength(length: RunLength, snapshot: Snapshot): void {
  if (!("iterations" in length) || length.iterations > snapshot.iteration) return;
  const message = `must be above ${snapshot.iteration}, the iterations that the run has, got ${length.iterations}`;
  throw new UserError([{ path: "iterations", code: "range", message }]);
}

/** The config of a new run that repeats another one: the same settings and the plan that the other run recorded. */
export async function repeatedConfig(folder: string): Promise<Config> {
  const run = await viewRun(folder);
  if (await storedTask(run)) {
    throw new UserError(
      `${run.folder} was trained from TypeScript; repeat it there, with the \`plan\` of its snapshot as an option of \`train\``,
    );
  }
  const configured = await configuredRun(run);
  const snapshot = await readSnapshot(run, configured);
  const { iterations, seconds: _, plan: __, ...config } = configured.config;
  const plan = snapshot?.plan ?? configured.config.plan;
  if (plan && plan.length > 0) return { ...config, plan };
  if (iterations !== undefined) return { ...config, iterations };
  const remedy = { action: "resume", folder: run.folder } as const;
  throw new RunError(`${run.folder} has no plan yet; resume it first`, { remedy });
}

/** Whether a run has made all its iterations and its last evaluation. */
export function isComplete({ snapshot, config, length }: OpenRun): boolean {
  if (snapshot === undefined || length) return false;
  const planned = snapshot.plan
    ? plannedIterations(snapshot.plan)
    : (config.iterations ?? snapshot.iterations);
  return planned !== null && snapshot.iteration >= planned && snapshot.evaluated;
}

/**
 * Trains until the last iteration or until the signal. Each event is on disk when it is yielded: metrics of every
 * `logEvery`-th iteration, all evaluations, and checkpoints. A new run that fails before its first event is removed.
 */
export async function* trainRun(
  open: OpenRun,
  { computation = computationHere(open), signal, origin }: TrainingContext = {},
): AsyncGenerator<TrainEvent, TrainedState> {
  const { run, config, snapshot, length } = open;
  let last = snapshot;
  let started = false;
  let stopped = false;
  try {
    for await (const event of computation.train({ resume: snapshot, length, origin }, signal)) {
      if (!started) {
        // Not earlier, because a run that cannot start must not change its folder.
        await run.truncateMetrics(snapshot?.iteration ?? -1);
        started = true;
      }
      if (event.kind === "checkpoint") {
        await run.writeCheckpoint(encodeCheckpoint(event.snapshot));
        last = event.snapshot;
      } else if (event.kind === "end") stopped = event.stopped;
      else if (event.kind !== "iteration" || event.iteration % config.logEvery === 0)
        await appendOnce(event, open);
      yield event;
    }
  } catch (error) {
    if (error instanceof ThreadEndedError && signal?.aborted) return { snapshot: last, stopped: true };
    if (!started && snapshot === undefined) await run.discard();
    throw error;
  }
  if (!last) throw new Error("internal: the run ended without a checkpoint");
  return { snapshot: last, stopped };
}

/** Evaluates a complete run, and writes its samples and its final metrics. */
export async function finishRun(
  open: OpenRun,
  snapshot: Snapshot,
  computation: RunComputation = computationHere(open),
): Promise<Assessment> {
  const { run, task } = open;
  const assessment = await computation.assess(snapshot);
  await run.writeSamples(formatSamples("csv", task, assessment.samples));
  const { metrics } = assessment;
  const { iterations, seconds } = metrics;
  const hasEnded = (await run.readMetrics()).some(
    (event) => event.kind === "end" && event.iterations === iterations,
  );
  const end = { kind: "end", iterations, seconds, metrics };
  if (!hasEnded) run.appendMetrics(end);
  return assessment;
}

/** A run that was killed soon after it resumed may have written this evaluation already. */
async function appendOnce(event: TrainEvent, { run, snapshot }: OpenRun): Promise<void> {
  const repeated =
    event.kind === "evaluation" &&
    event.iteration === snapshot?.iteration &&
    (await run.readMetrics()).some(
      (other) => other.kind === "evaluation" && other.iteration === event.iteration,
    );
  if (!repeated) run.appendMetrics(event);
}
