// Runs experiments in child processes, several at a time: an experiment that fails, crashes or runs out of memory
// affects no other.

import { type ChildProcess, fork } from "node:child_process";
import type { Experiment } from "./experiment-grid.ts";
import type { ExperimentRecord } from "./experiment-record.ts";
import type { ExperimentEvent } from "./run-experiment.ts";

/** Messages of a child process: the events of its experiment, and its end. */
export type WorkerMessage =
  | ExperimentEvent
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly message: string };

export interface PoolOptions {
  readonly experiments: readonly Experiment[];
  /** Maximum number of processes at a time. */
  readonly jobs: number;
  /** The module that a child process runs. It receives one request and answers with WorkerMessages. */
  readonly worker: URL;
  /** The request that starts an experiment. */
  requestFor(experiment: Experiment): object;
  /** Aborting it ends all processes and starts no more. */
  readonly signal: AbortSignal;
}

export type PoolEvent =
  | { readonly kind: "started"; readonly experiment: Experiment }
  | { readonly kind: "progress"; readonly experiment: Experiment; readonly progress: number }
  | { readonly kind: "record"; readonly experiment: Experiment; readonly record: ExperimentRecord }
  | {
      readonly kind: "finished";
      readonly experiment: Experiment;
      readonly records: readonly ExperimentRecord[];
    }
  | { readonly kind: "failed"; readonly experiment: Experiment; readonly message: string };

type Handler = (event: PoolEvent) => Promise<void> | void;

/** Number of characters that are kept of the standard error output of a process. */
const MAX_STDERR = 4000;

/**
 * Runs all experiments. The handler of the end of an experiment completes before another experiment takes its place.
 */
export async function runWorkerPool(options: PoolOptions, handle: Handler): Promise<void> {
  const { experiments, jobs, signal } = options;
  const waiting = [...experiments];
  const lane = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      await runInProcess(next, options, handle);
    }
  };
  const lanes = Array.from({ length: Math.min(jobs, experiments.length) }, lane);
  const ends = await Promise.allSettled(lanes.map((each) => each.catch(stopOthers)));
  const rejected = ends.find((end) => end.status === "rejected");
  if (rejected) throw rejected.reason;

  /** Makes sure that no further experiment starts after an error of the handler. */
  function stopOthers(error: unknown): never {
    waiting.length = 0;
    throw error;
  }
}

async function runInProcess(
  experiment: Experiment,
  { worker, requestFor, signal }: PoolOptions,
  handle: Handler,
): Promise<void> {
  await handle({ kind: "started", experiment });
  if (signal.aborted) return;
  const child = fork(worker, [], { serialization: "advanced", stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const end = await waitForEnd(child, experiment, requestFor(experiment), handle);
    if (!signal.aborted) await handle({ experiment, ...end });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type ExperimentEnd =
  | { readonly kind: "finished"; readonly records: readonly ExperimentRecord[] }
  | { readonly kind: "failed"; readonly message: string };

function waitForEnd(
  child: ChildProcess,
  experiment: Experiment,
  request: object,
  handle: Handler,
): Promise<ExperimentEnd> {
  const records: ExperimentRecord[] = [];
  let stderr = "";
  let end: ExperimentEnd | null = null;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR);
  });
  return new Promise((done, fail) => {
    const forward = (event: PoolEvent) => {
      Promise.resolve(handle(event)).catch((error: unknown) => {
        child.kill("SIGTERM");
        fail(error);
      });
    };
    child.on("message", (message: WorkerMessage) => {
      switch (message.kind) {
        case "progress":
          forward({ experiment, ...message });
          break;
        case "record":
          records.push(message.record);
          forward({ experiment, ...message });
          break;
        case "done":
          end = { kind: "finished", records };
          break;
        case "failed":
          end = message;
          break;
        default:
          message satisfies never;
      }
    });
    child.on("error", (error) => done({ kind: "failed", message: error.message }));
    child.on("close", (code, signal) =>
      done(end ?? { kind: "failed", message: crashMessage(code, signal, stderr) }),
    );
    child.send(request, () => {}); // if this fails, the process has ended, and "close" reports it
  });
}

/** The message for a process that ended without a final message. */
function crashMessage(code: number | null, signal: string | null, stderr: string): string {
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const lastLine = stderr.trim().split("\n").at(-1) ?? "";
  return `its process ended ${how}${lastLine ? `: ${lastLine}` : ""}`;
}
