// Runs the unfinished experiments of a comparison, and writes tables and figures of all finished experiments.

import { basename, isAbsolute, join } from "node:path";
import type { Executor } from "../executor/unit.ts";
import { pageText } from "../report/page-file.ts";
import type { Comparison } from "./comparison.ts";
import { COMPARISON_FILES, type ComparisonFolder, type FinishedExperiment } from "./comparison-folder.ts";
import { comparisonPage } from "./comparison-page.ts";
import { type Experiment, experimentFileName, experimentsOf, experimentTitle } from "./experiment-grid.ts";
import type { ExperimentRecord } from "./experiment-record.ts";
import { experimentUnit } from "./experiment-unit.ts";
import { figuresOf } from "./figures.ts";
import {
  type MethodResult,
  methodResultsOf,
  rowsCsv,
  summaryMarkdown,
  summaryRows,
  timeRows,
} from "./summary.ts";

export interface FailedExperiment extends Experiment {
  readonly message: string;
}

export function failureText({ message, ...experiment }: FailedExperiment): string {
  return `${experimentTitle(experiment)} failed: ${message}`;
}

/** The experiments that must still run, and the files that are damaged. */
export interface RemainingWork {
  readonly total: number;
  readonly remaining: readonly Experiment[];
  readonly damaged: readonly string[];
}

export async function remainingWork(
  folder: ComparisonFolder,
  comparison: Comparison,
): Promise<RemainingWork> {
  const { finished, damaged } = await folder.readExperiments();
  const done = new Set(finished.map(experimentFileName));
  const all = experimentsOf(comparison);
  const remaining = all.filter((experiment) => !done.has(experimentFileName(experiment)));
  return { total: all.length, remaining, damaged };
}

/** What happens to an experiment. */
export type ComparisonEvent = { readonly experiment: Experiment } & (
  | { readonly kind: "started" }
  | { readonly kind: "progress"; readonly progress: number }
  | { readonly kind: "record"; readonly record: ExperimentRecord }
  | { readonly kind: "finished"; readonly records: readonly ExperimentRecord[] }
  | { readonly kind: "failed"; readonly message: string }
);

export interface RunOptions {
  readonly experiments: readonly Experiment[];
  readonly executor: Executor;
  /** Aborting it ends all experiments and starts no more. */
  readonly signal: AbortSignal;
  /** Oracle calls after which the experiments end early. Default: at the end of their budget. */
  readonly stop?: number;
}

/** Runs experiments, writes each when it ends, and returns those that failed. */
export async function runExperiments(
  folder: ComparisonFolder,
  comparison: Comparison,
  { experiments, executor, signal, stop }: RunOptions,
  onEvent: (event: ComparisonEvent) => void,
): Promise<FailedExperiment[]> {
  const failures: FailedExperiment[] = [];
  const units = experiments.map((experiment) => experimentUnit(comparison, experiment, stop));
  await executor.run(
    units,
    async ({ index, ...rest }) => {
      const event = { ...rest, experiment: experiments[index] } as unknown as ComparisonEvent;
      if (event.kind === "finished") await folder.writeExperiment(event.experiment, event.records, stop);
      if (event.kind === "failed") failures.push({ ...event.experiment, message: event.message });
      onEvent(event);
    },
    signal,
  );
  return failures;
}

export interface ComparisonResults {
  readonly results: readonly MethodResult[];
  readonly finished: readonly FinishedExperiment[];
}

/** Writes tables and figures. `taskLabel` describes the scores of the task. */
export async function writeResults(
  folder: ComparisonFolder,
  comparison: Comparison,
  { failures, taskLabel }: { readonly failures: readonly FailedExperiment[]; readonly taskLabel: string },
): Promise<ComparisonResults> {
  const { finished } = await folder.readExperiments();
  const results = methodResultsOf(comparison, finished, failures);
  const progressUnit = comparison.calls === null ? "seconds" : "oracle calls";
  const figures = figuresOf({ ...comparison, finished, progressUnit });
  const scores = scoresText(comparison, taskLabel);
  const page = comparisonPage({ name: basename(folder.path), comparison, results, figures, scores });
  await folder.writeResult(COMPARISON_FILES.csv, rowsCsv(summaryRows(results)));
  await folder.writeResult(COMPARISON_FILES.times, rowsCsv(timeRows(results)));
  await folder.writeResult(COMPARISON_FILES.markdown, summaryMarkdown(results));
  await folder.writeResult(COMPARISON_FILES.page, pageText(page));
  for (const { name, svg } of Object.values(figures).flat()) {
    await folder.writeResult(join(COMPARISON_FILES.figures, `${name}.svg`), `${svg}\n`);
  }
  return { results, finished };
}

/** The source of the scores. For a file this is its name without its folder, because the page may be sent to others. */
function scoresText({ settings: { table } }: Comparison, taskLabel: string): string {
  return typeof table === "string" && isAbsolute(table) ? `scores from ${basename(table)}` : taskLabel;
}
