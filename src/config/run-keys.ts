// Options of a run that are neither settings of training nor options of a task.

import { ENGINES, type EngineName } from "../engine/engine-name.ts";
import { PLAN_KIND, type Plan } from "../gfn/training/plan.ts";
import { RUN_KINDS } from "../gfn/training/run-kinds.ts";
import { depends, fileKey, is, type Keys, key } from "../settings/keys.ts";
import { choice, whole } from "../settings/kinds.ts";

export interface RunOptions {
  /** Text file of offline objects, one per line. */
  readonly offlineFile?: string;
  /** The length of a run is one of `iterations`, `seconds` and `plan`. */
  readonly iterations?: number;
  readonly seconds?: number;
  readonly plan?: Plan;
  readonly evaluateEvery: number;
  readonly checkpointEvery: number;
  readonly logEvery: number;
  readonly residuals: boolean;
  readonly samples: number;
  readonly seed: number;
  readonly engine: EngineName;
  readonly threads: number;
}

/** The keys that give the length of a run, of which a config has one. */
export const LENGTH_KEYS = ["iterations", "seconds", "plan"] as const;

// biome-ignore format: a table
export const RUN_KEYS: Keys<RunOptions> = {
  offlineFile: fileKey("exploration", "text file of offline objects, one per line", depends("none")),
  iterations: key(RUN_KINDS.iterations, "run", "number of training iterations", is(5000)),
  seconds: key(RUN_KINDS.seconds, "run", "time of the whole command, instead of `iterations`; plans how many fit, and again on the way", depends("none")),
  plan: key(PLAN_KIND, "run", "the recorded plan of another run, instead of `iterations`", depends("none")),
  evaluateEvery: key(RUN_KINDS.evaluateEvery, "run", "iterations between evaluations; 0 for the first and the last only", is(500)),
  checkpointEvery: key(RUN_KINDS.checkpointEvery, "run", "iterations between checkpoints; 0 for the last only", is(500)),
  logEvery: key(whole(1), "run", "iterations between logged metrics", is(10)),
  residuals: key(RUN_KINDS.residuals, "run", "log the residuals of the balance by step and by term; training stays the same, bit by bit", is(false)),
  samples: key(whole(1), "run", "number of objects that each evaluation samples", is(1000)),
  seed: key(whole(0, Number.MAX_SAFE_INTEGER), "run", "seed of all random numbers", is(0)),
  engine: key(choice(ENGINES), "run", "engine that executes the compiled programs", depends("native if its library loads, else jax")),
  threads: key(whole(1), "run", "threads of the native engine", is(1)),
};
