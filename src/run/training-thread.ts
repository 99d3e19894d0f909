// A thread for the computations of a run: this thread stays responsive while the other one compiles, trains and evaluates.

import type { Worker } from "node:worker_threads";
import { type ModuleThread, startModuleThread } from "../engine/module-thread.ts";
import { haltNativeCalls } from "../engine/native-calls.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { UserError } from "../issues.ts";
import type { Assessment } from "./assessment.ts";
import type { RunComputation, TrainingRequest } from "./run-computation.ts";
import type { PlainError, ThreadMessage, ThreadRequest } from "./training-worker.ts";

/** After a request to stop, the thread has this long to end by itself, unless its work would be lost. */
const PATIENCE_MS = 1000;

/** The thread was ended while it worked. What it had not sent is lost. */
export class ThreadEndedError extends Error {
  override readonly name = "ThreadEndedError";
}

/** A thread that is started and idle. The next run in this process uses it, because loading all modules takes time. */
let idle: ModuleThread | undefined;
const forget = () => {
  idle = undefined;
};

/** Starts a thread, so that it loads its modules while this one prepares the run. */
export function startTrainingThread(): void {
  if (!idle) keep(createThread());
}

/** Keeps a thread for the next run. A process does not wait for it. */
function keep(thread: ModuleThread): void {
  idle = thread;
  thread.worker.on("error", forget).on("exit", forget).unref();
}

function takeThread(): ModuleThread {
  startTrainingThread();
  const thread = idle as ModuleThread;
  thread.worker.off("error", forget).off("exit", forget).ref();
  idle = undefined;
  return thread;
}

export interface ThreadedRun {
  /** The folder of the run, which has a config. */
  readonly folder: string;
  /** The file of a module with functions of the user. */
  readonly module?: string;
}

/** Computes in a thread of its own. Aborting `signal` ends an assessment and whatever precedes the first event at once. */
export async function computationInThread(
  { folder, module }: ThreadedRun,
  signal: AbortSignal,
): Promise<RunComputation> {
  const thread = takeThread();
  const { worker, nativeCalls } = thread;
  const messages = messagesOf(worker);
  const post = (request: ThreadRequest) => worker.postMessage(request);
  /** Ends the thread as soon as it is outside of native calls. */
  const end = async () => {
    await haltNativeCalls(nativeCalls);
    messages.fail(new ThreadEndedError("the training thread was ended"));
    await worker.terminate();
  };

  let busy = false;

  /** Sends a request and yields its events; returns its result. Calls `stop` when the signal is aborted. */
  async function* ask(
    request: ThreadRequest,
    stop: () => void,
    stopSignal?: AbortSignal,
  ): AsyncGenerator<TrainEvent, Assessment | undefined> {
    post(request);
    busy = true;
    stopSignal?.addEventListener("abort", stop, { once: true });
    if (stopSignal?.aborted) stop();
    try {
      while (true) {
        const message = await messages.next();
        busy = message.kind === "event";
        if (message.kind === "done") return message.assessment;
        if (message.kind === "failed") throw errorOf(message.error);
        yield message.event;
        if (message.event.kind === "checkpoint") post({ kind: "written" });
      }
    } finally {
      stopSignal?.removeEventListener("abort", stop);
    }
  }

  async function resultOf(request: ThreadRequest): Promise<Assessment | undefined> {
    const events = ask(request, end, signal);
    while (true) {
      const next = await events.next();
      if (next.done) return next.value;
    }
  }

  async function* train(
    request: TrainingRequest,
    stopSignal?: AbortSignal,
  ): AsyncGenerator<TrainEvent, void> {
    let started = false;
    let iteration = request.resume?.iteration ?? 0;
    let saved = iteration;
    let timer: NodeJS.Timeout | undefined;
    const stop = () => post({ kind: "stop" });
    // A native call cannot be interrupted, and its work is saved after it. What is not lost need not be waited for.
    const hurry = () => {
      if (!started) return void end();
      timer = setInterval(() => saved >= iteration && end(), PATIENCE_MS);
    };
    signal.addEventListener("abort", hurry, { once: true });
    try {
      for await (const event of ask({ kind: "train", request }, stop, stopSignal)) {
        started = true;
        if (event.kind === "iteration") iteration = event.iteration;
        yield event;
        if (event.kind === "checkpoint") saved = event.iteration;
      }
    } finally {
      signal.removeEventListener("abort", hurry);
      clearInterval(timer);
    }
  }

  try {
    await resultOf({ kind: "open", folder, module });
  } catch (error) {
    await end();
    throw error;
  }
  return {
    train,
    async assess(snapshot: Snapshot) {
      return (await resultOf({ kind: "assess", snapshot })) as Assessment;
    },
    async close() {
      if (busy || messages.failure || signal.aborted) return end();
      await resultOf({ kind: "close" });
      messages.detach();
      keep(thread);
    },
  };
}

/** The messages of a worker, in order. After its end, `next` rejects. */
function messagesOf(worker: Worker) {
  const queue: ThreadMessage[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  const onMessage = (message: ThreadMessage) => {
    queue.push(message);
    wake();
  };
  const fail = (error: Error) => {
    failure ??= error;
    wake();
  };
  const onExit = (code: number) => fail(new Error(`the training thread ended unexpectedly (code ${code})`));
  worker.on("message", onMessage).on("error", fail).on("exit", onExit);
  return {
    fail,
    get failure() {
      return failure;
    },
    async next(): Promise<ThreadMessage> {
      while (queue.length === 0 && !failure) await new Promise<void>((resolve) => (wake = resolve));
      const message = failure ? undefined : queue.shift();
      if (!message) throw failure;
      return message;
    },
    detach() {
      worker.off("message", onMessage).off("error", fail).off("exit", onExit);
    },
  };
}

function createThread(): ModuleThread {
  return startModuleThread(new URL(`./training-worker${import.meta.url.slice(-3)}`, import.meta.url));
}

/** The error that was sent, with its class where the command line depends on it. */
function errorOf({ issues, source, name, message, stack, ...rest }: PlainError): Error {
  if (issues) return new UserError(issues, { source });
  return Object.assign(new Error(message), { name, stack }, rest);
}
