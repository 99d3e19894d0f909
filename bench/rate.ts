// Measures how often a workload iterates per second, in Node or in a browser.

import { matrixFlops } from "./flops.ts";
import type { Workload, WorkloadOptions } from "./workloads/workload.ts";

/** Longest warm-up, in seconds. */
const WARM_UP = 1;

export interface RateTask extends WorkloadOptions {
  /** Name of the workload, for errors. */
  readonly workload: string;
  readonly seconds: number;
  /** Default: as long as the measurement, but at most a second. */
  readonly warmUpSeconds?: number;
}

/** Iterations per second, seconds of the fastest iteration, and FLOPs per iteration. */
export async function measureRate(workload: Workload, task: RateTask): Promise<Record<string, number>> {
  const { seconds, warmUpSeconds = Math.min(WARM_UP, seconds) } = task;
  const { graphs, compileSeconds, iterate } = await workload(task);
  const warmUpEnd = performance.now() + 1000 * warmUpSeconds;
  while (performance.now() < warmUpEnd) await iterate();
  let count = 0;
  let loss = 0;
  let fastest = Number.POSITIVE_INFINITY;
  const started = performance.now();
  let now = started;
  while (now - started < 1000 * seconds) {
    const before = now;
    loss = await iterate();
    now = performance.now();
    fastest = Math.min(fastest, now - before);
    count++;
  }
  if (!Number.isFinite(loss)) throw new Error(`${task.workload}: the loss must be finite, got ${loss}`);
  return {
    rate: (1000 * count) / (now - started),
    fastest: fastest / 1000,
    compileSeconds,
    flops: graphs.reduce((sum, graph) => sum + matrixFlops(graph), 0),
    loss,
  };
}
