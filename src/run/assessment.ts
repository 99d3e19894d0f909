// The final metrics of a run: `train` ends with them, and `evaluate` computes the same numbers again.

import { countModes, type ModeCounts } from "../gfn/evaluate/mode-counts.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import type { Reserve } from "../gfn/training/time-budget.ts";
import { formatNumber, textTable } from "../report/text-format.ts";
import {
  type Distance,
  type PolicyMetrics,
  type RunSampler,
  type ScoredSample,
  samplerPrograms,
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

/** The programs of an assessment, which can be compiled before training ends. */
export interface Assessor {
  assess(snapshot: Snapshot): Promise<Assessment>;
  /** The time that an assessment takes. Samples from untrained networks. */
  rehearse(): Promise<Reserve>;
  dispose(): Promise<void>;
}

/** Time to end a process and to write its files. */
const CLOSING_SECONDS = 0.1;

export async function assessor(run: Omit<TrainedModel, "snapshot">): Promise<Assessor> {
  const { task, options } = run;
  const programs = await samplerPrograms(run);
  const draw = async (sample: RunSampler["sample"]) => {
    const samples = await sample(options.samples ?? 1000);
    const [objects, scores] = [samples.map(({ object }) => object), samples.map(({ score }) => score)];
    return { samples, modes: countModes({ samples: objects, scores, task }) };
  };
  return {
    async assess(snapshot) {
      const sampler = await programs.sampler(snapshot, options.seed);
      const { samples, modes } = await draw(sampler.sample);
      const { iteration: iterations, seconds } = snapshot;
      return { metrics: { ...sampler.metricsOf(samples), modes, iterations, seconds }, samples };
    },
    async rehearse() {
      await draw(programs.rehearse); // the first call is slower
      const started = performance.now();
      await draw(programs.rehearse);
      const seconds = (performance.now() - started) / 1000 + CLOSING_SECONDS;
      return { seconds, evaluations: programs.exact ? 1 : 0 };
    },
    dispose: () => programs.dispose(),
  };
}

/** Evaluates a run, exactly if possible, and draws as many samples as its options say. */
export async function assess(trained: TrainedModel): Promise<Assessment> {
  const { assess, dispose } = await assessor(trained);
  try {
    return await assess(trained.snapshot);
  } finally {
    await dispose();
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
