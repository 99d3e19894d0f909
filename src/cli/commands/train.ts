// `gflownet train`: trains a new run, resumes one or repeats one, and shows its progress.

import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { readConfig, unusedSettings } from "../../config/index.ts";
import type { TrainEvent } from "../../gfn/training/events.ts";
import type { Snapshot } from "../../gfn/training/snapshot.ts";
import { translateNames, UserError, withSource } from "../../issues.ts";
import { formatCount, textTable } from "../../report/text-format.ts";
import { type Assessment, describeMetrics } from "../../run/assessment.ts";
import { describeRun } from "../../run/describe-run.ts";
import { checkAvailable, nextRunFolder } from "../../run/new-folder.ts";
import type { RunComputation, RunLength } from "../../run/run-computation.ts";
import type { Run } from "../../run/run-folder.ts";
import {
  configureRun,
  finishRun,
  isComplete,
  type OpenRun,
  repeatedConfig,
  resumeRun,
  startRun,
  type TrainedState,
  trainRun,
} from "../../run/train-run.ts";
import { computationInThread, startTrainingThread, ThreadEndedError } from "../../run/training-thread.ts";
import { loadUserModule } from "../../run/user-module.ts";
import { commandLine } from "../command-name.ts";
import { flagOf } from "../config-flags.ts";
import { checkInput, parseInput } from "../config-input.ts";
import { Display } from "../display.ts";
import type { ConfigInput } from "../input.ts";
import { printJson } from "../output.ts";
import { shellPath, shortPath } from "../paths.ts";
import { Stop, type StopReason } from "../stop.ts";
import { TimeWarnings } from "../time-warnings.ts";

export interface TrainCommand {
  /** A config file; flags override it. */
  readonly config?: string;
  /** Folder of the run. Default: a new folder in `runs`. */
  readonly out?: string;
  /** Module with the score function of a run that was trained from TypeScript. */
  readonly module?: string;
  /** The run to resume. */
  readonly resume?: string;
  /** The run to train again, by the plan that it recorded. */
  readonly repeat?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Number of best objects that the last table shows. */
const BEST = 10;

export async function train(input: ConfigInput, command: TrainCommand): Promise<void> {
  const stop = new Stop();
  startTrainingThread();
  const open =
    command.resume === undefined ? await begin(input, command) : await resume(command.resume, input, command);
  try {
    await stop.whileListening(() => trainAndFinish(open, command, stop));
  } finally {
    await open.run.close();
  }
  if (stop.reason?.failure && process.exitCode === undefined) throw new Error(stop.reason.failure);
}

async function begin(input: ConfigInput, command: TrainCommand): Promise<OpenRun> {
  const { flags } = input;
  const file: Config = command.config ? await readConfig(command.config) : {};
  const config =
    command.repeat === undefined
      ? await parseInput(input, file)
      : await repeated(command.repeat, input, command);
  if (command.out !== undefined) await checkAvailable(command.out);
  const configured = await configureRun(config).catch((error) => {
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

/** The config of a run that repeats another one. */
async function repeated(
  folder: string,
  { flags, issues }: ConfigInput,
  { config, resume }: TrainCommand,
): Promise<Config> {
  checkInput(issues);
  if ([config, resume, ...Object.values(flags)].some((value) => value !== undefined)) {
    throw new UserError("--repeat trains a run again with its own config; give no other settings than --out");
  }
  return repeatedConfig(folder);
}

async function resume(
  folder: string,
  { flags, issues }: ConfigInput,
  command: TrainCommand,
): Promise<OpenRun> {
  checkInput(issues);
  const { task, iterations, seconds, ...settings } = flags;
  const others = [command.config, command.out, command.repeat, ...Object.values(settings)];
  if (others.some((value) => value !== undefined)) {
    throw new UserError(
      "--resume continues a run with its own config; give no other settings than --seconds or --iterations",
    );
  }
  const given = command.module === undefined ? {} : await loadUserModule(command.module);
  const open = await resumeRun(folder, given, lengthOf(iterations, seconds));
  if (task === undefined || task === open.config.task) return open;
  await open.run.close();
  throw new UserError(`${open.run.folder} is a run of ${open.config.task}, not of ${task}`);
}

function lengthOf(iterations: number | undefined, seconds: number | undefined): RunLength | undefined {
  if (iterations !== undefined && seconds !== undefined) {
    const message = "excludes `iterations`; give one of them";
    throw new UserError([{ path: "seconds", code: "conflict", message }]);
  }
  if (iterations !== undefined) return { iterations };
  return seconds === undefined ? undefined : { seconds };
}

/** Trains in a thread of its own, so that this one answers signals while the other one computes. */
async function trainAndFinish(open: OpenRun, command: TrainCommand, stop: Stop): Promise<void> {
  let snapshot = open.snapshot;
  let computation: RunComputation | undefined;
  try {
    computation = await computationInThread(
      { folder: open.run.folder, module: command.module },
      stop.interruption,
    );
    const state = await follow(open, computation, command, stop);
    snapshot = state.snapshot;
    if (snapshot && !state.stopped) await finish(open, snapshot, computation, command);
    else if (stop.reason) printStopped(open.run, snapshot, stop.reason, command);
  } catch (error) {
    if (!(error instanceof ThreadEndedError) || !stop.reason) throw error;
    printStopped(open.run, snapshot, stop.reason, command);
  } finally {
    await computation?.close();
  }
}

/** Trains, shows the events, and returns the final state. */
async function follow(
  open: OpenRun,
  computation: RunComputation,
  command: TrainCommand,
  { signal }: Stop,
): Promise<TrainedState> {
  print(command, describeRun(open));
  if (isComplete(open)) return { snapshot: open.snapshot, stopped: false };
  const display = command.json || command.quiet ? undefined : new Display(process.stdout);
  const seconds = secondsOf(open);
  const warnings =
    seconds === undefined || command.quiet
      ? undefined
      : new TimeWarnings(seconds, (text) => {
          display?.clear();
          process.stderr.write(`gflownet: ${text}\n`);
        });
  // The time of a command includes its start.
  const events = trainRun(open, { computation, signal, origin: performance.timeOrigin });
  display?.wait("compiling");
  try {
    while (true) {
      const next = await events.next();
      if (next.done) return next.value;
      display?.handle(next.value);
      warnings?.handle(next.value);
      if (command.json) printEvent(next.value, open.config.logEvery);
    }
  } finally {
    warnings?.end();
    display?.clear();
  }
}

/** The time that the run is asked to take; undefined if it follows a number of iterations or a recorded plan. */
function secondsOf({ config, snapshot, length }: OpenRun): number | undefined {
  if (length) return "seconds" in length ? length.seconds : undefined;
  return snapshot?.plan?.length ? undefined : config.seconds;
}

/** A checkpoint is printed without its contents. */
function printEvent(event: TrainEvent, logEvery: number): void {
  if (event.kind === "checkpoint") printJson({ kind: event.kind, iteration: event.iteration });
  else if (event.kind === "iteration" && event.iteration % logEvery !== 0) return;
  else if (event.kind !== "end") printJson(event);
}

/** Evaluates a complete run, and prints its metrics and best samples. */
async function finish(
  open: OpenRun,
  snapshot: Snapshot,
  computation: RunComputation,
  command: TrainCommand,
): Promise<void> {
  const assessment = await finishRun(open, snapshot, computation);
  const { metrics } = assessment;
  const { folder } = open.run;
  if (command.json) printJson({ kind: "end", run: folder, metrics });
  print(command, `\n${describeMetrics(metrics)}\n\n${bestTable(assessment)}\n`);
  print(command, `The run is in ${shortPath(folder)}.`);
  print(command, `Sample from it with: ${commandLine("sample", shellPath(folder), "-n", "100")}`);
  print(command, `See it with: ${commandLine("report", shellPath(folder))}`);
}

function printStopped(
  { folder }: Run,
  snapshot: Snapshot | undefined,
  { exitCode, closed, failure }: StopReason,
  command: TrainCommand,
): void {
  process.exitCode = exitCode;
  const iteration = snapshot?.iteration ?? 0;
  const resumeCommand = commandLine("train", "--resume", shellPath(folder));
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
    snapshot
      ? `Stopped after iteration ${formatCount(iteration)}; everything up to there is in ${shortPath(folder)}.`
      : "Stopped before the first iteration was saved.",
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
