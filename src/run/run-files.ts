// The names of the files of a run.

import { RUN_LOCK_FILE } from "../disk/lock.ts";

export const RUN_FILES = {
  /** The complete config. */
  config: "config.json",
  /** One event per line, as JSON. */
  metrics: "metrics.jsonl",
  /** The last checkpoint, from which the run can continue. */
  checkpoint: "checkpoint.safetensors",
  /** The environment, and the scores if they are in a table, of a run that was trained from TypeScript. */
  task: "task.safetensors",
  /** Sampled objects. */
  samples: "samples.csv",
  /** The report as a page. */
  report: "report.html",
  /** Names the process that writes to the run. */
  lock: RUN_LOCK_FILE,
} as const;

/** The content of the file that an option names, in a run that was imported. */
export function dataFile(option: string): string {
  return `data-${option}`;
}

/** The run inside a design folder. */
export const DESIGN_RUN = "run";
