// The final metrics of a run: `train` ends with them, and `evaluate` computes the same numbers again.

import { RandomStream } from "../engine/index.ts";
import { Programs } from "../engine/programs.ts";
import { policyTabulator } from "../gfn/evaluate/enumerated-log-probability.ts";
import { canEnumerateStates } from "../gfn/evaluate/enumerated-states.ts";
import type { HeldOutMetrics } from "../gfn/evaluate/held-out.ts";
import type { IllegalProbabilities } from "../gfn/evaluate/illegal-probability.ts";
import { logProbabilityMethod } from "../gfn/evaluate/log-probability.ts";
import {
  countModes,
  type KnownDistributions,
  type ModeCountingTask,
  type ModeCounts,
} from "../gfn/evaluate/mode-counts.ts";
import { DEFAULT_SAMPLES } from "../gfn/evaluate/model-evaluator.ts";
import type { SampleMetrics } from "../gfn/evaluate/sample-metrics.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import type { Reserve } from "../gfn/training/time-budget.ts";
import { formatCount, formatCountOf, formatNumber, textTable } from "../report/text-format.ts";
import { hasScoreTable, type TaskOfRun } from "../tasks/task.ts";
import { modelSampler, NO_STORAGE, type ScoredSample, trainedModel } from "../trained/trained.ts";
import { describeModes } from "./describe-run.ts";
import {
  type Distance,
  type PolicyMetrics,
  policyEvaluator,
  policyMetrics,
  type TrainedModel,
} from "./policy-metrics.ts";

/** The format is documented in docs/formats.md. */
export interface RunMetrics extends PolicyMetrics {
  readonly modes: ModeCounts;
  /** Only if held-out objects are given. */
  readonly heldOut?: HeldOutMetrics;
  readonly iterations: number;
  readonly seconds: number;
}

/** Metrics of a run whose scores come from a function, so that there is no target to compare with. */
export interface OracleRunMetrics {
  readonly exact: false;
  readonly sampled: SampleMetrics;
  /** Only if held-out objects are given. */
  readonly heldOut?: HeldOutMetrics;
  /** Number of objects that the score function has scored; null if it is not known. */
  readonly oracleCalls: number | null;
  readonly iterations: number;
  readonly seconds: number;
}

export interface Assessment<M = RunMetrics | OracleRunMetrics> {
  readonly metrics: M;
  readonly samples: readonly ScoredSample[];
}

/** Assesses snapshots of one training. Its programs are compiled when they are first needed. */
export interface Assessor {
  assess(snapshot: Snapshot): Promise<Assessment>;
  /** Compiles the programs, and measures the time that an assessment takes, with untrained networks. */
  prepare(): Promise<Reserve>;
  dispose(): Promise<void>;
}

type Untrained = Omit<TrainedModel<TaskOfRun>, "snapshot">;

/** Time to write the files of a run and to end a process. */
const CLOSING_SECONDS = 0.1;

export function assessor(run: Untrained): Assessor {
  const { model, task, options } = run;
  const { engine, threads, samples: count = DEFAULT_SAMPLES, seed } = options;
  const programs = new Programs();
  return {
    async assess(snapshot) {
      const trained = trainedModel({ options, snapshot, events: [] }, NO_STORAGE, programs);
      try {
        const samples = await trained.sample(count, { seed });
        const { iteration: iterations, seconds } = snapshot;
        if (!hasScoreTable(task)) {
          const evaluation = await trained.evaluate();
          if (evaluation.exact) throw new Error("internal: an exact evaluation needs a table of scores");
          return { metrics: { ...evaluation, iterations, seconds }, samples };
        }
        const { metrics, distributions } = await policyMetrics({ ...run, task, snapshot }, samples, programs);
        const modes = modesOf(samples, task, distributions);
        return { metrics: { ...metrics, modes, iterations, seconds }, samples };
      } finally {
        await trained.dispose();
      }
    },

    async prepare() {
      const objects = await modelSampler(programs, model, { engine, threads });
      const isExact = hasScoreTable(task) && canEnumerateStates(model);
      if (isExact) await policyEvaluator({ ...run, task }, programs);
      if (logProbabilityMethod(model, learnsDynamics(options)) === "enumeration") {
        await policyTabulator({ model, engine, threads, programs });
      }
      const policy = new Float32Array(model.policyLayout.size);
      const drawn = () => objects.sample(policy, count, RandomStream.fromSeed(seed));
      await drawn(); // the first call is slower
      const started = performance.now();
      const samples = await drawn();
      if (hasScoreTable(task)) {
        const { scores } = task;
        modesOf(
          samples.map((sample) => ({ ...sample, score: scores[sample.terminal] })),
          task,
        );
      }
      const seconds = (performance.now() - started) / 1000 + CLOSING_SECONDS;
      // Probabilities of samples and metrics take an evaluation each, and so do scores of a function.
      return { seconds, evaluations: isExact || !hasScoreTable(task) ? 2 : 0 };
    },

    dispose: () => programs.dispose(),
  };
}

/** Evaluates a run, exactly if possible, and draws as many samples as its options say. */
export async function assess(run: TrainedModel): Promise<Assessment<RunMetrics>>;
export async function assess(run: TrainedModel<TaskOfRun>): Promise<Assessment>;
export async function assess({ snapshot, ...run }: TrainedModel<TaskOfRun>): Promise<Assessment> {
  const { assess, dispose } = assessor(run);
  try {
    return await assess(snapshot);
  } finally {
    await dispose();
  }
}

function modesOf(
  samples: readonly Pick<ScoredSample, "object" | "score">[],
  task: ModeCountingTask,
  distributions?: KnownDistributions,
): ModeCounts {
  return countModes({
    samples: samples.map(({ object }) => object),
    scores: samples.map(({ score }) => score as number),
    task,
    distributions,
  });
}

/** The metrics as a table, with a line about modes and a table of held-out objects below it. */
export function describeMetrics(metrics: Assessment["metrics"]): string {
  const { heldOut } = metrics;
  const lines =
    "modes" in metrics ? [metricsTable(metrics), describeModes(metrics.modes)] : sampledLines(metrics);
  return [...lines, ...(heldOut ? ["", describeHeldOut(heldOut)] : [])].join("\n");
}

function sampledLines({ sampled, oracleCalls }: OracleRunMetrics): string[] {
  const rows = [
    ["", "sampled"],
    ["mean score", formatNumber(sampled.meanScore)],
    ["mean score of the best 100", formatNumber(sampled.topK.mean)],
    ["distinct samples", `${formatCount(sampled.distinct)} of ${formatCount(sampled.samples)}`],
    ...(sampled.effectiveSampleSize === undefined
      ? []
      : [["effective sample size", formatNumber(sampled.effectiveSampleSize)]]),
    ["oracle calls", oracleCalls === null ? "–" : formatCount(oracleCalls)],
  ];
  return [textTable(rows), `modes: ${formatCountOf(sampled.circles, "circle")} among the best 100`];
}

/** The metrics of held-out objects as a table, with the values of a perfect policy. */
export function describeHeldOut(metrics: HeldOutMetrics): string {
  const { objects, unreachable } = metrics;
  return textTable([
    ["held-out objects", formatCount(objects), "perfect"],
    ["Spearman correlation of log P and log R", formatNumber(metrics.spearman), "1"],
    ["slope of log P over log R", formatNumber(metrics.slope), "1"],
    ["effective sample size", formatNumber(metrics.effectiveSampleSize), formatCount(objects)],
    ["mean log P", formatNumber(metrics.meanLogProbability), ""],
    ...(unreachable > 0 ? [["unreachable", formatCount(unreachable), "0"]] : []),
  ]);
}

function illegalRows({ policy, limit, uniform, least }: IllegalProbabilities): string[][] {
  return [
    ["probability of illegal strings", ...[policy, limit, uniform].map(formatNumber)],
    ["  least of any policy", formatNumber(least), "", ""],
  ];
}

/** A table of the policy ("reached", or "sampled" if the metrics are not exact) beside the limit and the uniform policy. */
export function metricsTable({ limit, uniform, illegal, ...policy }: RunMetrics): string {
  const all = (name: string, metric: keyof Distance) => [
    name,
    ...[policy, limit, uniform].map((column) => formatNumber(column[metric])),
  ];
  const policyOnly = (name: string, value: number | null | undefined) => [name, formatNumber(value), "", ""];
  const tv = all("total variation", "tv");
  const reward = all("expected reward", "expectedReward");
  const rows = policy.exact
    ? [
        ["", "reached", "limit", "uniform"],
        tv,
        all("KL(target ‖ policy)", "kl"),
        reward,
        ...(illegal ? illegalRows(illegal) : []),
        policyOnly("log Z error", policy.logZError),
        policyOnly("KL(P ‖ P̂) per step", policy.dynamicsKl),
        policyOnly("Pearson correlation", policy.pearson),
        policyOnly("Spearman correlation", policy.spearman),
      ]
    : [
        ["", "sampled", "limit", "uniform"],
        tv,
        policyOnly("  of a perfect sampler", policy.floor),
        all("KL(target ‖ policy)", "kl"),
        reward,
      ];
  return textTable(rows);
}
