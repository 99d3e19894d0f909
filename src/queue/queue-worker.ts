// A worker: takes units from a queue and runs each in a child process, several at a time.
//
// This process only keeps books. An iteration of training is one long native call; in this process it would keep BullMQ from
// renewing the lock of its job, and the unit would be given to another worker as well.

import type { Worker } from "bullmq";
import { instructionSet } from "../executor/instruction-set.ts";
import type { Unit } from "../executor/unit.ts";
import { type UnitEnd, UnitProcess, type UnitProcessOptions } from "../executor/unit-process.ts";
import type { Broker, JobData, UnitJob } from "./broker.ts";
import { type InputFiles, sha256OfFile } from "./input-files.ts";
import {
  PayloadError,
  readPayload,
  readResult,
  recordsHash,
  type StoredResult,
  storedResult,
} from "./payload.ts";
import type { Spool } from "./spool.ts";
import {
  joinedInstructions,
  NEW_UNIT,
  readCheckpoint,
  type SavedUnit,
  storedCheckpoint,
} from "./stored-checkpoint.ts";
import { ATTEMPTS, type JobProgress } from "./unit-channel.ts";

export interface QueueWorkerOptions extends UnitProcessOptions {
  readonly broker: Broker;
  /** Name of the queue. */
  readonly queue: string;
  readonly version: string;
  /** Units at a time, each in a process of its own. */
  readonly slots: number;
  readonly files: InputFiles;
  /** Problem files whose programs this worker may run, by their SHA-256. An input with the name `problem` is one of these. */
  readonly problems: ReadonlyMap<string, string>;
  readonly spool: Spool;
  readonly report: (event: WorkerEvent) => void;
  /** Seconds after which a unit of a worker that is gone is given to another one. Default: 10. */
  readonly lockSeconds?: number;
  /** Time in which a unit must have made its checkpoint before its process is killed, in milliseconds. Default: 6000. */
  readonly pauseTime?: number;
}

export type WorkerEvent =
  | { readonly kind: "started"; readonly id: string; readonly unit: Unit }
  | { readonly kind: "finished"; readonly id: string; readonly seconds: number }
  | { readonly kind: "paused"; readonly id: string }
  | { readonly kind: "failed"; readonly id: string; readonly message: string }
  /** Its process ended before it; it runs again unless it has done so too often. */
  | { readonly kind: "crashed"; readonly id: string; readonly message: string }
  /** Something is wrong, but the unit goes on. */
  | { readonly kind: "warning"; readonly id: string; readonly message: string }
  /** The connection to the broker. */
  | { readonly kind: "unreachable"; readonly message: string };

export interface QueueWorker {
  /** Whether a unit runs. */
  readonly isBusy: boolean;
  /** Takes no more units, gives running ones back with a checkpoint, and ends all processes. */
  stop(): Promise<void>;
}

export const DEFAULT_LOCK_SECONDS = 10;
const PROGRESS_INTERVAL_MS = 1000;
const PAUSE_MS = 6000;

export function queueWorker(options: QueueWorkerOptions): QueueWorker {
  const { broker, slots, report, lockSeconds = DEFAULT_LOCK_SECONDS, pauseTime = PAUSE_MS } = options;
  const idle = Array.from({ length: slots }, () => new UnitProcess(options));
  const all = [...idle];
  const running = new Set<UnitProcess>();
  const stopping = new AbortController();
  const killing = new AbortController();

  const worker: Worker<JobData> = broker.worker(
    options.queue,
    async (job, token) => {
      const process = idle.pop() as UnitProcess; // BullMQ runs at most `slots` jobs at a time
      running.add(process);
      try {
        return await runJob(job, token, process, options, {
          stopping: stopping.signal,
          killing: killing.signal,
        });
      } finally {
        running.delete(process);
        idle.push(process);
      }
    },
    {
      concurrency: slots,
      lockDuration: 1000 * lockSeconds,
      stalledInterval: 500 * lockSeconds,
      // A unit that ends three workers is failed.
      maxStalledCount: ATTEMPTS - 1,
      // After a restart of the broker, work goes on soon; the default is 15 s.
      runRetryDelay: 1000,
    },
  );
  worker.on("error", (error) => report({ kind: "unreachable", message: error.message.split("\n")[0] }));
  worker.on("completed", (job) => {
    try {
      if (job.id !== undefined) options.spool.remove(job.id);
    } catch {
      // It is removed with other old results when a worker starts.
    }
  });

  return {
    get isBusy() {
      return running.size > 0;
    },
    async stop() {
      stopping.abort();
      for (const process of running) process.pause();
      const timer = setTimeout(() => killing.abort(), pauseTime);
      const closed = worker.close().catch(() => {});
      // A broker that is gone must not keep this process; the jobs return after their lock.
      await Promise.race([closed, new Promise((done) => setTimeout(done, pauseTime + 2000).unref())]);
      clearTimeout(timer);
      await Promise.all(all.map((process) => process.close()));
    },
  };
}

interface Signals {
  readonly stopping: AbortSignal;
  readonly killing: AbortSignal;
}

async function runJob(
  job: UnitJob,
  token: string | undefined,
  process: UnitProcess,
  options: QueueWorkerOptions,
  { stopping, killing }: Signals,
): Promise<StoredResult> {
  const { broker, version, spool } = options;
  const { key } = broker.address;
  const { UnrecoverableError, WaitingError } = broker.errors;
  const id = job.id ?? "";
  const report = (event: WorkerEvent) =>
    options.report("message" in event ? { ...event, message: printable(event.message) } : event);
  /** Gives the job to another worker. */
  const giveBack = async (): Promise<never> => {
    await job.moveToWait(token);
    report({ kind: "paused", id });
    throw new WaitingError();
  };
  const fail = (message: string): never => {
    report({ kind: "failed", id, message });
    throw new UnrecoverableError(printable(message));
  };
  let unit: Unit;
  let files: Record<string, string>;
  try {
    unit = readPayload(job.data?.payload, id, version);
    files = await inputPaths(unit, options);
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return fail(error.message);
  }
  const kept = await spool.get(id);
  if (kept && isReadable(kept, id, key)) return kept;
  if (stopping.aborted) return giveBack();

  const started = performance.now();
  report({ kind: "started", id, unit });
  let saved = readCheckpoint(job.data.checkpoint, id, key);
  let { end, told } = await runUnit(job, process, { unit, files, saved, killing }, options);
  if (end.kind === "failed" && saved.checkpoint && !stopping.aborted) {
    // The checkpoint may be the reason, and would be so again.
    report({ kind: "warning", id, message: `starts anew without its checkpoint: ${end.message}` });
    saved = NEW_UNIT;
    ({ end, told } = await runUnit(job, process, { unit, files, saved, killing }, options));
  }
  switch (end.kind) {
    case "finished": {
      const instructions = joinedInstructions(saved.instructions, end.provenance.instructions);
      const provenance = { ...end.provenance, instructions };
      let result: StoredResult;
      try {
        result = storedResult(id, { records: end.records, provenance }, key);
      } catch (error) {
        if (!(error instanceof PayloadError)) throw error;
        return fail(error.message);
      }
      // Before anything that waits for the broker, which may be gone.
      try {
        spool.put(id, result);
      } catch (error) {
        const message = `its result cannot be kept on disk until the broker has it: ${(error as Error).message}`;
        report({ kind: "warning", id, message });
      }
      const seconds = (performance.now() - started) / 1000;
      await told;
      // If it took so long that the lock may be lost, another worker may run it too, and its result would be kept.
      if (seconds > (options.lockSeconds ?? DEFAULT_LOCK_SECONDS) / 2) {
        await tell(job, { kind: "result", hash: recordsHash(end.records), provenance });
      }
      report({ kind: "finished", id, seconds });
      return result;
    }
    case "paused":
      await told; // with the checkpoint
      return giveBack();
    case "failed":
      // Signals that stop this worker may have ended the program of an oracle, too.
      return stopping.aborted ? giveBack() : fail(end.message);
    case "crashed":
      if (stopping.aborted) return giveBack();
      report({ kind: "crashed", id, message: end.message });
      throw new Error(printable(end.message)); // BullMQ tries again, up to the attempts of the job
    default:
      return end satisfies never;
  }
}

interface RunningUnit {
  readonly unit: Unit;
  readonly files: Record<string, string>;
  readonly saved: SavedUnit;
  readonly killing: AbortSignal;
}

/** Runs a unit until it ends. `told` resolves when the broker has everything that it reported. */
async function runUnit(
  job: UnitJob,
  process: UnitProcess,
  { unit, files, saved, killing }: RunningUnit,
  { broker, version }: QueueWorkerOptions,
): Promise<{ readonly end: UnitEnd; readonly told: Promise<unknown> }> {
  const records = [...saved.records];
  const instructions = joinedInstructions(saved.instructions, instructionSet());
  let lastProgress = Number.NEGATIVE_INFINITY;
  /** Requests to the broker, one after the other. A failed one is not repeated: the next checkpoint replaces it. */
  let told: Promise<unknown> = Promise.resolve();
  const end = await process.run(
    { kind: "run", unit, files, checkpoint: saved.checkpoint, version },
    (output) => {
      switch (output.kind) {
        case "record":
          records.push(output.record);
          break;
        case "progress":
          if (performance.now() - lastProgress < PROGRESS_INTERVAL_MS) break;
          lastProgress = performance.now();
          told = told.then(() => tell(job, output));
          break;
        case "checkpoint": {
          const content = { bytes: output.bytes, records, instructions };
          const checkpoint = storedCheckpoint(job.id ?? "", content, broker.address.key);
          told = told.then(() => job.updateData({ ...job.data, checkpoint }).catch(() => {}));
          break;
        }
        default:
          output satisfies never;
      }
    },
    { earlier: saved.records, signal: killing },
  );
  return { end, told };
}

/** Reports to the command that waits for the unit. It does without, if the broker is gone. */
async function tell(job: UnitJob, progress: JobProgress): Promise<void> {
  await job.updateProgress({ ...progress }).catch(() => {});
}

/** A message without characters that PostgreSQL cannot store, or that terminals obey. */
function printable(message: string): string {
  return message.toWellFormed().replaceAll(/\p{Cc}/gu, " ");
}

function isReadable(result: StoredResult, id: string, key: string | null): boolean {
  try {
    readResult(result, id, key);
    return true;
  } catch {
    return false;
  }
}

/** Paths of the inputs of a unit by their names. */
async function inputPaths(
  { inputs = {} }: Unit,
  { files, problems }: QueueWorkerOptions,
): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  for (const [name, hash] of Object.entries(inputs)) {
    const isProblem = name === "problem";
    const path = isProblem ? problems.get(hash) : await files.find(hash);
    if (path && isProblem && (await sha256OfFile(path).catch(() => null)) !== hash) {
      throw new PayloadError(
        `the problem file of this worker has changed since it was started; start it again`,
      );
    }
    if (!path) {
      throw new PayloadError(
        isProblem
          ? `this worker may not run the program of the problem file with the SHA-256 ${hash}; start it with --problem FILE --allow-exec`
          : `this worker has no file with the SHA-256 ${hash} for the input ${JSON.stringify(name)}; put it into the folder of --data`,
      );
    }
    paths[name] = path;
  }
  return paths;
}
