// Workers and executors on a server of a test, in this process. The units are those of `fake-unit-worker.mjs`.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { processExecutor } from "../../src/executor/process-executor.ts";
import type { Executor, Unit, UnitEvent } from "../../src/executor/unit.ts";
import { type Broker, openBroker } from "../../src/queue/broker.ts";
import { InputFiles } from "../../src/queue/input-files.ts";
import { queueAddress, type StoreKind } from "../../src/queue/queue-address.ts";
import { queueExecutor, sharedQueue } from "../../src/queue/queue-executor.ts";
import {
  type QueueWorker,
  type QueueWorkerOptions,
  queueWorker,
  type WorkerEvent,
} from "../../src/queue/queue-worker.ts";
import { Spool } from "../../src/queue/spool.ts";
import { STORES, type TestBroker } from "./brokers.ts";

export const FAKE_MODULE = new URL("./fake-unit-worker.mjs", import.meta.url);
export const VERSION = "1.0.0";

export interface TestWorker extends QueueWorker {
  readonly events: WorkerEvent[];
}

/** One namespace of a server. `close` ends everything that was started. */
export class TestQueue {
  readonly broker: Broker;
  readonly folder: string;
  readonly warnings: string[];
  readonly #open: { close(): Promise<unknown> }[] = [];

  private constructor(broker: Broker, warnings: string[]) {
    this.broker = broker;
    this.warnings = warnings;
    this.folder = mkdtempSync(join(process.env.GFLOWNET_TEST_FOLDER!, "queue-"));
  }

  static async open(server: TestBroker, namespace: string, key?: string): Promise<TestQueue> {
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const address = await queueAddress(server.queueFile(namespace, { key }), {}, warn);
    return new TestQueue(await openBroker(address, { warn }), warnings);
  }

  executor(version = VERSION): Executor {
    const warn = (message: string) => void this.warnings.push(message);
    const executor = queueExecutor({ broker: this.broker, version, warn, lookInterval: 500 });
    this.#open.push(executor);
    return executor;
  }

  async worker(options: Partial<QueueWorkerOptions> = {}): Promise<TestWorker> {
    const events: WorkerEvent[] = [];
    const worker = queueWorker({
      ...{ broker: this.broker, queue: sharedQueue(options.version ?? VERSION), version: VERSION },
      ...{ slots: 1, files: new InputFiles(null), problems: new Map(), module: FAKE_MODULE },
      spool: await Spool.open(join(this.folder, "spool")),
      report: (event) => void events.push(event),
      lockSeconds: 2,
      ...options,
    });
    this.#open.push({ close: () => worker.stop() });
    return Object.defineProperties({ events } as unknown as TestWorker, {
      isBusy: { get: () => worker.isBusy },
      stop: { value: () => worker.stop() },
    });
  }

  /** The queue itself, as anyone who knows the password can use it. */
  raw(name = sharedQueue(VERSION)) {
    const queue = this.broker.queue(name);
    queue.on("error", () => {});
    this.#open.push(queue);
    return queue;
  }

  /** Closes something else together with the rest. */
  alsoClose(resource: { close(): Promise<unknown> }): void {
    this.#open.push(resource);
  }

  async close(): Promise<void> {
    for (const each of this.#open.splice(0).reverse()) await each.close();
  }
}

/** Declares tests for each store; they are skipped where its server is not installed. */
export function eachStore(tests: (store: StoreKind) => void): void {
  for (const store of ["redis", "postgresql"] as const) {
    describe.skipIf(!STORES.includes(store))(store, () => tests(store));
  }
}

/** Runs units and returns all events. */
export async function eventsOf(
  executor: Executor,
  units: readonly Unit[],
  onEvent: (event: UnitEvent) => void = () => {},
  signal = new AbortController().signal,
): Promise<UnitEvent[]> {
  const events: UnitEvent[] = [];
  const handle = (event: UnitEvent) => {
    events.push(event);
    onEvent(event);
  };
  await executor.run(units, handle, signal);
  return events;
}

/** How each unit ended, in order: its records, or the message of its failure. */
export function endsOf(events: readonly UnitEvent[]): unknown[] {
  const ends = events.flatMap((event): { readonly index: number; readonly end: unknown }[] => {
    const { index } = event;
    if (event.kind === "finished") return [{ index, end: event.records }];
    return event.kind === "failed" ? [{ index, end: event.message }] : [];
  });
  return ends.sort((a, b) => a.index - b.index).map(({ end }) => end);
}

/** The same units in processes of this machine. */
export async function endsInProcesses(units: readonly Unit[]): Promise<unknown[]> {
  const executor = processExecutor({ module: FAKE_MODULE, jobs: 1, version: VERSION });
  try {
    return endsOf(await eventsOf(executor, units));
  } finally {
    await executor.close();
  }
}
