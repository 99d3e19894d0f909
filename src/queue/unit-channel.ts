// One queue of a broker: sends units to it, and reports what workers make of them.
//
// The broker may restart, workers may die, and this process may be killed: a unit is identified by its content, so that the
// same command adds nothing twice and adopts what others have begun or finished. Events of the broker come early, but may be
// lost; so all jobs are also looked at regularly, and a job that is gone is added again.

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { QueueEvents } from "bullmq";
import { isObject } from "../executor/json-text.ts";
import type { Executor } from "../executor/unit.ts";
import type { Broker, UnitJob, UnitQueue } from "./broker.ts";
import { isProvenance, PayloadError, payloadOf, readResult } from "./payload.ts";
import { type Outcome, PendingUnit, type Waiter } from "./pending-unit.ts";
import { type ReportedResult, ResultHashes } from "./result-hashes.ts";
import { untilAnswered } from "./until-answered.ts";

export interface UnitChannelOptions {
  readonly broker: Broker;
  /** Name of the queue. */
  readonly name: string;
  readonly version: string;
  /** Tells the user about an unreachable broker, or a queue without workers. */
  readonly warn: (message: string) => void;
  /** Milliseconds between two looks at jobs that have not ended. Default: 5000. */
  readonly lookInterval?: number;
}

/** What a worker reports while a unit runs. */
export type JobProgress =
  | { readonly kind: "progress"; readonly progress: number }
  /** The hash of a result that may come too late to be kept. */
  | ({ readonly kind: "result" } & ReportedResult);

/** Jobs that are added in one request. */
const CHUNK = 100;
/** Processes that a unit may end before it counts as failed. */
export const ATTEMPTS = 3;
/** Seconds that the results of a command that was never started again are kept. */
const KEPT_SECONDS = 7 * 24 * 3600;
/** Jobs that are looked at in one round beside those that have ended. */
const LOOKS = 500;
/**
 * Milliseconds between two requests for ended jobs. With PostgreSQL, BullMQ loses events of units that end at the same time:
 * it reads on behind the last number that it has seen, and a smaller one may be committed later.
 */
const ENDED_MS = 500;
/** Ended jobs, of all commands that share the queue, whose ids one request asks for. */
const MOST_ENDED = 10_000;
const NO_WORKERS_MS = 10_000;
const WITHDRAW_MS = 5000;

export async function unitChannel(options: UnitChannelOptions): Promise<Executor> {
  const channel = new UnitChannel(options);
  await channel.open();
  return channel;
}

class UnitChannel implements Executor {
  readonly #options: UnitChannelOptions;
  readonly #queue: UnitQueue;
  readonly #events: QueueEvents;
  readonly #pending = new Map<string, PendingUnit>();
  readonly #hashes = new ResultHashes();
  readonly #ended = new AbortController();
  /** Removals of finished jobs. */
  readonly #removals = new Set<Promise<unknown>>();
  #watching: Promise<void> = Promise.resolve();
  /** Where the next round of looks begins. */
  #next = 0;
  /** When a worker was last known to be there. */
  #attended = performance.now();

  constructor(options: UnitChannelOptions) {
    const { broker, name } = options;
    this.#options = options;
    setMaxListeners(0, this.#ended.signal); // every request listens to it
    this.#queue = broker.queue(name);
    this.#events = broker.events(name);
    // Without a listener, an error of the connection would end the process. Requests are repeated by `untilAnswered`.
    this.#queue.on("error", () => {});
    this.#events.on("error", () => {});
  }

  async open(): Promise<void> {
    await this.#ask(() => this.#events.waitUntilReady());
    this.#listen();
    this.#watching = this.#watch();
  }

  async run(...[units, handle, signal]: Parameters<Executor["run"]>): Promise<void> {
    const places = new Map<string, { readonly text: string; readonly indices: number[] }>();
    for (const [index, unit] of units.entries()) {
      const { id, text } = payloadOf(unit, this.#options.version);
      const known = places.get(id);
      if (known) known.indices.push(index);
      else places.set(id, { text, indices: [index] });
    }
    const failed = new AbortController();
    let failure: { readonly error: unknown } | undefined;
    const mine: { readonly unit: PendingUnit; readonly waiter: Waiter }[] = [];
    const ends = [...places].map(
      ([id, { text, indices }]) =>
        new Promise<void>((done) => {
          const end = (error?: unknown) => {
            if (error !== undefined) {
              failure ??= { error };
              failed.abort();
            }
            done();
          };
          const unit = this.#pending.get(id) ?? new PendingUnit(id, text);
          this.#pending.set(id, unit);
          const waiter = { indices, handle, end };
          unit.add(waiter);
          mine.push({ unit, waiter });
        }),
    );
    const over = AbortSignal.any([signal, failed.signal, this.#ended.signal]);
    try {
      await this.#send(
        mine.map(({ unit }) => unit),
        over,
      );
      await unlessAborted(Promise.all(ends), over);
    } catch (error) {
      if (!over.aborted) throw error;
    } finally {
      await this.#abandon(mine);
    }
    if (failure) throw failure.error;
    const [different] = this.#hashes.differing();
    if (different !== undefined) {
      throw new PayloadError(
        `the unit ${different} gave different results on equal machines; results are not reproducible`,
      );
    }
  }

  async close(): Promise<void> {
    await Promise.race([Promise.allSettled(this.#removals), sleep(WITHDRAW_MS, undefined, { ref: false })]);
    this.#ended.abort();
    await this.#watching;
    await Promise.allSettled([this.#events.close(), this.#queue.close()]);
  }

  #ask<T>(action: () => Promise<T>, signal: AbortSignal = this.#ended.signal): Promise<T> {
    const { warn, broker } = this.#options;
    return untilAnswered(action, { signal, warn, broker: broker.text });
  }

  /** Adds units to the queue. Jobs that were there before are known by an event. */
  async #send(units: readonly PendingUnit[], over: AbortSignal): Promise<void> {
    for (let i = 0; i < units.length; i += CHUNK) {
      await this.#ask(() => this.#add(units.slice(i, i + CHUNK)), over);
    }
  }

  async #add(units: readonly PendingUnit[]): Promise<void> {
    const jobs = units.map(({ id, text, added }) => ({
      name: "unit",
      data: { payload: text },
      opts: {
        jobId: id,
        timestamp: added,
        // At once: a delay would end by the clock of whichever worker looks.
        attempts: ATTEMPTS,
        removeOnComplete: { age: KEPT_SECONDS },
        removeOnFail: { age: KEPT_SECONDS },
      },
    }));
    // PostgreSQL takes four times as long for a request of many as for one.
    if (jobs.length === 1) await this.#queue.add(jobs[0].name, jobs[0].data, jobs[0].opts);
    else await this.#queue.addBulk(jobs);
  }

  /** Units that have ended, as far as one request tells. Their events may be lost. */
  async #endedUnits(): Promise<PendingUnit[]> {
    const request = () => this.#queue.getRanges(["completed", "failed"], 0, MOST_ENDED - 1);
    const ids = await this.#ask(request).catch(() => []);
    return ids.flatMap((id) => this.#pending.get(id) ?? []);
  }

  /** Some of the units, in turn. Looking at each of many thousands would keep the broker busier than the units do. */
  #someUnits(): PendingUnit[] {
    const all = [...this.#pending.values()];
    if (all.length <= LOOKS) return all;
    const from = this.#next % all.length;
    this.#next = from + LOOKS;
    return all.slice(from, from + LOOKS);
  }

  /**
   * Handles jobs that have ended, and adds those that are gone. Jobs that an earlier command failed are tried again. A job
   * that has succeeded may still have the reason why an earlier attempt failed.
   */
  async #look(units: Iterable<PendingUnit>): Promise<void> {
    for (const unit of units) {
      if (unit.isEnding || !this.#pending.has(unit.id)) continue;
      const job = await this.#ask(() => this.#queue.getJob(unit.id) as Promise<UnitJob | undefined>);
      if (!job) await this.#ask(() => this.#add([unit]));
      else if (!job.finishedOn) {
        if (job.processedOn) unit.start();
      } else if (job.returnvalue) this.#finish(unit, job.returnvalue);
      else if (unit.hasFailedEarlier(job.timestamp)) {
        unit.retry();
        // Another command may be faster; then there is nothing to do.
        await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true }).catch(() => {});
      } else this.#fail(unit, job.failedReason || "its worker gave no result");
    }
  }

  #finish(unit: PendingUnit, returned: unknown): void {
    let outcome: Outcome;
    try {
      const result = readResult(returned, unit.id, this.#options.broker.address.key);
      this.#hashes.addResult(unit.id, result);
      outcome = result;
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      outcome = { failure: error.message };
    }
    this.#end(unit, outcome);
  }

  #fail(unit: PendingUnit, reason: string): void {
    const isStalled = /stalled more than/.test(reason);
    this.#end(unit, {
      failure: isStalled ? `${ATTEMPTS} workers that ran it ended or lost their connection` : reason,
    });
  }

  #end(unit: PendingUnit, outcome: Outcome): void {
    const ended = unit.finish(outcome).then(() => {
      this.#pending.delete(unit.id);
      // Its result has been handled, and so is on the disk of the one who waited for it.
      const removal = this.#ask(() => this.#queue.remove(unit.id)).catch(() => {});
      this.#removals.add(removal);
      void removal.finally(() => this.#removals.delete(removal));
    });
    this.#removals.add(ended);
    void ended.finally(() => this.#removals.delete(ended));
  }

  /** The caller no longer waits. Units that no worker has begun are removed; those that run end by themselves. */
  async #abandon(mine: readonly { readonly unit: PendingUnit; readonly waiter: Waiter }[]): Promise<void> {
    const abandoned = mine.flatMap(({ unit, waiter }) => {
      unit.abandon(waiter);
      return unit.isAbandoned && !unit.isEnding && this.#pending.delete(unit.id) ? [unit] : [];
    });
    if (abandoned.length === 0 || this.#ended.signal.aborted) return;
    const removals = abandoned.map(({ id }) => this.#queue.remove(id).catch(() => 0));
    await Promise.race([Promise.all(removals), sleep(WITHDRAW_MS, undefined, { ref: false })]);
  }

  #listen(): void {
    const waited = (id: string, act: (unit: PendingUnit) => void) => {
      // Not every server and not every kind of worker lists the connections of workers; their work shows them, too.
      this.#attended = performance.now();
      const unit = this.#pending.get(id);
      if (unit && !unit.isEnding) act(unit);
    };
    // The job was there before: it may have ended, or failed in an earlier command.
    this.#events.on("duplicated", ({ jobId }) =>
      waited(jobId, (unit) => void this.#look([unit]).catch(() => {})),
    );
    this.#events.on("active", ({ jobId }) => waited(jobId, (unit) => unit.start()));
    this.#events.on("progress", ({ jobId, data }) => {
      const report = readProgress(data);
      if (report?.kind === "progress") waited(jobId, (unit) => unit.progress(report.progress));
      else if (report && (this.#pending.has(jobId) || this.#hashes.has(jobId))) {
        this.#hashes.addReport(jobId, report);
      }
    });
    this.#events.on("completed", ({ jobId, returnvalue }) =>
      waited(jobId, (unit) => this.#finish(unit, returnvalue)),
    );
    this.#events.on("failed", ({ jobId, failedReason }) =>
      waited(jobId, (unit) => this.#fail(unit, failedReason)),
    );
  }

  /** Looks at all jobs regularly, and says so if there is no worker. */
  async #watch(): Promise<void> {
    const { broker, name, warn, lookInterval = 5000 } = this.#options;
    const { signal } = this.#ended;
    const remedy = name.startsWith("oracle-")
      ? "start one: gflownet worker --problem FILE --allow-exec"
      : "start one of the same version: gflownet worker";
    let looked = performance.now();
    while (!signal.aborted) {
      await sleep(Math.min(ENDED_MS, lookInterval), undefined, { signal }).catch(() => {});
      if (this.#pending.size === 0 || signal.aborted) {
        this.#attended = performance.now();
        continue;
      }
      await this.#look(await this.#endedUnits()).catch(() => {});
      if (performance.now() - looked < lookInterval) continue;
      looked = performance.now();
      await this.#look(this.#someUnits()).catch(() => {});
      const workers = await this.#queue.getWorkersCount().catch(() => 1);
      if (workers > 0) this.#attended = performance.now();
      else if (performance.now() - this.#attended > NO_WORKERS_MS) {
        warn(`${broker.text} has no worker for the queue ${name}; ${remedy}`);
        this.#attended = Number.POSITIVE_INFINITY;
      }
    }
  }
}

/** A report from the queue; null if it has another form, because anyone who reaches the broker can send one. */
export function readProgress(data: unknown): JobProgress | null {
  if (!isObject(data)) return null;
  const { kind, progress, hash, provenance } = data;
  if (kind === "progress" && typeof progress === "number" && progress >= 0 && progress <= 1) {
    return { kind, progress };
  }
  return kind === "result" && typeof hash === "string" && isProvenance(provenance)
    ? { kind, hash, provenance }
    : null;
}

/** Rejects when the signal aborts. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
