// What the measurements of a queue share: a broker, the compiled command line, and a connection of this process.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readVersion } from "../../src/cli/version.ts";
import type { Executor } from "../../src/executor/unit.ts";
import { openBroker } from "../../src/queue/broker.ts";
import { queueAddress } from "../../src/queue/queue-address.ts";
import { queueExecutor } from "../../src/queue/queue-executor.ts";
import type { TestBroker } from "./brokers.ts";
import { type WorkerEvents, WorkerProcess, type WorkerProcessOptions } from "./worker-process.ts";

export interface Setting {
  readonly broker: TestBroker;
  /** The compiled command line. */
  readonly main: string;
  /** A folder for files, which is removed afterwards. */
  readonly folder: string;
}

export async function withFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "gflownet-bench-queue-"));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Acts while `count` workers run. */
export async function withWorkers<T>(
  { broker, main, folder }: Setting,
  count: number,
  options: Partial<WorkerProcessOptions> & { readonly events?: WorkerEvents },
  act: () => Promise<T>,
): Promise<T> {
  const workers: WorkerProcess[] = [];
  try {
    const starts = Array.from({ length: count }, (_, i) =>
      WorkerProcess.start(
        { main, queue: broker.url(), spool: join(folder, `spool-${i}`), ...options },
        options.events,
      ).then((worker) => workers.push(worker)),
    );
    await Promise.all(starts);
    return await act();
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

/** Acts with an executor of this process. */
export async function withExecutor<T>(url: string, act: (executor: Executor) => Promise<T>): Promise<T> {
  const executor = await executorAt(url);
  try {
    return await act(executor);
  } finally {
    await executor.close();
  }
}

export async function executorAt(url: string): Promise<Executor> {
  const warn = (message: string) => console.error(message);
  const broker = await openBroker(await queueAddress(url), { warn });
  return queueExecutor({ broker, version: readVersion(), warn });
}
