// How to start worker.ts.

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
 * The thread in which tsx compiles is idle after start-up, and V8 returns some 25 MB of it after eight seconds:
 * between the two readings, where it would hide growth.
 */
const NO_LATE_COLLECTION = "--no-memory-reducer";

/** A fresh process of our own: the native engine on one thread unless told. */
export function workerCommand(task: WorkerTask): Command {
  const { measurement, workload, hidden, seconds, threads = 1, engine = "native" } = task;
  const flags = ["--expose-gc", ...(measurement === "memory" ? [NO_LATE_COLLECTION] : []), "--import", "tsx"];
  const values = [measurement, workload, hidden, seconds, threads, engine].map(String);
  return { file: process.execPath, parameters: [...flags, WORKER, ...values], threads };
}
