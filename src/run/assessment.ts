// The final metrics of a run: `train` ends with them, and `evaluate` computes the same numbers again.

import { countModes, type ModeCounts } from "../gfn/evaluate/mode-counts.ts";
import { formatNumber, textTable } from "../report/text-format.ts";
import {
  type Distance,
  type PolicyMetrics,
  runSampler,
  type ScoredSample,
  type TrainedModel,
} from "./run-sampler.ts";

/** The format is documented in docs/formats.md. */
export interface RunMetrics extends PolicyMetrics {
  readonly modes: ModeCounts;
  readonly iterations: number;
  readonly seconds: number;
}

export interface Assessment {
  readonly metrics: RunMetrics;
  readonly samples: readonly ScoredSample[];
}

/** Evaluates a run, exactly if possible, and draws as many samples as its options say. */
export async function assess(trained: TrainedModel): Promise<Assessment> {
  const { task, options, snapshot } = trained;
  const sampler = await runSampler(trained, { seed: options.seed });
  try {
    const samples = await sampler.sample(options.samples ?? 1000);
    const modes = countModes({
      samples: samples.map(({ object }) => object),
      scores: samples.map(({ score }) => score),
      task,
      distributions: sampler.distributions,
    });
    const { iteration: iterations, seconds } = snapshot;
    return { metrics: { ...sampler.metricsOf(samples), modes, iterations, seconds }, samples };
  } finally {
    await sampler.dispose();
  }
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
