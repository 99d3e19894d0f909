// The body of a thread that runs the module of an oracle: loads it, and scores batches. The scores of single strings are sent
// while later strings are still being scored, so that the other thread knows which string takes too long.

import { pathToFileURL } from "node:url";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { showNativeCalls } from "../engine/native-calls.ts";
import { failureOf } from "./answers.ts";
import type { DesignObjective } from "./design-objectives.ts";
import { answerOfFunction, type BatchScorer, batchAnswers, type StringScorer } from "./function-oracle.ts";
import type { Answer } from "./oracle.ts";

export type ModuleRequest =
  | { readonly kind: "load"; readonly path: string; readonly objectives?: readonly DesignObjective[] }
  | { readonly kind: "score"; readonly batch: number; readonly strings: readonly string[] }
  /** Nobody waits for this batch any more. */
  | { readonly kind: "abort"; readonly batch: number };

export type ModuleMessage =
  | { readonly kind: "loaded"; readonly exported: ModuleExports }
  /** The module cannot be loaded. */
  | { readonly kind: "unusable"; readonly message: string; readonly code?: string }
  /** Some answers of a batch, by the positions of their strings. */
  | { readonly kind: "answers"; readonly batch: number; readonly answers: readonly [number, Answer][] }
  | { readonly kind: "done"; readonly batch: number };

/** What a module exports. Functions stay in its thread. */
export interface ModuleExports {
  /** Names of all exports. */
  readonly names: readonly string[];
  /** Names of those of `score` and `scores` that are functions. */
  readonly functions: readonly string[];
  readonly version?: string;
  readonly batch?: unknown;
  readonly concurrency?: unknown;
}

/** Milliseconds between two messages with answers. */
const INTERVAL = 20;

const port = parentPort as MessagePort;
showNativeCalls(workerData);
const post = (message: ModuleMessage) => port.postMessage(message);
const running = new Map<number, AbortController>();
let functions: { score?: StringScorer; scores?: BatchScorer } = {};
let objectives: readonly DesignObjective[] | undefined;

port.on("message", (request: ModuleRequest) => {
  switch (request.kind) {
    case "load":
      void load(request.path, request.objectives);
      return;
    case "score":
      void score(request.batch, request.strings);
      return;
    case "abort":
      running.get(request.batch)?.abort();
      return;
    default:
      request satisfies never;
  }
});

async function load(path: string, given: typeof objectives): Promise<void> {
  try {
    const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
    const { version, batch, concurrency } = exported;
    const usable = ["score", "scores"].filter((name) => typeof exported[name] === "function");
    functions = Object.fromEntries(usable.map((name) => [name, exported[name]]));
    objectives = given;
    post({
      kind: "loaded",
      exported: {
        ...{
          names: Object.keys(exported),
          functions: usable,
          batch: plain(batch),
          concurrency: plain(concurrency),
        },
        ...(version !== undefined && { version: String(version) }),
      },
    });
  } catch (error) {
    const { message, code } = (error ?? {}) as Error & { readonly code?: string };
    post({
      kind: "unusable",
      message: message ?? String(error),
      ...(code !== undefined && { code: String(code) }),
    });
  }
}

/** A value that can be sent: whatever is no number is refused by its text. */
function plain(value: unknown): unknown {
  return value === undefined || typeof value === "number" ? value : String(value);
}

async function score(batch: number, strings: readonly string[]): Promise<void> {
  const controller = new AbortController();
  running.set(batch, controller);
  const send = (answers: readonly [number, Answer][]) => post({ kind: "answers", batch, answers });
  try {
    if (functions.scores) {
      const answers = await batchAnswers(functions.scores, strings, objectives, controller.signal);
      send(answers.map((answer, i) => [i, answer]));
    } else await scoreEach(functions.score as StringScorer, strings, controller.signal, send);
  } catch (error) {
    send(strings.map((_, i) => [i, failureOf(error)]));
  } finally {
    running.delete(batch);
    post({ kind: "done", batch });
  }
}

/** Scores strings one by one, or at once if the function is asynchronous. */
async function scoreEach(
  scorer: StringScorer,
  strings: readonly string[],
  signal: AbortSignal,
  send: (answers: readonly [number, Answer][]) => void,
): Promise<void> {
  let ready: [number, Answer][] = [];
  let sent = performance.now();
  const add = (i: number, answer: Answer) => {
    ready.push([i, answer]);
    if (performance.now() - sent < INTERVAL) return;
    sent = performance.now();
    send(ready);
    ready = [];
  };
  const flush = setInterval(() => {
    if (ready.length > 0) send(ready);
    ready = [];
  }, INTERVAL);
  const waiting = strings.map((string, i) => {
    try {
      const value = scorer(string, signal);
      if (!isPromise(value)) return add(i, answerOfFunction(value, objectives));
      return value.then(
        (later) => add(i, answerOfFunction(later, objectives)),
        (error: unknown) => add(i, failureOf(error)),
      );
    } catch (error) {
      return add(i, failureOf(error));
    }
  });
  try {
    await Promise.all(waiting);
  } finally {
    clearInterval(flush);
    if (ready.length > 0) send(ready);
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined)?.then === "function";
}
