// `gflownet train`: trains a new run or resumes one, and shows its progress.

import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { readConfig, unusedSettings } from "../../config/index.ts";
import type { TrainEvent } from "../../gfn/training/events.ts";
import type { Snapshot } from "../../gfn/training/snapshot.ts";
import { type Issue, translateNames, UserError, withSource } from "../../issues.ts";
import { formatCount, textTable } from "../../report/text-format.ts";
import { type Assessment, describeMetrics } from "../../run/assessment.ts";
import { describeRun } from "../../run/describe-run.ts";
import { checkAvailable, nextRunFolder } from "../../run/new-folder.ts";
import type { Run } from "../../run/run-folder.ts";
import {
  configureRun,
  finishRun,
  isComplete,
  type OpenRun,
  resumeRun,
  startRun,
  type TrainedState,
  trainRun,
} from "../../run/train-run.ts";
import { loadUserModule } from "../../run/user-module.ts";
import { flagOf } from "../config-flags.ts";
import { checkInput, parseInput } from "../config-input.ts";
import { Display } from "../display.ts";
import type { ConfigInput } from "../input.ts";
import { printJson } from "../output.ts";
import { shellPath, shortPath } from "../paths.ts";
import { Stop, type StopReason } from "../stop.ts";

export interface TrainCommand {
  /** A config file; flags override it. */
  readonly config?: string;
  /** Training time, instead of a number of iterations. */
  readonly seconds?: number;
  /** Folder of the run. Default: a new folder in `runs`. */
  readonly out?: string;
  /** Module with the score function of a run that was trained from TypeScript. */
  readonly module?: string;
  /** The run to resume. */
  readonly resume?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Number of best objects that the last table shows. */
const BEST = 10;

export async function train(input: ConfigInput, command: TrainCommand): Promise<void> {
  const stop = new Stop();
  const open =
    command.resume === undefined ? await begin(input, command) : await resume(command.resume, input, command);
  try {
    const { snapshot, stopped } = await stop.whileListening(() => follow(open, command, stop));
    if (stop.reason && stopped) printStopped(open.run, snapshot, stop.reason, command);
    else await finish(open, snapshot, command);
  } finally {
    await open.run.close();
  }
  if (stop.reason?.failure && process.exitCode === undefined) throw new Error(stop.reason.failure);
}

async function begin({ flags, issues }: ConfigInput, command: TrainCommand): Promise<OpenRun> {
  const bothBudgets: Issue[] =
    command.seconds && flags.iterations !== undefined
      ? [{ path: "--seconds", code: "conflict", message: "excludes --iterations; give one of them" }]
      : [];
  const file: Config = command.config ? await readConfig(command.config) : {};
  const config = await parseInput({ flags, issues: [...issues, ...bothBudgets] }, file);
  if (command.out !== undefined) await checkAvailable(command.out);
  if (command.seconds !== undefined) {
    print(command, `Measuring how many iterations fit into ${command.seconds} s.`);
  }
  const configured = await configureRun(config, command.seconds).catch((error) => {
    if (command.config === undefined) throw error;
    const isFromFile = (path: string) => Object.hasOwn(file, path) && flags[path] === undefined;
    throw withSource(error, command.config, isFromFile);
  });
  if (!command.quiet) {
    // Checks flags only: a complete config file has all keys, including those without effect.
    for (const warning of unusedSettings(flags, configured.config)) {
      process.stderr.write(`gflownet: ${translateNames(warning, flagOf)}\n`);
    }
  }
  const folder = command.out ?? (await nextRunFolder("runs", configured.config.task));
  return startRun(resolve(folder), configured);
}

async function resume(
  folder: string,
  { flags, issues }: ConfigInput,
  command: TrainCommand,
): Promise<OpenRun> {
  checkInput(issues);
  const { task, ...settings } = flags;
  const others = [command.config, command.seconds, command.out, ...Object.values(settings)];
  if (others.some((value) => value !== undefined)) {
    throw new UserError("--resume continues a run with its own config; give no other settings");
  }
  const open = await resumeRun(
    folder,
    command.module === undefined ? {} : await loadUserModule(command.module),
  );
  if (task === undefined || task === open.config.task) return open;
  await open.run.close();
  throw new UserError(`${open.run.folder} is a run of ${open.config.task}, not of ${task}`);
}

/** Trains, shows the events, and returns the final state. */
async function follow(open: OpenRun, command: TrainCommand, { signal }: Stop): Promise<TrainedState> {
  if (open.snapshot && isComplete(open)) {
    print(command, describeRun(open));
    return { snapshot: open.snapshot, stopped: false };
  }
  const display = command.json || command.quiet ? undefined : new Display(process.stdout);
  const events = trainRun(open, signal);
  let started = false;
  try {
    while (true) {
      const next = await events.next();
      if (next.done) return next.value;
      if (!started) print(command, describeRun(open));
      started = true;
      display?.handle(next.value);
      if (command.json) printEvent(next.value, open.config.logEvery);
    }
  } catch (error) {
    display?.clear();
    throw error;
  }
}

/** A checkpoint is printed without its contents. */
function printEvent(event: TrainEvent, logEvery: number): void {
  if (event.kind === "checkpoint") printJson({ kind: event.kind, iteration: event.iteration });
  else if (event.kind === "iteration" && event.iteration % logEvery !== 0) return;
  else if (event.kind !== "end") printJson(event);
}

/** Evaluates a complete run, and prints its metrics and best samples. */
async function finish(open: OpenRun, snapshot: Snapshot, command: TrainCommand): Promise<void> {
  const assessment = await finishRun(open, snapshot);
  const { metrics } = assessment;
  const { folder } = open.run;
  if (command.json) printJson({ kind: "end", run: folder, metrics });
  print(command, `\n${describeMetrics(metrics)}\n\n${bestTable(assessment)}\n`);
  print(command, `The run is in ${shortPath(folder)}.`);
  print(command, `Sample from it with: gflownet sample ${shellPath(folder)} -n 100`);
}

function printStopped(
  { folder }: Run,
  { iteration }: Snapshot,
  { exitCode, closed, failure }: StopReason,
  command: TrainCommand,
): void {
  process.exitCode = exitCode;
  const resumeCommand = `gflownet train --resume ${shellPath(folder)}`;
  if (closed || failure) {
    const reason = failure ?? "the reader of the output has closed it";
    process.stderr.write(
      `gflownet: ${reason}; stopped after iteration ${iteration}, resume with: ${resumeCommand}\n`,
    );
    return;
  }
  if (command.json) printJson({ kind: "stopped", run: folder, iteration });
  print(
    command,
    `Stopped after iteration ${formatCount(iteration)}; everything up to there is in ${shortPath(folder)}.`,
  );
  print(command, `Resume with: ${resumeCommand}`);
}

/** Prints human-readable text; nothing with --json or --quiet. */
function print({ json, quiet }: TrainCommand, text: string): void {
  if (!json && !quiet) process.stdout.write(`${text}\n`);
}

/** A table of the best distinct samples. */
function bestTable({ samples }: Assessment): string {
  const distinct = [...new Map(samples.map((sample) => [sample.object, sample])).values()];
  const best = distinct.sort((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, BEST);
  const rows = best.map(({ object, score, logProbability }) => [
    object,
    score?.toFixed(4) ?? "–",
    logProbability?.toFixed(2) ?? "–",
  ]);
  return textTable([["best sampled", "score", "log P"], ...rows]);
}
