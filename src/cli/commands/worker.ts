// `gflownet worker`: takes units of work from a queue and runs them in processes of this machine.

import { once } from "node:events";
import { stat } from "node:fs/promises";
import { availableParallelism, homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../issues.ts";
import { childEnvironment } from "../../oracle/child-environment.ts";
import type { Broker } from "../../queue/broker.ts";
import { clockProblem } from "../../queue/broker-problems.ts";
import { InputFiles, sha256OfFile } from "../../queue/input-files.ts";
import { problemQueue, sharedQueue } from "../../queue/queue-executor.ts";
import {
  DEFAULT_LOCK_SECONDS,
  type QueueWorker,
  queueWorker,
  type WorkerEvent,
} from "../../queue/queue-worker.ts";
import { Spool } from "../../queue/spool.ts";
import { formatCountOf } from "../../report/text-format.ts";
import { UNIT_MODULE } from "../executor.ts";
import { printJson } from "../output.ts";
import { brokerOf, warn } from "../queue-input.ts";
import { readVersion } from "../version.ts";

export interface WorkerCommand {
  readonly queue: string;
  /** Units at a time. Default: the number of cores. */
  readonly slots?: number;
  readonly data?: string;
  readonly problem?: readonly string[];
  readonly allowExec?: boolean;
  /** Most memory of a unit, in GiB. */
  readonly memory?: number;
  /** Most seconds of a unit. */
  readonly time?: number;
  readonly untilIdle?: boolean;
  readonly lockSeconds?: number;
  readonly spool?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Schedulers announce the end of a machine by these. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"] as const;
const IDLE_INTERVAL_MS = 500;
/** How often in a row the queue must be empty before a worker ends; more often if there was no unit yet, which may come. */
const [IDLE_LOOKS, FIRST_LOOKS] = [3, 120];

export async function worker(command: WorkerCommand): Promise<void> {
  const { slots = availableParallelism(), untilIdle, json, quiet } = command;
  const stop = stopSignal();
  const problems = await allowedProblems(command);
  const files = new InputFiles(await dataFolder(command.data));
  const broker = await brokerOf(command.queue);
  const clock = clockProblem(broker.clockOffset, command.lockSeconds ?? DEFAULT_LOCK_SECONDS);
  if (clock !== null) throw new UserError(`${broker.text} ${clock}`);
  const version = readVersion();
  const spool = await openSpool(command.spool ?? defaultSpool());
  const queues = problems.size > 0 ? [...problems.keys()].map(problemQueue) : [sharedQueue(version)];
  const report = (event: WorkerEvent) => printEvent(event, command);
  const environment = { ...childEnvironment(process.env), OMP_NUM_THREADS: "1" };
  const workers = queues.map((queue) =>
    queueWorker({
      ...{ broker, queue, version, slots, files, problems, spool, report, environment },
      lockSeconds: command.lockSeconds,
      module: UNIT_MODULE,
      ...(command.memory !== undefined && { memory: command.memory * 2 ** 30 }),
      ...(command.time !== undefined && { seconds: command.time }),
    }),
  );
  if (json) printJson({ kind: "ready", broker: broker.text, queues, slots, version });
  else if (!quiet) {
    process.stdout.write(
      `Working for ${broker.text} with ${formatCountOf(slots, "slot")}. Ctrl-C ends it.\n`,
    );
  }
  await Promise.race([
    stop.aborted ? null : once(stop, "abort"),
    untilIdle ? idle(broker, queues, workers, stop) : new Promise(() => {}),
  ]);
  if (stop.aborted && workers.some(({ isBusy }) => isBusy) && !json && !quiet) {
    process.stdout.write("Giving the running units back, with checkpoints.\n");
  }
  await Promise.all(workers.map((each) => each.stop()));
  // Connections to a broker that is gone would keep the process alive.
  process.exit(0);
}

/** Aborted by a signal; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Resolves when there is nothing to do any more, or a minute after the start if there was nothing. */
async function idle(
  broker: Broker,
  names: readonly string[],
  workers: readonly QueueWorker[],
  stop: AbortSignal,
): Promise<void> {
  const queues = names.map((name) => broker.queue(name));
  for (const queue of queues) queue.on("error", () => {});
  let most = FIRST_LOOKS;
  for (let looks = 0; looks < most && !stop.aborted; ) {
    await sleep(IDLE_INTERVAL_MS);
    const counts = await Promise.all(
      queues.map((queue) => queue.getJobCounts("waiting", "active", "delayed", "prioritized")),
    ).catch(() => null);
    const open = counts?.flatMap((each) => Object.values(each)).reduce((sum, count) => sum + count, 0);
    looks = open === 0 && workers.every(({ isBusy }) => !isBusy) ? looks + 1 : 0;
    if (open !== undefined && open > 0) most = IDLE_LOOKS;
  }
}

/** The problem files whose programs may run, by their SHA-256. */
async function allowedProblems({ problem = [], allowExec }: WorkerCommand): Promise<Map<string, string>> {
  if (problem.length > 0 && !allowExec) {
    throw new UserError(
      "--problem lets this worker run the program or module of the problem file; confirm it with --allow-exec",
    );
  }
  if (problem.length === 0 && allowExec) {
    throw new UserError(
      "--allow-exec needs --problem FILE, the problem whose program or module this worker may run",
    );
  }
  const entries = problem.map(async (file) => [await sha256OfFile(file), resolve(file)] as const);
  return new Map(await Promise.all(entries));
}

async function dataFolder(folder: string | undefined): Promise<string | null> {
  if (folder === undefined) return null;
  if (!(await stat(folder)).isDirectory())
    throw new UserError(`--data must be a folder, ${folder} is a file`);
  return resolve(folder);
}

async function openSpool(folder: string): Promise<Spool> {
  try {
    return await Spool.open(folder);
  } catch (error) {
    const reason = (error as Error).message.split(",")[0];
    throw new UserError(
      `results cannot be kept in ${folder} until the broker has them (${reason}); give another folder by --spool`,
      { cause: error },
    );
  }
}

/** Only this user may write to it, because results are taken from it. */
function defaultSpool(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gflownet", "spool");
}

function printEvent(event: WorkerEvent, { json, quiet }: WorkerCommand): void {
  if (event.kind === "unreachable") warn(`the broker does not answer (${event.message}); trying again`);
  else if (json) printJson(event.kind === "started" ? { kind: event.kind, id: event.id } : event);
  else if (event.kind !== "started" && "message" in event)
    process.stderr.write(`gflownet: ${eventText(event)}\n`);
  else if (!quiet) process.stdout.write(`${eventText(event)}\n`);
}

function eventText(event: Exclude<WorkerEvent, { kind: "unreachable" }>): string {
  const name = event.id.slice(0, 8);
  switch (event.kind) {
    case "started":
      return `${name} started: ${event.unit.kind}`;
    case "finished":
      return `${name} finished in ${event.seconds.toFixed(1)} s`;
    case "paused":
      return `${name} given back`;
    case "failed":
      return `${name} failed: ${event.message}`;
    case "crashed":
      return `${name} did not finish: ${event.message}`;
    case "warning":
      return `${name} ${event.message}`;
    default:
      return event satisfies never;
  }
}
