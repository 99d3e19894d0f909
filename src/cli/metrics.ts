// The figures that a run ends with, and that `evaluate` gives again: the same numbers, in one shape.

import { type FoundModes, modesOf } from "../gfn/evaluate/run-metrics.ts";
import { figure, textTable } from "../report/text-table.ts";
import { modesTaskOf } from "../tasks/task.ts";
import { type Assessed, type Distance, type Figures, readerOf, type ScoredSample } from "./reader.ts";

/** Stable: docs/formats.md. */
export interface Metrics extends Figures {
  readonly modes: FoundModes;
  readonly iterations: number;
  readonly seconds: number;
}

export interface Assessment {
  readonly metrics: Metrics;
  readonly samples: readonly ScoredSample[];
}

/** Evaluates a run, exactly if that is possible, and draws from it as often as its config says. */
export async function assess(assessed: Assessed): Promise<Assessment> {
  const { task, options, snapshot } = assessed;
  const reader = await readerOf(assessed, { seed: options.seed });
  try {
    const samples = await reader.draw(options.samples ?? 1000);
    const modes = modesOf({
      samples: samples.map(({ object }) => object),
      scores: samples.map(({ score }) => score),
      task: modesTaskOf(task),
    });
    const { iteration: iterations, seconds } = snapshot;
    return { metrics: { ...reader.figuresOf(samples), modes, iterations, seconds }, samples };
  } finally {
    await reader.dispose();
  }
}

/** The table "reached / limit / uniform", or "sampled / limit / uniform". */
export function metricsTable({ limit, uniform, ...reached }: Metrics): string {
  const all = (name: string, measure: keyof Distance) => [
    name,
    ...[reached, limit, uniform].map((whose) => figure(whose[measure])),
  ];
  const own = (name: string, value: number | null | undefined) => [name, figure(value), "", ""];
  const tv = all("total variation", "tv");
  const reward = all("expected reward", "expectedReward");
  const rows = reached.exact
    ? [
        ["", "reached", "limit", "uniform"],
        tv,
        all("KL(target ‖ policy)", "kl"),
        reward,
        own("log Z error", reached.logZError),
        own("KL(K ‖ P̂) per step", reached.dynamicsKl),
        own("Pearson correlation", reached.pearson),
        own("Spearman correlation", reached.spearman),
      ]
    : [
        ["", "sampled", "limit", "uniform"],
        tv,
        own("  of a perfect sampler", reached.floor),
        all("KL(target ‖ policy)", "kl"),
        reward,
      ];
  return textTable(rows);
}
