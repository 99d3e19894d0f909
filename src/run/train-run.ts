// Trains into a run folder: writes metrics and checkpoints while `train` streams its events, and the samples at the end.

import type { Config } from "../config/config.ts";
import { type CompleteConfig, completeConfig, configText, taskOf, trainOptionsOf } from "../config/index.ts";
import { model as createModel } from "../gfn/policy/model.ts";
import { encodeCheckpoint } from "../gfn/training/checkpoint.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { iterationsWithin, measureThroughput } from "../gfn/training/throughput.ts";
import { type TrainOptions, train } from "../gfn/training/train.ts";
import { UserError } from "../issues.ts";
import { type Assessment, assess } from "./assessment.ts";
import { createRun, openForWriting, type Run } from "./run-folder.ts";
import { formatSamples } from "./sample-formats.ts";
import { type ConfiguredRun, configuredRun, type GivenParts, readSnapshot } from "./trained-run.ts";

/** A run folder that is open for writing, before or between training. */
export interface OpenRun extends ConfiguredRun {
  readonly run: Run;
  /** The state to continue from; omitted for a new run. */
  readonly snapshot?: Snapshot;
}

export interface TrainedState {
  readonly snapshot: Snapshot;
  /** Whether the signal ended the run early. */
  readonly stopped: boolean;
}

/** Builds the task and training options of a config. With `seconds`, measures how many iterations fit into that time. */
export async function configureRun(config: Config, seconds?: number): Promise<ConfiguredRun> {
  const complete = await completeConfig(config);
  const task = await taskOf(complete);
  const options = await trainOptionsOf(complete, task);
  if (seconds === undefined) return { config: complete, task, options };
  const timed: CompleteConfig = { ...complete, iterations: await affordableIterations(options, seconds) };
  return { config: timed, task, options: await trainOptionsOf(timed, task) };
}

/** Creates the folder of a new run. */
export async function startRun(folder: string, configured: ConfiguredRun): Promise<OpenRun> {
  return { run: await createRun(folder, configText(configured.config)), ...configured };
}

/** Opens a run to continue it. */
export async function resumeRun(folder: string, given: GivenParts = {}): Promise<OpenRun> {
  const run = await openForWriting(folder);
  try {
    const configured = await configuredRun(run, given);
    if (configured.options.scores === null) {
      throw new UserError(
        `${run.folder} was trained with a score function, which is not stored; give a module that exports \`scores\` with --module`,
      );
    }
    return { run, ...configured, snapshot: (await readSnapshot(run, configured)) ?? undefined };
  } catch (error) {
    await run.close();
    throw error;
  }
}

/** Whether a run has made all its iterations and its last evaluation. */
export function isComplete({ snapshot, config }: OpenRun): boolean {
  return snapshot !== undefined && snapshot.iteration === config.iterations && snapshot.evaluated;
}

/**
 * Trains until the last iteration or until the signal. Each event is on disk when it is yielded: metrics of every
 * `logEvery`-th iteration, all evaluations, and checkpoints. A new run that fails before its first event is removed.
 */
export async function* trainRun(
  open: OpenRun,
  signal?: AbortSignal,
): AsyncGenerator<TrainEvent, TrainedState> {
  const { run, config, options, snapshot } = open;
  const { checkpointEvery, logEvery } = config;
  const settings: TrainOptions = {
    ...options,
    signal,
    ...(snapshot && { resume: snapshot }),
    checkpointEvery,
  };
  let last = snapshot;
  let started = false;
  let stopped = false;
  try {
    for await (const event of train(settings)) {
      if (!started) {
        // Not earlier, because a run that cannot start must not change its folder.
        await run.truncateMetrics(snapshot?.iteration ?? -1);
        started = true;
      }
      if (event.kind === "checkpoint") {
        await run.writeCheckpoint(encodeCheckpoint(event.snapshot));
        last = event.snapshot;
      } else if (event.kind === "end") stopped = event.stopped;
      else if (event.kind !== "iteration" || event.iteration % logEvery === 0) await appendOnce(event, open);
      yield event;
    }
  } catch (error) {
    if (!started && snapshot === undefined) await run.discard();
    throw error;
  }
  if (!last) throw new Error("internal: the run ended without a checkpoint");
  return { snapshot: last, stopped };
}

/** Evaluates a complete run, and writes its samples and its final metrics. */
export async function finishRun(open: OpenRun, snapshot: Snapshot): Promise<Assessment> {
  const { run, task, options } = open;
  const model = createModel(task.environment, options);
  const assessment = await assess({ model, task, options, snapshot });
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

/** The number of iterations that fit into this time, evaluations included. */
async function affordableIterations(options: TrainOptions, seconds: number): Promise<number> {
  const started = performance.now();
  const throughput = await measureThroughput(options, Math.min(2, seconds / 5));
  const spent = (performance.now() - started) / 1000;
  const evaluateEvery = options.evaluateEvery || Number.POSITIVE_INFINITY;
  const secondsPerIteration =
    throughput.secondsPerIteration + throughput.secondsPerEvaluation / evaluateEvery;
  return iterationsWithin(Math.max(seconds - spent, 0), { ...throughput, secondsPerIteration });
}
