// The final metrics of a run: `train` ends with them, and `evaluate` computes the same numbers again.

import { countModes, type ModeCounts } from "../gfn/evaluate/mode-counts.ts";
import { DEFAULT_SAMPLES } from "../gfn/evaluate/model-evaluator.ts";
import type { SampleMetrics } from "../gfn/evaluate/sample-metrics.ts";
import { formatCount, formatNumber, textTable } from "../report/text-format.ts";
import { hasScoreTable, type TaskOfRun } from "../tasks/task.ts";
import { NO_STORAGE, type ScoredSample, trainedModel } from "../trained/trained.ts";
import { describeModes } from "./describe-run.ts";
import { type Distance, type PolicyMetrics, policyMetrics, type TrainedModel } from "./policy-metrics.ts";

/** The format is documented in docs/formats.md. */
export interface RunMetrics extends PolicyMetrics {
  readonly modes: ModeCounts;
  readonly iterations: number;
  readonly seconds: number;
}

/** Metrics of a run whose scores come from a function, so that there is no target to compare with. */
export interface OracleRunMetrics {
  readonly exact: false;
  readonly sampled: SampleMetrics;
  /** Number of objects that the score function has scored; null if it is not known. */
  readonly oracleCalls: number | null;
  readonly iterations: number;
  readonly seconds: number;
}

export interface Assessment<M = RunMetrics | OracleRunMetrics> {
  readonly metrics: M;
  readonly samples: readonly ScoredSample[];
}

/** Evaluates a run, exactly if possible, and draws as many samples as its options say. */
export async function assess(run: TrainedModel): Promise<Assessment<RunMetrics>>;
export async function assess(run: TrainedModel<TaskOfRun>): Promise<Assessment>;
export async function assess(run: TrainedModel<TaskOfRun>): Promise<Assessment> {
  const { task, options, snapshot } = run;
  const trained = trainedModel({ options, snapshot, events: [] }, NO_STORAGE);
  try {
    const samples = await trained.sample(options.samples ?? DEFAULT_SAMPLES, { seed: options.seed });
    if (!hasScoreTable(task)) {
      const evaluation = await trained.evaluate();
      if (evaluation.exact) throw new Error("internal: an exact evaluation needs a table of scores");
      const { sampled, oracleCalls } = evaluation;
      const { iterations, seconds } = trained;
      return { metrics: { exact: false, sampled, oracleCalls, iterations, seconds }, samples };
    }
    const modes = countModes({
      samples: samples.map(({ object }) => object),
      scores: samples.map(({ score }) => score as number),
      task,
    });
    const { iteration: iterations, seconds } = snapshot;
    return {
      metrics: { ...(await policyMetrics({ ...run, task }, samples)), modes, iterations, seconds },
      samples,
    };
  } finally {
    await trained.dispose();
  }
}

/** The metrics as a table, with a line about modes below it. */
export function describeMetrics(metrics: Assessment["metrics"]): string {
  if ("modes" in metrics) return `${metricsTable(metrics)}\n${describeModes(metrics.modes)}`;
  const { sampled, oracleCalls } = metrics;
  const rows = [
    ["", "sampled"],
    ["mean score", formatNumber(sampled.meanScore)],
    ["mean score of the best 100", formatNumber(sampled.topK.mean)],
    ["distinct samples", `${formatCount(sampled.distinct)} of ${formatCount(sampled.samples)}`],
    ["oracle calls", oracleCalls === null ? "–" : formatCount(oracleCalls)],
  ];
  return `${textTable(rows)}\nmodes: ${sampled.modes} far apart among the best samples`;
}

/** A table of the policy ("reached", or "sampled" if the metrics are not exact) beside the limit and the uniform policy. */
export function metricsTable({ limit, uniform, ...policy }: RunMetrics): string {
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
