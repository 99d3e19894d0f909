// Where the units of a command run: in processes of this machine or, with `--queue`, on workers. Nothing else knows which.

import { availableParallelism } from "node:os";
import { processExecutor } from "../executor/process-executor.ts";
import type { Executor } from "../executor/unit.ts";
import { queueExecutor } from "../queue/queue-executor.ts";
import { brokerOf, warn } from "./queue-input.ts";
import { readVersion } from "./version.ts";

export interface ExecutorChoice {
  /** The flag `--queue`. */
  readonly queue?: string;
  /** Processes at a time, without a queue. Default: the number of cores. */
  readonly jobs?: number;
  /** Paths of input files by their SHA-256. Workers look for them in their own folders. */
  readonly files?: ReadonlyMap<string, string>;
}

/** The module that child processes run. */
export const UNIT_MODULE = new URL(`./unit-worker${import.meta.url.slice(-3)}`, import.meta.url);

export async function executorOf({
  queue,
  jobs = availableParallelism(),
  files,
}: ExecutorChoice): Promise<Executor> {
  const version = readVersion();
  if (queue !== undefined) return queueExecutor({ broker: await brokerOf(queue), version, warn });
  return processExecutor({ module: UNIT_MODULE, jobs, version, files });
}
