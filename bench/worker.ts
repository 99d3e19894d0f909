// Measures one workload in this process and prints the result as one JSON object.
//
// Usage: worker.ts MEASUREMENT WORKLOAD HIDDEN SECONDS THREADS ENGINE (see worker-command.ts)

import { chooseEngine, type EngineName } from "../src/engine/index.ts";
import { measureRate } from "./rate.ts";
import type { MeasurementName } from "./worker-command.ts";
import { type WorkloadName, workloads } from "./workloads/index.ts";
import type { WorkloadOptions } from "./workloads/workload.ts";

interface Task extends WorkloadOptions {
  readonly workload: WorkloadName;
  readonly seconds: number;
}

const measurements: Record<MeasurementName, (task: Task) => Promise<Record<string, number>>> = {
  /** Also the most memory that the process had, in bytes. */
  async rate(task) {
    const rates = await measureRate(workloads[task.workload], task);
    return { ...rates, memory: 1024 * process.resourceUsage().maxRSS };
  },

  /** Resident memory in bytes after 1,000 and after 10,000 iterations. */
  async memory(task) {
    const { iterate } = await workloads[task.workload](task);
    const bytesAfter = async (iterations: number) => {
      for (let i = 0; i < iterations; i++) await iterate();
      globalThis.gc?.();
      return process.memoryUsage.rss();
    };
    const after1k = await bytesAfter(1000);
    return { after1k, after10k: await bytesAfter(9000) };
  },

  /** Seconds to load the library of the engine, and then to trace, lower and open a session. */
  async compile(task) {
    const started = performance.now();
    await chooseEngine(task.engine);
    const loadSeconds = (performance.now() - started) / 1000;
    const { compileSeconds } = await workloads[task.workload](task);
    return { compileSeconds, loadSeconds };
  },
};

const [measurement, workload, hidden, seconds, threads, engine] = process.argv.slice(2);
const task: Task = {
  workload: workload as WorkloadName,
  hidden: Number(hidden),
  seconds: Number(seconds),
  threads: Number(threads),
  engine: engine as EngineName,
};
console.log(JSON.stringify(await measurements[measurement as MeasurementName](task)));
