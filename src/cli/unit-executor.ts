// The executor of a command: processes of this machine.

import { availableParallelism } from "node:os";
import { processExecutor } from "../executor/process-executor.ts";
import type { Executor } from "../executor/unit.ts";
import { readVersion } from "./version.ts";

export interface ExecutorFlags {
  /** Processes at a time. Default: the number of cores. */
  readonly jobs?: number;
}

/** Creates the executor. `files` are the paths of input files by their SHA-256. */
export function unitExecutor({ jobs }: ExecutorFlags, files: ReadonlyMap<string, string>): Executor {
  return processExecutor({
    module: new URL(`./unit-worker${import.meta.url.slice(-3)}`, import.meta.url),
    jobs: jobs ?? availableParallelism(),
    version: readVersion(),
    files,
  });
}
