// `gflownet compare`: runs methods at several noise levels with several seeds, and writes tables, figures and a page.

import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { type Comparison, comparisonTitle } from "../../compare/comparison.ts";
import { COMPARISON_FILES, type ComparisonFolder, openComparison } from "../../compare/comparison-folder.ts";
import { comparisonFromInput, resumedComparison } from "../../compare/comparison-input.ts";
import type { ComparisonInput } from "../../compare/comparison-keys.ts";
import { experimentsOf } from "../../compare/experiment-grid.ts";
import { experimentOptionsOf, fittingExperiments } from "../../compare/experiment-options.ts";
import { experimentFiles, experimentSettings } from "../../compare/experiment-unit.ts";
import { methodWarnings } from "../../compare/method-issues.ts";
import {
  type ComparisonEvent,
  type FailedExperiment,
  failureText,
  remainingWork,
  runExperiments,
  writeResults,
} from "../../compare/run-comparison.ts";
import { summaryRows, summaryText, timeRows } from "../../compare/summary.ts";
import type { Executor } from "../../executor/unit.ts";
import { type Issue, UserError } from "../../issues.ts";
import { formatBytes, memoryBudget } from "../../math/memory-budget.ts";
import { nextRunFolder } from "../../run/run-folder.ts";
import { commandLine } from "../command-name.ts";
import { CompareDisplay } from "../compare-display.ts";
import { validFlags } from "../config-input.ts";
import { executorOf } from "../executor.ts";
import type { ConfigInput } from "../input.ts";
import { printJson } from "../output.ts";
import { shellPath, shellWord } from "../paths.ts";
import { EXIT_CODES } from "../report-error.ts";
import { Stop } from "../stop.ts";
import { writeReport } from "../write-report.ts";

export interface CompareCommand {
  /** Experiments at a time. Default: the number of cores. */
  readonly jobs?: number;
  /** The queue whose workers run the experiments. */
  readonly queue?: string;
  readonly out?: string;
  readonly resume?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function compare(
  input: ConfigInput,
  options: ComparisonInput,
  command: CompareCommand,
): Promise<void> {
  const stop = new Stop();
  const comparison = await comparisonOf(input, options, command);
  // Checked before the folder is created.
  const { task } = await experimentOptionsOf(experimentSettings(comparison, experimentsOf(comparison)[0]));
  const jobs = await checkedJobs(comparison, command.jobs);
  if (!command.quiet) {
    const { methods, settings } = comparison;
    for (const warning of await methodWarnings(methods, settings)) {
      process.stderr.write(`gflownet: ${warning.replaceAll("`", "")}\n`);
    }
  }
  // Also before the folder is created: a queue may not answer.
  const executor = await executorOf({ ...command, jobs, files: experimentFiles(comparison) });
  const path = command.resume ?? command.out ?? (await nextRunFolder("comparisons", task.name));
  const folder = await folderFor(executor, resolve(path), comparison);
  let hasResults = false;
  try {
    const failures = await stop
      .whileListening(() => run(folder, comparison, { ...command, executor }, stop.signal))
      .finally(() => executor.close());
    if (stop.reason) {
      printStopped(folder, stop, command);
      return;
    }
    const { results, finished } = await writeResults(folder, comparison, { failures, taskLabel: task.label });
    if (command.json) {
      const [table, times] = [summaryRows(results), timeRows(results)];
      printJson({ kind: "end", comparison: folder.path, table, times });
    }
    print(command, `\n${summaryText(results, finished)}\n`);
    for (const failure of failures) print(command, failureText(failure));
    if (failures.length > 0) process.exitCode = EXIT_CODES.failed;
    hasResults = true;
  } finally {
    await folder.close();
  }
  if (!hasResults) return;
  // Not earlier, because a comparison that is open is shown as running.
  const report = join(folder.path, COMPARISON_FILES.report);
  await writeReport([folder.path], report);
  print(command, `The report is ${report}; open it in a browser.`);
}

/** Opens the folder of a comparison. If that fails, the executor ends. */
export async function folderFor(
  executor: Executor,
  path: string,
  comparison: Comparison,
): Promise<ComparisonFolder> {
  try {
    return await openComparison(path, comparison);
  } catch (error) {
    await executor.close();
    throw error;
  }
}

function comparisonOf(
  { flags, issues }: ConfigInput,
  options: ComparisonInput,
  { resume, out }: CompareCommand,
): Promise<Comparison> {
  const config = validFlags({ flags, issues });
  const valid = validFlags({ flags: { ...options }, issues }) as ComparisonInput;
  if (resume === undefined) return comparisonFromInput(config, valid, issues);
  const message = "cannot be combined with --resume; remove one of them";
  const bothFolders: Issue[] = out === undefined ? [] : [{ path: "--out", code: "conflict", message }];
  return resumedComparison(resume, config, valid, [...issues, ...bothFolders]);
}

/** The number of experiments at a time: at most as many as fit into memory. Throws if the user asked for more. */
export async function checkedJobs(comparison: Comparison, asked?: number): Promise<number> {
  const { count, bytes } = await fittingExperiments(comparison);
  const experiments = Math.min(asked ?? availableParallelism(), experimentsOf(comparison).length);
  if (asked === undefined || experiments <= count) return Math.min(experiments, count);
  const { memory } = memoryBudget();
  const message =
    `${asked} would take about ${formatBytes(experiments * bytes)} of memory, ` +
    `but about ${formatBytes(memory)} are available; at most ${count} fits`;
  throw new UserError([{ path: "--jobs", code: "memory", message }]);
}

async function run(
  folder: ComparisonFolder,
  comparison: Comparison,
  command: CompareCommand & { readonly executor: Executor },
  signal: AbortSignal,
): Promise<FailedExperiment[]> {
  const { total, remaining, damaged } = await remainingWork(folder, comparison);
  for (const file of damaged) {
    process.stderr.write(`gflownet: ${file} is damaged; its experiment runs again\n`);
  }
  const finished = total - remaining.length;
  const note = finished > 0 ? `, ${finished} of them already finished` : "";
  print(command, `${comparisonTitle(comparison)}${note}.`);
  const screen = command.json || command.quiet ? undefined : process.stdout;
  const display = screen && new CompareDisplay(screen, { total, remaining: remaining.length });
  const options = { experiments: remaining, executor: command.executor, signal };
  try {
    return await runExperiments(folder, comparison, options, (event) => {
      display?.handle(event);
      if (event.kind === "failed" && !display) {
        process.stderr.write(`gflownet: ${failureText({ ...event.experiment, message: event.message })}\n`);
      }
      if (command.json) printEvent(event);
    });
  } finally {
    display?.clear();
  }
}

function printEvent(event: ComparisonEvent): void {
  const { experiment } = event;
  if (event.kind === "record") printJson({ kind: "record", ...experiment, ...event.record });
  if (event.kind === "failed") printJson({ kind: "failed", ...experiment, message: event.message });
}

function printStopped(folder: ComparisonFolder, { reason }: Stop, command: CompareCommand): void {
  process.exitCode = reason?.exitCode;
  const resume = `resume with: ${commandLine("compare", "--resume", shellPath(folder.path), ...queueFlag(command))}`;
  if (command.json && !reason?.closed) printJson({ kind: "stopped", comparison: folder.path });
  if (reason?.closed || reason?.failure) {
    process.stderr.write(`gflownet: ${reason.failure ?? "the output was closed"}; stopped, ${resume}\n`);
    return;
  }
  print(command, `Stopped; finished experiments are in ${folder.path}.\nR${resume.slice(1)}`);
}

/** The queue for a command that resumes this one: its units may be waiting there. */
export function queueFlag({ queue }: Pick<CompareCommand, "queue">): string[] {
  return queue === undefined ? [] : ["--queue", shellWord(queue)];
}

/** Prints human-readable text; nothing with --json or --quiet. */
function print({ json, quiet }: CompareCommand, text: string): void {
  if (!json && !quiet) process.stdout.write(`${text}\n`);
}
