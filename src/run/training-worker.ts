// The body of a training thread: receives requests, computes, and sends events. It writes no files.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { leaveWarningToParent } from "../engine/choose-engine.ts";
import { showNativeCalls } from "../engine/native-calls.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { UserError } from "../issues.ts";
import type { Assessment } from "./assessment.ts";
import { computationHere, type RunComputation, type TrainingRequest } from "./run-computation.ts";
import { viewRun } from "./run-folder.ts";
import { configuredRun } from "./trained-run.ts";
import { loadUserModule } from "./user-module.ts";

export type ThreadRequest =
  /** Reads the config of a run. `module` is the file of a module of the user. */
  | { readonly kind: "open"; readonly folder: string; readonly module?: string }
  | { readonly kind: "train"; readonly request: TrainingRequest }
  | { readonly kind: "assess"; readonly snapshot: Snapshot }
  /** Ends the training after the current iteration. */
  | { readonly kind: "stop" }
  /** The last checkpoint is on disk. */
  | { readonly kind: "written" }
  | { readonly kind: "close" };

export type ThreadMessage =
  | { readonly kind: "event"; readonly event: TrainEvent }
  /** A request is completed. Only an assessment has a result. */
  | { readonly kind: "done"; readonly assessment?: Assessment }
  | { readonly kind: "failed"; readonly error: PlainError };

/** An error as plain data. A UserError has issues, an error of the file system a code and a path. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly issues?: UserError["issues"];
  readonly source?: string;
  readonly code?: string;
  readonly path?: string;
}

/** Milliseconds between iteration events that are sent for the display only. */
const DISPLAY_INTERVAL = 50;

function serve(port: MessagePort): void {
  let logEvery = 1;
  let computation: RunComputation | undefined;
  let stop = new AbortController();
  let onWritten = () => {};
  const send = (message: ThreadMessage) => port.postMessage(message);

  async function answer(request: ThreadRequest): Promise<Assessment | undefined> {
    switch (request.kind) {
      case "open": {
        const { folder, module } = request;
        const given = module === undefined ? {} : await loadUserModule(module);
        const configured = await configuredRun(await viewRun(folder), given);
        logEvery = configured.config.logEvery;
        computation = computationHere(configured);
        return;
      }
      case "train":
        stop = new AbortController();
        await sendEvents(opened().train(request.request, stop.signal));
        return;
      case "assess":
        return opened().assess(request.snapshot);
      case "close":
        await computation?.close();
        computation = undefined;
        return;
      default:
        throw new Error(`training-worker: internal: ${request.kind} is not answered`);
    }
  }

  function opened(): RunComputation {
    if (!computation) throw new Error("training-worker: internal: no run is open");
    return computation;
  }

  async function sendEvents(events: AsyncIterable<TrainEvent>): Promise<void> {
    let sent = Number.NEGATIVE_INFINITY;
    for await (const event of events) {
      if (event.kind === "iteration") {
        const now = performance.now();
        const isShown = now - sent >= DISPLAY_INTERVAL;
        if (!isShown && event.iteration % logEvery !== 0) continue;
        if (isShown) {
          sent = now;
          await yieldToEventLoop(); // a request to stop arrives in the event loop
        }
      }
      send({ kind: "event", event });
      // Training goes on when the checkpoint is on disk, as in one thread.
      if (event.kind === "checkpoint") await new Promise<void>((resolve) => (onWritten = resolve));
    }
  }

  port.on("message", (request: ThreadRequest) => {
    if (request.kind === "stop") stop.abort();
    else if (request.kind === "written") onWritten();
    else {
      answer(request).then(
        (assessment) => send({ kind: "done", ...(assessment && { assessment }) }),
        (error: unknown) => send({ kind: "failed", error: plainError(error) }),
      );
    }
  });
}

function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  const { code, path } = error as NodeJS.ErrnoException;
  const { issues, source } = error instanceof UserError ? error : {};
  return { name, message, stack, issues, source, code, path };
}

if (parentPort) {
  showNativeCalls(workerData);
  leaveWarningToParent();
  serve(parentPort);
}
