// A thread that runs the module of an oracle. It can be ended at any moment, even in an endless loop.

import { type ModuleThread, startModuleThread } from "../engine/module-thread.ts";
import { haltNativeCalls } from "../engine/native-calls.ts";
import type { Attempt } from "./attempts.ts";
import type { DesignObjective } from "./design-objectives.ts";
import type { ModuleExports, ModuleMessage, ModuleRequest } from "./module-worker.ts";
import type { Answer } from "./oracle.ts";

/** How a batch ended: an attempt, or `interrupted` if the thread was ended because of another batch. */
export type ModuleAttempt = Attempt | "interrupted";

/** A batch whose answers arrive. */
interface Running {
  receive(message: Extract<ModuleMessage, { readonly batch: number }>): void;
  /** The thread has ended. */
  ended(problem: string | null): void;
}

/** A promise that is settled from outside. */
interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

function deferred<T>(): Deferred<T> {
  let settle: Pick<Deferred<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as unknown as Pick<Deferred<T>, "resolve" | "reject">) };
}

/** The module could not be loaded. */
export interface LoadProblem {
  readonly message: string;
  readonly code?: string;
}

export class OracleThread {
  readonly #thread: ModuleThread;
  readonly #running = new Map<number, Running>();
  readonly #loading = deferred<ModuleExports | LoadProblem>();
  #batches = 0;
  #hasEnded = false;

  constructor(path: string, objectives?: readonly DesignObjective[]) {
    const file = new URL(`./module-worker${import.meta.url.slice(-3)}`, import.meta.url);
    this.#thread = startModuleThread(file);
    this.#thread.worker
      .on("message", (message: ModuleMessage) => this.#receive(message))
      .on("error", (error) => this.#end(`its thread ended with an error: ${messageOf(error)}`))
      .on("exit", (code) => this.#end(`it ended its thread with exit code ${code}`));
    this.#post({ kind: "load", path, ...(objectives && { objectives }) });
  }

  /** What the module exports, or why it cannot be loaded. Rejects with the reason of the signal if it aborts. */
  async loaded(limit: number, signal?: AbortSignal): Promise<ModuleExports | LoadProblem> {
    const late = setTimeout(() => {
      this.#loading.resolve({ message: `it was not ready after ${limit / 1000} s` });
    }, limit);
    const abort = () => this.#loading.reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const loaded = await this.#loading.promise;
      if ("message" in loaded) await this.end();
      else this.#thread.worker.unref();
      return loaded;
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
    }
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Scores a batch. The thread is ended if no answer comes for the time limit, and if the signal aborts and nobody else waits
   * for it.
   */
  async score(strings: readonly string[], timeLimit: number, signal?: AbortSignal): Promise<ModuleAttempt> {
    signal?.throwIfAborted();
    const batch = this.#batches++;
    const answers = new Map<string, Answer>();
    const { promise, resolve, reject } = deferred<ModuleAttempt>();
    const late = setTimeout(() => {
      resolve({
        answers,
        problem: `it gave no answer for ${timeLimit / 1000} s; if it is slow, it needs a longer time limit`,
        wasSilent: answers.size === 0,
      });
      this.#running.delete(batch);
      void this.end();
    }, timeLimit);
    const abort = () => {
      reject(signal?.reason);
      this.#running.delete(batch);
      if (this.#running.size > 0) this.#post({ kind: "abort", batch });
      else void this.end();
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#running.set(batch, {
      receive(message) {
        if (message.kind === "done") return resolve({ answers, problem: null });
        for (const [i, answer] of message.answers) answers.set(strings[i], answer);
        late.refresh();
      },
      ended: (problem) => resolve(problem === null ? "interrupted" : { answers, problem }),
    });
    this.#thread.worker.ref();
    this.#post({ kind: "score", batch, strings });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
      this.#running.delete(batch);
      // A process does not wait for a thread that has nothing to do.
      if (this.#running.size === 0) this.#thread.worker.unref();
    }
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#end(null);
    const { worker, nativeCalls } = this.#thread;
    await haltNativeCalls(nativeCalls);
    await worker.terminate();
  }

  #receive(message: ModuleMessage): void {
    if (message.kind === "loaded") this.#loading.resolve(message.exported);
    else if (message.kind === "unusable") this.#loading.resolve(message);
    else this.#running.get(message.batch)?.receive(message);
  }

  #end(problem: string | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#loading.resolve({ message: problem ?? "it was ended" });
    for (const running of this.#running.values()) running.ended(problem);
  }

  #post(request: ModuleRequest): void {
    this.#thread.worker.postMessage(request);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
