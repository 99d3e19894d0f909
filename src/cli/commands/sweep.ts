// `gflownet sweep`: runs a method with settings over lists or ranges, and writes a table, figures and a page.

import { join, resolve } from "node:path";
import type { Comparison } from "../../compare/comparison.ts";
import { COMPARISON_FILES, readComparison } from "../../compare/comparison-folder.ts";
import { comparisonFromInput } from "../../compare/comparison-input.ts";
import type { ComparisonInput } from "../../compare/comparison-keys.ts";
import { experimentsOf } from "../../compare/experiment-grid.ts";
import { experimentOptionsOf } from "../../compare/experiment-options.ts";
import { experimentFiles, experimentSettings } from "../../compare/experiment-unit.ts";
import { failureText } from "../../compare/run-comparison.ts";
import type { Config } from "../../config/config.ts";
import { readText } from "../../disk/open-file.ts";
import { RunNameError } from "../../disk/run-error.ts";
import { type Issue, throwIssues, UserError } from "../../issues.ts";
import { formatCount, formatCountOf } from "../../report/text-format.ts";
import { nextRunFolder } from "../../run/run-folder.ts";
import { runSweep, SWEEP_FILES } from "../../sweep/run-sweep.ts";
import {
  parseSweep,
  pointsOf,
  rungsOf,
  type Sweep,
  type SweepInput,
  sweepFromInput,
  sweepText,
} from "../../sweep/sweep.ts";
import { type SweepResults, sweepResultsText, writeSweepResults } from "../../sweep/sweep-results.ts";
import { commandLine } from "../command-name.ts";
import { CompareDisplay } from "../compare-display.ts";
import { validFlags } from "../config-input.ts";
import { executorOf } from "../executor.ts";
import type { ConfigInput } from "../input.ts";
import { printJson } from "../output.ts";
import { shellPath } from "../paths.ts";
import { EXIT_CODES } from "../report-error.ts";
import { Stop } from "../stop.ts";
import { writeReport } from "../write-report.ts";
import { checkedJobs, folderFor, queueFlag } from "./compare.ts";

export interface SweepCommand {
  readonly jobs?: number;
  /** The queue whose workers run the experiments. */
  readonly queue?: string;
  readonly out?: string;
  readonly resume?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface Prepared {
  readonly sweep: Sweep;
  readonly comparison: Comparison;
}

export async function sweep(
  input: ConfigInput,
  options: SweepInput & ComparisonInput,
  command: SweepCommand,
): Promise<void> {
  const stop = new Stop();
  const { sweep, comparison } =
    command.resume === undefined
      ? await newSweep(input, options)
      : await resumedSweep(command.resume, input, options, command);
  const [first] = experimentsOf(comparison);
  const { task } = await experimentOptionsOf(experimentSettings(comparison, first));
  const jobs = await checkedJobs(comparison, command.jobs);
  // Before the folder is created: a queue may not answer.
  const executor = await executorOf({ queue: command.queue, jobs, files: experimentFiles(comparison) });
  const path = resolve(command.resume ?? command.out ?? (await nextRunFolder("sweeps", task.name)));
  const folder = await folderFor(executor, path, comparison);
  const print = (text: string) => {
    if (!command.json && !command.quiet) process.stdout.write(`${text}\n`);
  };
  let results: SweepResults | undefined;
  try {
    await checkSame(path, sweep);
    await folder.writeResult(SWEEP_FILES.sweep, sweepText(sweep));
    const points = pointsOf(sweep);
    const { batch } = comparison.settings as { readonly batch: number };
    const largest = Math.max(batch, ...points.map(({ values }) => Number(values.batch ?? 0)));
    const rungs = rungsOf(sweep, points.length, comparison.calls, largest);
    const seeds = comparison.seeds.length;
    print(
      `${comparison.settings.task}: ${formatCountOf(points.length, "setting")} of ${sweep.method}, ${formatCountOf(seeds, "seed")} each.`,
    );
    let display: CompareDisplay | undefined;
    const failures = await stop.whileListening(() =>
      runSweep(
        { folder, comparison, sweep, points, rungs, executor, signal: stop.signal },
        {
          onRung(experiments, calls) {
            display?.clear();
            const until = calls === null ? "" : ` until ${formatCount(calls)} calls`;
            print(`${formatCountOf(experiments.length, "experiment")}${until}:`);
            const screen = command.json || command.quiet ? undefined : process.stdout;
            const count = experiments.length;
            display = screen && new CompareDisplay(screen, { total: count, remaining: count });
          },
          onEvent(event) {
            display?.handle(event);
            const { experiment } = event;
            if (command.json && event.kind === "record")
              printJson({ kind: "record", ...experiment, ...event.record });
            if (event.kind !== "failed") return;
            if (command.json) printJson({ kind: "failed", ...experiment, message: event.message });
            else if (!display)
              process.stderr.write(`gflownet: ${failureText({ ...experiment, message: event.message })}\n`);
          },
        },
      ),
    );
    display?.clear();
    if (stop.reason) {
      process.exitCode = stop.reason.exitCode;
      const resume = commandLine("sweep", "--resume", shellPath(path), ...queueFlag(command));
      if (command.json && !stop.reason.closed) printJson({ kind: "stopped", sweep: path });
      else print(`Stopped; finished experiments are in ${path}.\nResume with: ${resume}`);
      return;
    }
    results = await writeSweepResults({ folder, comparison, sweep, points, failures, taskLabel: task.label });
    if (command.json) {
      const table = results.scores.map(({ method, values, mean, deviation, seeds, calls }) => ({
        ...{ method, values, mean, deviation, seeds, calls },
      }));
      printJson({ kind: "end", sweep: path, metric: sweep.metric, table });
    }
    print(`\n${sweepResultsText(results)}\n`);
    for (const failure of failures) print(failureText(failure));
    if (failures.length > 0) process.exitCode = EXIT_CODES.failed;
  } finally {
    await executor.close();
    await folder.close();
  }
  const report = join(path, COMPARISON_FILES.report);
  await writeReport([path], report);
  print(`The report is ${report}; open it in a browser.`);
}

async function newSweep(
  { flags, issues }: ConfigInput,
  options: SweepInput & ComparisonInput,
): Promise<Prepared> {
  const invalid = new Set(issues.map(({ path }) => path));
  const valid = Object.fromEntries(Object.entries(options).filter(([name]) => !invalid.has(name)));
  const { method, vary, strategy, samples, sampleSeed, eta, metric, ...rest } = valid as SweepInput &
    ComparisonInput;
  const given = { method, vary, strategy, samples, sampleSeed, eta, metric };
  const sweep = sweepFromInput(given, issues);
  if (sweep.strategy === "halving" && rest.calls === undefined) {
    const message = "is missing; successive halving needs a budget of oracle calls";
    throw new UserError([{ path: "calls", code: "missing", message }]);
  }
  const methods = pointsOf(sweep).map((point) => point.method);
  const config = validFlags({ flags, issues });
  const comparison = await comparisonFromInput(config, { ...rest, methods }, [], {
    variesProblem: true,
  }).catch((error: unknown) => {
    throw error instanceof UserError ? new UserError(distinctIssues(error.issues)) : error;
  });
  return { sweep, comparison };
}

async function resumedSweep(
  folder: string,
  { flags, issues }: ConfigInput,
  options: SweepInput & ComparisonInput,
  { out }: SweepCommand,
): Promise<Prepared> {
  const { task: _, ...config }: Config = flags;
  const given = Object.entries({ ...config, ...options, ...(out !== undefined && { out }) }).filter(
    ([, value]) => value !== undefined,
  );
  throwIssues([
    ...issues,
    ...given.map(([path]) => ({
      path,
      code: "conflict",
      message: "cannot be changed when a sweep is resumed; remove it",
    })),
  ]);
  const file = join(resolve(folder), SWEEP_FILES.sweep);
  const text = await readText(file);
  if (text === null)
    throw new RunNameError(
      `${resolve(folder)} is not a sweep: it has no ${SWEEP_FILES.sweep}; give the folder of a sweep`,
    );
  return { sweep: parseSweep(text, file), comparison: await readComparison(folder) };
}

/** Throws if the folder has a sweep by other rules. */
async function checkSame(path: string, sweep: Sweep): Promise<void> {
  const file = join(path, SWEEP_FILES.sweep);
  const text = await readText(file);
  if (text === null || text === sweepText(sweep)) return;
  const existing = parseSweep(text, file);
  const names = (Object.keys(sweep) as (keyof Sweep)[]).filter(
    (name) => JSON.stringify(existing[name]) !== JSON.stringify(sweep[name]),
  );
  const issues = names.map((name): Issue => {
    const message = `must be ${JSON.stringify(existing[name])} as in the existing sweep, got ${JSON.stringify(sweep[name])}`;
    return { path: name, code: "conflict", message };
  });
  throwIssues(issues, { source: path });
}

/** Settings of a grid share most of their issues. */
function distinctIssues(issues: readonly Issue[]): Issue[] {
  const byText = new Map(issues.map((issue) => [`${issue.path} ${issue.message}`, issue]));
  return [...byText.values()];
}
