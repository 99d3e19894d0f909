// What a workload is: something to compile once and then iterate.

import type { EngineName, Graph } from "../../src/engine/index.ts";

export interface WorkloadOptions {
  /** Width of the hidden layers, or the side of the matrices. */
  readonly hidden: number;
  readonly engine: EngineName;
  readonly threads: number;
}

/** A compiled workload. */
export interface Running {
  readonly graph: Graph;
  /** Seconds from the array function to something that runs. */
  readonly compileSeconds: number;
  /** One iteration; gives the loss, so that the work cannot be left out. */
  iterate(): Promise<number>;
}

/** One whose graph is not at hand. */
export type Opaque = Omit<Running, "graph">;

export type Workload = (options: WorkloadOptions) => Promise<Opaque & Partial<Running>>;
