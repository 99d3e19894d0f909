// The child process of one experiment: it receives a request, runs the experiment, and sends its events to the parent.
//
// It writes no files, so it can be killed at any time.

import type { Comparison } from "./comparison.ts";
import type { Experiment } from "./experiment-grid.ts";
import { experimentOptionsOf } from "./experiment-options.ts";
import { runExperiment } from "./run-experiment.ts";
import type { WorkerMessage } from "./worker-pool.ts";

/** The message that starts an experiment. */
export interface WorkerRequest {
  readonly comparison: Comparison;
  readonly experiment: Experiment;
}

/** Waits for a request and handles it. `explain` turns an error into a sentence. */
export function serveExperiment(explain: (error: Error) => string): void {
  // Ctrl-C reaches all processes of a terminal; the parent decides when this one ends.
  for (const name of ["SIGINT", "SIGHUP"] as const) process.on(name, () => {});
  // The parent process has ended, so its children end too.
  process.on("disconnect", () => process.exit(1));

  process.once("message", async ({ comparison, experiment }: WorkerRequest) => {
    try {
      const options = await experimentOptionsOf(comparison, experiment);
      // performance.now() counts from the start of the process, so the time of an experiment includes compilation.
      const elapsed = () => performance.now() / 1000;
      for await (const event of runExperiment({ ...options, elapsed })) await send(event);
      await send({ kind: "done" });
    } catch (error) {
      await send({ kind: "failed", message: error instanceof Error ? explain(error) : String(error) });
    }
    process.exit(0);
  });
}

function send(message: WorkerMessage): Promise<void> {
  return new Promise((done) => process.send?.(message, undefined, undefined, () => done()));
}
