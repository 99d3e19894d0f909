// Computes views in a thread of its own, one at a time, so that the server answers while a network runs. The thread is kept
// for the next view, and replaced if a view takes too long.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModuleThread, startModuleThread } from "../engine/module-thread.ts";
import { haltNativeCalls } from "../engine/native-calls.ts";
import { RequestError } from "./request-error.ts";
import type { ViewReply, ViewRequest } from "./view-worker.ts";

/** Time for one view, in milliseconds. */
const TIME_LIMIT_MS = 120_000;
/** Views that wait for their turn. */
const MOST_WAITING = 32;

export interface ViewThreadOptions {
  readonly timeLimit?: number;
  /** The module of the thread. */
  readonly worker?: URL;
}

export class ViewThread {
  readonly #timeLimit: number;
  readonly #file: URL;
  #thread: ModuleThread | null = null;
  /** The last view that was asked for; the next one begins after it. */
  #tail: Promise<unknown> = Promise.resolve();
  readonly #asked = new Map<string, Promise<ViewReply>>();
  #isClosed = false;

  constructor({ timeLimit = TIME_LIMIT_MS, worker }: ViewThreadOptions = {}) {
    this.#timeLimit = timeLimit;
    this.#file = worker ?? new URL(`./view-worker${import.meta.url.slice(-3)}`, import.meta.url);
  }

  /** Several pages that ask for the same view at the same time share it. */
  compute(request: ViewRequest): Promise<ViewReply> {
    const key = JSON.stringify(request);
    const asked = this.#asked.get(key);
    if (asked) return asked;
    if (this.#asked.size >= MOST_WAITING) {
      throw new RequestError(503, `${MOST_WAITING} views are being computed; try again in a moment`);
    }
    const reply = this.#tail.then(() => this.#ask(request)).finally(() => this.#asked.delete(key));
    this.#asked.set(key, reply);
    this.#tail = reply.catch(() => {});
    return reply;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #ask(request: ViewRequest): Promise<ViewReply> {
    if (this.#isClosed) throw new RequestError(503, "the dashboard is stopping");
    const { worker } = this.#started();
    worker.ref();
    const ended = new AbortController();
    try {
      const { signal } = ended;
      const reply = once(worker, "message", { signal });
      worker.postMessage(request);
      return await Promise.race([
        reply.then(([message]) => message as ViewReply),
        once(worker, "exit", { signal }).then(([code]) => {
          throw threadEnded(`code ${code}`);
        }),
        sleep(this.#timeLimit, undefined, { signal, ref: false }).then(() => {
          throw this.#tooSlow();
        }),
      ]);
    } catch (error) {
      await this.#end();
      throw error instanceof RequestError ? error : threadEnded((error as Error).message);
    } finally {
      ended.abort();
      worker.unref();
    }
  }

  #started(): ModuleThread {
    if (this.#thread) return this.#thread;
    const thread = startModuleThread(this.#file);
    const forget = () => {
      if (this.#thread === thread) this.#thread = null;
    };
    thread.worker.on("error", forget).on("exit", forget);
    this.#thread = thread;
    return thread;
  }

  #tooSlow(): RequestError {
    const seconds = Math.round(this.#timeLimit / 1000);
    return new RequestError(504, `the view was not ready after ${seconds} s and was given up`);
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (!thread) return;
    // Ending a thread inside a native call would end the server.
    await haltNativeCalls(thread.nativeCalls);
    await thread.worker.terminate();
  }
}

function threadEnded(reason: string): RequestError {
  return new RequestError(503, `the thread of the views ended (${reason}); try again`);
}
