// The figures that a run ends with, and that `evaluate` gives again: the same numbers, in one shape.

import { RandomStream } from "../engine/index.ts";
import { exactEvaluator, type LimitMeasures } from "../gfn/evaluate/exact-evaluator.ts";
import type { Measures } from "../gfn/evaluate/measures.ts";
import { type FoundModes, modesOf } from "../gfn/evaluate/run-metrics.ts";
import type { Model } from "../gfn/model.ts";
import { rewardTable } from "../gfn/reward.ts";
import { type Sample, sampler } from "../gfn/sample.ts";
import { learnsDynamics } from "../gfn/settings.ts";
import type { Snapshot } from "../gfn/snapshot.ts";
import type { TrainOptions } from "../gfn/train.ts";
import { figure, textTable } from "../report/text-table.ts";
import { modesTaskOf, type Task } from "../tasks/task.ts";

type Distance = Pick<Measures, "tv" | "kl">;

/** Stable: docs/formats.md. */
export interface Metrics {
  readonly exact: true;
  readonly tv: number;
  readonly kl: number;
  readonly expectedReward: number;
  readonly pearson: number | null;
  readonly spearman: number | null;
  readonly logZError: number | null;
  readonly dynamicsKl: number | null;
  readonly limit: Distance & Pick<LimitMeasures, "expectedReward" | "gap">;
  readonly uniform: Distance & Pick<Measures, "expectedReward">;
  readonly modes: FoundModes;
  readonly iterations: number;
  readonly seconds: number;
}

export interface ScoredSample extends Sample {
  readonly score: number;
  /** Exact, under the environment's noise. */
  readonly logProbability: number;
}

export interface Assessment {
  readonly metrics: Metrics;
  readonly samples: readonly ScoredSample[];
}

/** A run as it is after some training. */
export interface Assessed {
  readonly model: Model;
  readonly task: Task;
  readonly options: TrainOptions;
  readonly snapshot: Snapshot;
}

/** A run that was evaluated, and can be drawn from. */
export interface Reader {
  readonly measures: Omit<Metrics, "modes">;
  /** The next ones of a sequence that the seed decides. Whole batches keep it the same however it is divided. */
  draw(count: number): Promise<ScoredSample[]>;
  dispose(): Promise<void>;
}

/** Objects drawn at once. */
export const BATCH = 512;

/** Evaluates a run exactly, and draws from it as often as its config says. */
export async function assess(assessed: Assessed): Promise<Assessment> {
  const { task, options } = assessed;
  const reader = await readerOf(assessed, { seed: options.seed });
  try {
    const samples = await reader.draw(options.samples ?? 1000);
    const modes = modesOf({
      samples: samples.map(({ object }) => object),
      scores: samples.map(({ score }) => score),
      task: modesTaskOf(task),
    });
    const { iterations, seconds, ...measures } = reader.measures;
    return { metrics: { ...measures, modes, iterations, seconds }, samples };
  } finally {
    await reader.dispose();
  }
}

export async function readerOf(
  { model, task, options, snapshot }: Assessed,
  { seed, greedy }: { readonly seed: number; readonly greedy?: boolean },
): Promise<Reader> {
  const { engine, threads, objective } = options;
  const parameters = parametersOf(model, snapshot);
  const evaluator = await exactEvaluator({
    model,
    reward: rewardTable(task.scores, options.reward),
    balance: objective.balance,
    usesDynamics: learnsDynamics(objective),
    engine,
    threads,
  });
  try {
    const { limit, uniform } = evaluator;
    const { reached, terminals } = await evaluator.evaluate(parameters);
    const drawer = await sampler(model, { engine, threads, batch: BATCH, greedy });
    const stream = RandomStream.fromSeed(seed).split("samples");
    return {
      measures: {
        exact: true,
        ...reached,
        limit: { tv: limit.tv, kl: limit.kl, expectedReward: limit.expectedReward, gap: limit.gap },
        uniform: { tv: uniform.tv, kl: uniform.kl, expectedReward: uniform.expectedReward },
        iterations: snapshot.iteration,
        seconds: snapshot.seconds,
      },
      async draw(count) {
        const samples = await drawer.draw(parameters.policy, count, stream);
        return samples.map((sample) => ({
          ...sample,
          object: task.decode(sample.terminal),
          score: task.scores[sample.terminal],
          logProbability: Math.log(terminals[sample.terminal]),
        }));
      },
      dispose: () => drawer.dispose(),
    };
  } finally {
    await evaluator.dispose();
  }
}

export function parametersOf(model: Model, { tensors }: Snapshot) {
  const dynamics = tensors.dynamics ?? new Float32Array(model.dynamicsLayout.size);
  return { policy: tensors.policy as Float32Array, dynamics: dynamics as Float32Array };
}

/** The table "reached / limit / uniform". */
export function metricsTable({ limit, uniform, ...reached }: Metrics): string {
  const rows = [
    ["", "reached", "limit", "uniform"],
    ["total variation", figure(reached.tv), figure(limit.tv), figure(uniform.tv)],
    ["KL(target ‖ policy)", figure(reached.kl), figure(limit.kl), figure(uniform.kl)],
    ["expected reward", ...[reached, limit, uniform].map(({ expectedReward }) => figure(expectedReward))],
    ["log Z error", figure(reached.logZError), "", ""],
    ["KL(K ‖ P̂) per step", figure(reached.dynamicsKl), "", ""],
    ["Pearson correlation", figure(reached.pearson), "", ""],
    ["Spearman correlation", figure(reached.spearman), "", ""],
  ];
  return textTable(rows);
}
