// Options of a run that are neither settings of training nor options of a task.

import { ENGINES, type EngineName } from "../engine/engine-name.ts";
import { RUN_KINDS } from "../gfn/training/run-kinds.ts";
import { depends, fileKey, is, type Keys, key } from "../settings/keys.ts";
import { choice, whole } from "../settings/kinds.ts";

export interface RunOptions {
  /** Text file of offline objects, one per line. */
  readonly offlineFile?: string;
  readonly iterations: number;
  readonly evaluateEvery: number;
  readonly checkpointEvery: number;
  readonly logEvery: number;
  readonly samples: number;
  readonly seed: number;
  readonly engine: EngineName;
  readonly threads: number;
}

// biome-ignore format: a table
export const RUN_KEYS: Keys<RunOptions> = {
  offlineFile: fileKey("exploration", "text file of offline objects, one per line", depends("none")),
  iterations: key(RUN_KINDS.iterations, "run", "number of training iterations", is(5000)),
  evaluateEvery: key(RUN_KINDS.evaluateEvery, "run", "iterations between evaluations; 0 for the first and the last only", is(500)),
  checkpointEvery: key(RUN_KINDS.checkpointEvery, "run", "iterations between checkpoints; 0 for the last only", is(500)),
  logEvery: key(whole(1), "run", "iterations between logged metrics", is(10)),
  samples: key(whole(1), "run", "number of objects that each evaluation samples", is(1000)),
  seed: key(whole(0, Number.MAX_SAFE_INTEGER), "run", "seed of all random numbers", is(0)),
  engine: key(choice(ENGINES), "run", "engine that executes the compiled programs", depends("native if its library loads, else jax")),
  threads: key(whole(1), "run", "threads of the native engine", is(1)),
};
