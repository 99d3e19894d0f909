// Runs one experiment of a comparison: a method on a task with one seed, until its budget is used up.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type DiscoveryTracker, discoveryTracker } from "../baselines/discovery-tracker.ts";
import { modeSetsOf } from "../baselines/mode-sets.ts";
import { type Position, restoreExperiment, saveExperiment } from "./experiment-checkpoint.ts";
import type { ExperimentRecord } from "./experiment-record.ts";
import { createMethodRun, type MethodRun, type MethodRunOptions, type MethodStep } from "./method-run.ts";
import { runningMeans } from "./running-means.ts";

/** The budget of an experiment. */
export type Budget = { readonly calls: number } | { readonly seconds: number };

export interface ExperimentOptions extends MethodRunOptions {
  readonly budget: Budget;
  /** Number of records after the first one, spread evenly over the budget. */
  readonly evaluations: number;
  /** Oracle calls after which it ends early, although schedules follow the whole budget. Default: none. */
  readonly stop?: number;
  /** Returns the seconds since the experiment was started or resumed. Default: since the call of `runExperiment`. */
  readonly elapsed?: () => number;
  /** A checkpoint of the same experiment, from which it goes on bit-identically. Default: none. */
  readonly checkpoint?: Uint8Array | null;
  /** When it aborts, the experiment yields a checkpoint and ends. */
  readonly pause?: AbortSignal;
}

export type ExperimentEvent =
  | { readonly kind: "progress"; readonly progress: number }
  | { readonly kind: "record"; readonly record: ExperimentRecord }
  /** The state after all records so far. */
  | { readonly kind: "checkpoint"; readonly bytes: Uint8Array }
  | { readonly kind: "paused" };

/**
 * Number of latest samples that the sampled TV of a search uses. With 2^16 samples, the number of strings of TFBind8,
 * the sampling floor would be 0.36.
 */
const WINDOW = 2 ** 18;
/** Seconds between two progress events. */
const PROGRESS_INTERVAL = 0.1;
/** Seconds between two checkpoints. */
const CHECKPOINT_INTERVAL = 20;
/**
 * Time reserved for the last evaluation, as a multiple of the time of the first evaluation, because the last one may
 * take longer.
 */
const EVALUATION_MARGIN = 1.3;

/**
 * Runs a method until its budget is used up and yields its records. A budget of oracle calls is never exceeded. The
 * last record describes the end of the experiment.
 */
export async function* runExperiment(options: ExperimentOptions): AsyncGenerator<ExperimentEvent, void> {
  const started = performance.now();
  const elapsed = options.elapsed ?? (() => (performance.now() - started) / 1000);
  const run = await createMethodRun(options);
  try {
    yield* runSteps(run, options, elapsed);
  } finally {
    await run.dispose();
  }
}

async function* runSteps(
  run: MethodRun,
  { task, budget, evaluations, stop = Number.POSITIVE_INFINITY, checkpoint = null, pause }: ExperimentOptions,
  elapsedHere: () => number,
): AsyncGenerator<ExperimentEvent, void> {
  const tracker = discoveryTracker({
    terminals: task.scores.length,
    modeSets: modeSetsOf(task),
    decode: (terminal) => task.decode(terminal),
    window: WINDOW,
  });
  const means = runningMeans();
  let position: Position = {
    ...{ iteration: 0, nextRecord: 1, seconds: 0, callsToHalf: null, callsToAll: null },
    clock: { start: 0, deadline: 0 },
  };
  const parts = { run, tracker, means };
  if (checkpoint) position = restoreExperiment(checkpoint, parts);
  const before = position.seconds;
  const elapsed = () => before + elapsedHere();

  const record = async (): Promise<ExperimentEvent> => {
    const { iteration, callsToHalf, callsToAll } = position;
    const metrics = await recordOf(run, tracker, elapsed);
    return { kind: "record", record: { ...metrics, callsToHalf, callsToAll, iteration, ...means.take() } };
  };
  const save = async (): Promise<ExperimentEvent> => ({
    kind: "checkpoint",
    bytes: await saveExperiment({ ...position, seconds: elapsed() }, parts),
  });

  if (!checkpoint) {
    const first = elapsed();
    yield await record();
    const start = elapsed();
    const deadline = "seconds" in budget ? budget.seconds - EVALUATION_MARGIN * (start - first) : 0;
    position.clock = { start, deadline };
  }
  const progressNow = (): number => {
    if ("calls" in budget) return tracker.calls / budget.calls;
    const { start, deadline } = position.clock;
    return deadline > start ? Math.min((elapsed() - start) / (deadline - start), 1) : 1;
  };
  const most = Math.min("calls" in budget ? budget.calls : Number.POSITIVE_INFINITY, stop);
  const isOver = (progress: number) =>
    tracker.calls + run.batch > most || ("seconds" in budget && progress >= 1);

  let [lastProgress, lastCheckpoint] = [elapsed(), elapsed()];
  for (let progress = progressNow(); !isOver(progress); ) {
    if (pause?.aborted) {
      yield await save();
      yield { kind: "paused" };
      return;
    }
    const step = await run.step(position.iteration, progress);
    position.iteration++;
    tracker.add(observedBatch(step, task.scores));
    if (tracker.modesFound >= tracker.modes / 2) position.callsToHalf ??= tracker.calls;
    if (tracker.modesFound === tracker.modes) position.callsToAll ??= tracker.calls;
    means.add(step);
    progress = progressNow();
    if (!isOver(progress) && progress * evaluations >= position.nextRecord) {
      yield await record();
      position.nextRecord = Math.floor(progress * evaluations) + 1;
    }
    if (elapsed() - lastProgress < PROGRESS_INTERVAL) continue;
    // Searches run synchronously, so without this pause the process could not send messages.
    await yieldToEventLoop();
    lastProgress = elapsed();
    yield { kind: "progress", progress };
    if (elapsed() - lastCheckpoint < CHECKPOINT_INTERVAL) continue;
    yield await save();
    lastCheckpoint = elapsed();
  }
  if (position.iteration > 0) yield await record();
}

function observedBatch({ terminals, offPolicy, samples }: MethodStep, scores: Float64Array) {
  return {
    terminals,
    ...(offPolicy && { offPolicy }),
    scores: Float64Array.from(terminals, (terminal) => scores[terminal]),
    ...(samples && { samples }),
  };
}

/**
 * The fields of a record that come from the method and the tracker. The time is read after the evaluation and includes
 * it.
 */
async function recordOf(run: MethodRun, tracker: DiscoveryTracker, elapsed: () => number) {
  const { metrics, dynamicsFloor } = await run.evaluate();
  const sampled = run.evaluatedBySamples ? tracker.sampledTotalVariation(run.target) : null;
  const top = tracker.topK();
  const { limit, uniform } = run;
  return {
    calls: tracker.calls,
    seconds: elapsed(),
    tv: metrics?.tv ?? null,
    kl: metrics?.kl ?? null,
    expectedReward: metrics?.expectedReward ?? null,
    sampledTv: sampled?.tv ?? null,
    sampledFloor: sampled?.floor ?? null,
    limitTv: limit.tv,
    limitKl: limit.kl,
    uniformTv: uniform.tv,
    uniformKl: uniform.kl,
    modesFound: tracker.modesFound,
    modesScored: tracker.modesScored,
    modes: tracker.modes,
    best: top && tracker.bestScore,
    topMean: top?.mean ?? null,
    diversity: top && top.count > 1 ? top.diversity : null,
    dynamicsFloor,
  };
}
