// The training of a problem as a stream of events. It is the same in a worker of a browser and in Node, so both have the same
// losses.

import { problemOf } from "../config/problem-of.ts";
import type { EngineName } from "../engine/index.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { train } from "../gfn/training/train.ts";
import type { Problem } from "./problem.ts";
import { configOf } from "./result-file.ts";

export interface TrainingOptions {
  readonly engine?: EngineName;
  readonly signal?: AbortSignal;
  /** Seconds of the training without its pauses. */
  readonly clock?: () => number;
}

/** Of every problem, an evaluation takes about as long as this many iterations for each state. */
const ITERATIONS_PER_STATE = 1 / 250;
const LEAST_BETWEEN = 10;

/** Iterations between two exact evaluations, so that these take a part of the time. */
export function evaluateEvery({ enumeration: { states } }: Pick<Problem, "enumeration">): number {
  return Math.max(LEAST_BETWEEN, Math.ceil(states * ITERATIONS_PER_STATE));
}

/** A checkpoint follows each evaluation, so that the training can be saved at any time. */
export async function* trainingOf(
  problem: Problem,
  options: TrainingOptions,
): AsyncGenerator<TrainEvent, void> {
  const { task, training, settings } = problem;
  const { iterations, seed } = settings;
  const every = evaluateEvery(problem);
  yield* train({
    ...training,
    ...{ environment: task.environment, scores: task.scores, iterations, seed },
    problem: problemOf(await configOf(problem, every)),
    ...{ evaluateEvery: every, checkpointEvery: every, reportTables: true },
    // The number of processors must not decide about the losses, and threads gain little on networks of this size.
    ...{ threads: 1, ...options },
  });
}
