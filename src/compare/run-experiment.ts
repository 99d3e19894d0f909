// Runs one experiment of a comparison: a method on a task with one seed, until its budget is used up.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type DiscoveryTracker, discoveryTracker } from "../baselines/discovery-tracker.ts";
import { modeSetsOf } from "../baselines/mode-sets.ts";
import type { ExperimentRecord } from "./experiment-record.ts";
import { createMethodRun, type MethodRun, type MethodRunOptions, type MethodStep } from "./method-run.ts";

/** The budget of an experiment. */
export type Budget = { readonly calls: number } | { readonly seconds: number };

export interface ExperimentOptions extends MethodRunOptions {
  readonly budget: Budget;
  /** Number of records after the first one, spread evenly over the budget. */
  readonly evaluations: number;
  /** Returns the seconds since the start of the experiment. Default: since the call of `runExperiment`. */
  readonly elapsed?: () => number;
}

export type ExperimentEvent =
  | { readonly kind: "progress"; readonly progress: number }
  | { readonly kind: "record"; readonly record: ExperimentRecord };

/**
 * Number of latest samples that the sampled TV of a search uses. With 2^16 samples, the number of strings of TFBind8,
 * the sampling floor would be 0.36.
 */
const WINDOW = 2 ** 18;
/** Seconds between two progress events. */
const PROGRESS_INTERVAL = 0.1;
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
  { task, budget, evaluations }: ExperimentOptions,
  elapsed: () => number,
): AsyncGenerator<ExperimentEvent, void> {
  const tracker = discoveryTracker({
    terminals: task.scores.length,
    modeSets: modeSetsOf(task),
    decode: (terminal) => task.decode(terminal),
    window: WINDOW,
  });
  const means = runningMeans();
  const milestones: { callsToHalf: number | null; callsToAll: number | null } = {
    callsToHalf: null,
    callsToAll: null,
  };
  let iteration = 0;
  const record = async (): Promise<ExperimentEvent> => ({
    kind: "record",
    record: { ...(await recordOf(run, tracker, elapsed)), ...milestones, iteration, ...means.take() },
  });

  const before = elapsed();
  yield await record();
  const clock = { start: elapsed(), deadline: 0 };
  if ("seconds" in budget) {
    clock.deadline = budget.seconds - EVALUATION_MARGIN * (clock.start - before);
  }
  const progressNow = (): number => {
    if ("calls" in budget) return tracker.calls / budget.calls;
    const { start, deadline } = clock;
    return deadline > start ? Math.min((elapsed() - start) / (deadline - start), 1) : 1;
  };
  const isOver = (progress: number) =>
    "calls" in budget ? tracker.calls + run.batch > budget.calls : progress >= 1;

  let nextRecord = 1;
  let lastProgress = elapsed();
  for (let progress = progressNow(); !isOver(progress); ) {
    const step = await run.step(iteration, progress);
    iteration++;
    tracker.add(observedBatch(step, task.scores));
    if (tracker.modesFound >= tracker.modes / 2) milestones.callsToHalf ??= tracker.calls;
    if (tracker.modesFound === tracker.modes) milestones.callsToAll ??= tracker.calls;
    means.add(step);
    progress = progressNow();
    if (!isOver(progress) && progress * evaluations >= nextRecord) {
      yield await record();
      nextRecord = Math.floor(progress * evaluations) + 1;
    }
    if (elapsed() - lastProgress < PROGRESS_INTERVAL) continue;
    // Searches run synchronously, so without this pause the process could not send messages.
    await yieldToEventLoop();
    lastProgress = elapsed();
    yield { kind: "progress", progress };
  }
  if (iteration > 0) yield await record();
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

const AVERAGED = ["loss", "dynamicsLoss", "entropyRatio"] as const;
type Averages = Pick<ExperimentRecord, (typeof AVERAGED)[number]>;

/** Means of the losses and the entropy ratio of the steps since the last call of `take`. */
function runningMeans() {
  const sums = new Map<string, number>();
  let steps = 0;
  return {
    add(step: MethodStep): void {
      steps++;
      for (const name of AVERAGED) {
        const value = step[name];
        if (value !== null) sums.set(name, (sums.get(name) ?? 0) + value);
      }
    },
    take(): Averages {
      const means = AVERAGED.map((name) => {
        const sum = sums.get(name);
        return [name, sum === undefined ? null : sum / steps] as const;
      });
      sums.clear();
      steps = 0;
      return Object.fromEntries(means) as unknown as Averages;
    },
  };
}
