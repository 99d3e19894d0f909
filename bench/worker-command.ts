// Builds the command that starts worker.ts.

import { fileURLToPath } from "node:url";
import type { EngineName } from "../src/engine/index.ts";
import type { Command } from "./harness.ts";
import type { WorkloadName } from "./workloads/index.ts";

export type MeasurementName = "rate" | "memory" | "compile";

export interface WorkerTask {
  readonly measurement: MeasurementName;
  readonly workload: WorkloadName;
  readonly hidden: number;
  readonly seconds: number;
  readonly threads?: number;
  readonly engine?: EngineName;
}

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/**
 * This flag prevents a late release of memory. The compiler thread of tsx is idle after start-up, and V8 would free
 * about 25 MB of it after eight seconds, between the two readings of memory, which would hide growth.
 */
const NO_LATE_COLLECTION = "--no-memory-reducer";

/** The command of a process that measures one workload. Defaults: native engine, 1 thread. */
export function workerCommand(task: WorkerTask): Command {
  const { measurement, workload, hidden, seconds, threads = 1, engine = "native" } = task;
  const flags = ["--expose-gc", ...(measurement === "memory" ? [NO_LATE_COLLECTION] : []), "--import", "tsx"];
  const values = [measurement, workload, hidden, seconds, threads, engine].map(String);
  return { file: process.execPath, parameters: [...flags, WORKER, ...values], threads };
}
