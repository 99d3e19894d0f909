// Interfaces of workloads: computations that are compiled once and then iterated.

import type { EngineName, Graph } from "../../src/engine/index.ts";

export interface WorkloadOptions {
  /** Width of the hidden layers, or the size of square matrices. */
  readonly hidden: number;
  readonly engine: EngineName;
  readonly threads: number;
}

/** A compiled workload. */
export interface CompiledWorkload {
  /** The graphs of the programs that an iteration calls. */
  readonly graphs: readonly Graph[];
  /** Seconds to compile the array function. */
  readonly compileSeconds: number;
  /** Runs one iteration and returns the loss, so that no computation can be skipped. */
  iterate(): Promise<number>;
}

export type Workload = (options: WorkloadOptions) => Promise<CompiledWorkload>;
