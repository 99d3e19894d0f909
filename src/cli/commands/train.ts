// `gflownet train`: makes a run on disk, or goes on with one, and says how it is doing.

import { resolve } from "node:path";
import { encodeCheckpoint } from "../../gfn/checkpoint.ts";
import type { TrainEvent } from "../../gfn/events.ts";
import { iterationsWithin, measureRate } from "../../gfn/measure-rate.ts";
import { model as modelOf } from "../../gfn/model.ts";
import type { Snapshot } from "../../gfn/snapshot.ts";
import { type TrainOptions, train } from "../../gfn/train.ts";
import { count, textTable } from "../../report/text-table.ts";
import { checkNew, createRun, nextRunFolder, openRun, type Run } from "../../run/folder.ts";
import { inFlags } from "../config/flags.ts";
import { checkTyped, parseTyped } from "../config/typed-config.ts";
import { completeConfig, configText, readConfig, taskOf, trainOptionsOf, withoutEffect } from "../config.ts";
import { Display } from "../display.ts";
import { UsageError } from "../fail.ts";
import { type Assessment, assess, metricsTable } from "../metrics.ts";
import { printJson } from "../output.ts";
import { formatSamples } from "../samples.ts";
import { Stop, type StopReason } from "../stop.ts";
import { type Configured, configured, snapshotOf } from "../trained.ts";
import type { Typed } from "../typed.ts";
import { describeRun, inShell, modesLine, shortPath } from "../words.ts";

export interface TrainCommand {
  /** A config file; flags go before it. */
  readonly config?: string;
  /** How long to train, instead of a number of iterations. */
  readonly seconds?: number;
  /** Folder of the run; one is made in `runs` if not given. */
  readonly out?: string;
  /** Goes on with this run. */
  readonly resume?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface Prepared extends Configured {
  readonly run: Run;
  /** Where it goes on from. */
  readonly snapshot?: Snapshot;
}

/** Best sequences that are shown at the end. */
const BEST = 10;

export async function trainRun(typed: Typed, command: TrainCommand): Promise<void> {
  const stop = new Stop();
  const prepared =
    command.resume === undefined
      ? await begun(typed, command)
      : await resumed(command.resume, typed, command);
  const { run } = prepared;
  try {
    const ended = await stop.whileListening(() => follow(prepared, command, stop));
    if (stop.reason && ended.stopped) sayStopped(run, ended.snapshot, stop.reason, command);
    else await finish(prepared, ended.snapshot, command);
  } finally {
    await run.close();
  }
  if (stop.reason?.failure && process.exitCode === undefined) throw new Error(stop.reason.failure);
}

/** A new run: config complete, folder made. */
async function begun({ flags, wrong }: Typed, command: TrainCommand): Promise<Prepared> {
  const problems = new Map(wrong);
  if (command.seconds && flags.iterations !== undefined) {
    problems.set("--seconds", "says how long, and --iterations does too; give one of them");
  }
  const file = command.config ? await readConfig(command.config) : {};
  const given = parseTyped({ flags, wrong: problems }, file);
  if (command.out !== undefined) await checkNew(command.out);
  let config = await completeConfig(given);
  if (!command.quiet) {
    // A complete file says everything, with or without effect.
    for (const warning of withoutEffect(flags, config))
      process.stderr.write(`gflownet: ${inFlags(warning)}\n`);
  }
  const task = await taskOf(config);
  let options = await trainOptionsOf(config, task);
  if (command.seconds !== undefined) {
    say(command, `Measuring how many iterations fit into ${command.seconds} s.`);
    config = { ...config, iterations: await affordable(options, command.seconds) };
    options = await trainOptionsOf(config, task);
  }
  const folder = command.out ?? (await nextRunFolder("runs", config.task));
  return { run: await createRun(resolve(folder), configText(config)), config, task, options };
}

/** Iterations that fit, evaluations on the way included. */
async function affordable(options: TrainOptions, seconds: number): Promise<number> {
  const started = performance.now();
  const rate = await measureRate(options, Math.min(2, seconds / 5));
  const spent = (performance.now() - started) / 1000;
  const { evaluateEvery = Number.POSITIVE_INFINITY } = options;
  const perIteration = rate.perIteration + rate.perEvaluation / evaluateEvery;
  return iterationsWithin(Math.max(seconds - spent, 0), { ...rate, perIteration });
}

async function resumed(folder: string, { flags, wrong }: Typed, command: TrainCommand): Promise<Prepared> {
  checkTyped(wrong);
  const { task, ...settings } = flags;
  const others = [command.config, command.seconds, command.out, ...Object.values(settings)];
  if (others.some((value) => value !== undefined)) {
    throw new UsageError("--resume goes on with a run as its config says; give no other settings");
  }
  const run = await openRun(folder);
  try {
    const about = await configured(run);
    if (task !== undefined && task !== about.config.task) {
      throw new UsageError(`${run.folder} is a run of ${about.config.task}, not of ${task}`);
    }
    return { run, ...about, snapshot: (await snapshotOf(run, about)) ?? undefined };
  } catch (error) {
    await run.close();
    throw error;
  }
}

/** Trains, writes what happens, and gives the state at the end. */
async function follow(
  prepared: Prepared,
  command: TrainCommand,
  { signal }: Stop,
): Promise<{ readonly snapshot: Snapshot; readonly stopped: boolean }> {
  const { run, config, options, snapshot } = prepared;
  if (snapshot && isComplete(snapshot, config.iterations)) {
    say(command, describeRun(prepared));
    return { snapshot, stopped: false };
  }
  const display = command.json || command.quiet ? undefined : new Display(process.stdout);
  const { checkpointEvery, logEvery } = config;
  const settings = {
    ...options,
    signal,
    ...(snapshot && { resume: snapshot }),
    ...(checkpointEvery > 0 && { checkpointEvery }),
  };
  let last = snapshot;
  let begins = true;
  let stopped = false;
  try {
    for await (const event of train(settings)) {
      if (begins) {
        // Not before: what cannot begin changes nothing.
        await run.truncateMetrics(snapshot?.iteration ?? -1);
        say(command, describeRun(prepared));
        begins = false;
      }
      display?.handle(event);
      if (event.kind === "checkpoint") {
        await run.writeCheckpoint(encodeCheckpoint(event.snapshot));
        last = event.snapshot;
      }
      if (event.kind === "end") stopped = event.stopped;
      else if (event.kind !== "iteration" || event.iteration % logEvery === 0) {
        await record(event, prepared, command);
      }
    }
  } catch (error) {
    display?.clear();
    if (begins && command.resume === undefined) await run.discard();
    throw error;
  }
  if (!last) throw new Error("the run ended without a checkpoint");
  return { snapshot: last, stopped };
}

/** To the metrics and, if asked for, to standard output; of a checkpoint only that it was made. */
async function record(
  event: Exclude<TrainEvent, { kind: "end" }>,
  { run, snapshot }: Prepared,
  { json }: TrainCommand,
): Promise<void> {
  if (event.kind === "checkpoint") {
    if (json) printJson({ kind: event.kind, iteration: event.iteration });
    return;
  }
  // A run that was killed soon after it went on has made up for this evaluation before.
  const again =
    event.kind === "evaluation" &&
    event.iteration === snapshot?.iteration &&
    (await run.readMetrics()).some(
      (other) => other.kind === "evaluation" && other.iteration === event.iteration,
    );
  if (!again) run.appendMetrics(event);
  if (json) printJson(event);
}

/** The figures of a run that is complete, and what was drawn from it. */
async function finish(prepared: Prepared, snapshot: Snapshot, command: TrainCommand): Promise<void> {
  const { run, task, options } = prepared;
  const model = modelOf(task.environment, options);
  const assessment = await assess({ model, task, options, snapshot });
  const { metrics, samples } = assessment;
  await run.writeSamples(formatSamples("csv", task, samples));
  const { iterations, seconds } = metrics;
  const end = { kind: "end", iterations, seconds, metrics };
  if (command.resume === undefined || !(await hasEnded(run, iterations))) run.appendMetrics(end);
  if (command.json) printJson({ kind: "end", run: run.folder, metrics });
  say(command, `\n${metricsTable(metrics)}\n${modesLine(metrics.modes)}\n\n${bestTable(assessment)}\n`);
  say(command, `The run is in ${shortPath(run.folder)}.`);
  say(command, `Draw from it with: gflownet sample ${inShell(run.folder)} -n 100`);
}

async function hasEnded(run: Run, iterations: number): Promise<boolean> {
  return (await run.readMetrics()).some((event) => event.kind === "end" && event.iterations === iterations);
}

/** That a run was stopped, and how it goes on. */
function sayStopped(
  { folder }: Run,
  { iteration }: Snapshot,
  { exitCode, closed, failure }: StopReason,
  command: TrainCommand,
): void {
  process.exitCode = exitCode;
  const onward = `gflownet train --resume ${inShell(folder)}`;
  if (closed || failure) {
    const why = failure ?? "nobody reads the output any more";
    process.stderr.write(`gflownet: ${why}; stopped after iteration ${iteration}, go on with: ${onward}\n`);
    return;
  }
  if (command.json) printJson({ kind: "stopped", run: folder, iteration });
  say(
    command,
    `Stopped after iteration ${count(iteration)}; everything until there is in ${shortPath(folder)}.`,
  );
  say(command, `Go on with: ${onward}`);
}

/** Whether nothing is left to do but to look at it. */
function isComplete({ iteration, evaluated }: Snapshot, iterations: number): boolean {
  return iteration === iterations && evaluated;
}

/** For people, unless they want none of it. */
function say({ json, quiet }: TrainCommand, text: string): void {
  if (!json && !quiet) process.stdout.write(`${text}\n`);
}

/** The best distinct sequences that were drawn. */
function bestTable({ samples }: Assessment): string {
  const distinct = [...new Map(samples.map((sample) => [sample.object, sample])).values()];
  const best = distinct.sort((a, b) => b.score - a.score).slice(0, BEST);
  const rows = best.map(({ object, score, logProbability }) => [
    object,
    score.toFixed(4),
    logProbability?.toFixed(2) ?? "–",
  ]);
  return textTable([["best drawn", "score", "log P"], ...rows]);
}
