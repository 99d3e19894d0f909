// The training loop: compile, iterate, evaluate, and report everything as a stream of events.
//
// The loop prints nothing and writes no files; the consumer of the stream does.

import { type Issue, throwIssues } from "../../issues.ts";
import { problemOf } from "../../settings/kinds.ts";
import { type EvaluationOptions, type ModelEvaluator, modelEvaluator } from "../evaluate/model-evaluator.ts";
import type { CheckpointEvent, EvaluationEvent, TrainEvent } from "./events.ts";
import { RUN_KINDS } from "./run-kinds.ts";
import type { Snapshot } from "./snapshot.ts";
import { modelTrainer, type Trainer, type TrainerOptions } from "./trainer.ts";

/** Options of `train`: all settings, the environment with its scores, and the length of the run. */
export interface TrainOptions extends TrainerOptions, EvaluationOptions {
  /** Number of iterations. Give either this or `seconds`. */
  readonly iterations?: number;
  /**
   * Duration of the run, compilation and evaluations included. Progress is then the elapsed fraction of this time, so the
   * schedules end in time at any load of the machine, but the run cannot be reproduced bit by bit.
   */
  readonly seconds?: number;
  /** Iterations between evaluations. There is always one at the start and one at the end. Default: 0, no others. */
  readonly evaluateEvery?: number;
  /** Iterations between checkpoints. There is always one at the end, and one before an error that ends the run.
   * Default: 0, no others. */
  readonly checkpointEvery?: number;
  /**
   * Continues an interrupted run, with the same result as an uninterrupted one. The environment, the networks, the buffers
   * and the seed must be the same. Other settings, such as learning rates, may change, and so may `iterations`, which
   * stretches schedules to the new length. Only for runs with a number of iterations.
   */
  readonly resume?: Snapshot;
  /** Ends the run after the current iteration, with a checkpoint and without an evaluation. */
  readonly signal?: AbortSignal;
}

/**
 * Trains a model and yields an event for everything that happens. `fit` consumes these events and returns the trained
 * model; use `train` to stop early, to save checkpoints, or to act on events.
 *
 * @example
 * ```ts
 * import { defaultSettings, hypergridTask, train } from "gflownet";
 *
 * const { environment, scores } = hypergridTask({ stick: 0.25, side: 4 });
 * const settings = defaultSettings(environment, { objective: "db", hidden: [16], batch: 16 });
 * for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 10 })) {
 *   if (event.kind === "evaluation" && event.exact) console.log(event.iteration, event.reached.tv);
 *   if (event.kind === "end") console.log(event.iterations, event.stopped); // 10 false
 * }
 * ```
 */
export async function* train(options: TrainOptions): AsyncGenerator<TrainEvent, void> {
  checkBudget(options);
  const started = performance.now();
  const elapsed = () => (options.resume?.seconds ?? 0) + (performance.now() - started) / 1000;
  const trainer = await modelTrainer(options);
  try {
    if (options.resume) trainer.restore(options.resume);
    const evaluator = await modelEvaluator(trainer, options);
    try {
      yield* run(trainer, evaluator, options, elapsed);
    } finally {
      await evaluator.dispose();
    }
  } finally {
    await trainer.dispose();
  }
}

async function* run(
  trainer: Trainer,
  evaluator: ModelEvaluator,
  options: TrainOptions,
  elapsed: () => number,
): AsyncGenerator<TrainEvent, void> {
  const evaluateEvery = options.evaluateEvery || Number.POSITIVE_INFINITY;
  const checkpointEvery = options.checkpointEvery || Number.POSITIVE_INFINITY;
  const { seconds = Number.POSITIVE_INFINITY, resume, signal } = options;
  const first = resume?.iteration ?? 0;
  let iteration = first;
  let evaluated = resume?.evaluated ?? false;
  let began = 0;
  let deadline = seconds;
  yield {
    kind: "start",
    engine: trainer.engine,
    programs: [...trainer.programs, evaluator.programName],
    iterations: options.iterations ?? null,
    seconds: options.seconds ?? null,
    parameters: {
      policy: trainer.model.policyLayout.size,
      dynamics: trainer.learnsDynamics ? trainer.model.dynamicsLayout.size : 0,
    },
    resumedAt: resume ? first : null,
  };

  const progress = () => {
    if (options.iterations !== undefined) return iteration / options.iterations;
    if (iteration === 0) return 0;
    return deadline > began ? (elapsed() - began) / (deadline - began) : 1;
  };
  const evaluate = async (): Promise<EvaluationEvent> => {
    const before = elapsed();
    const result = await evaluator.evaluate(await trainer.parameters());
    if (iteration === 0) {
      began = elapsed();
      deadline = seconds - EVALUATION_MARGIN * (began - before);
    }
    evaluated = true;
    return { kind: "evaluation", iteration, seconds: elapsed(), ...result };
  };
  const checkpoint = async (): Promise<CheckpointEvent> => {
    const position = { iteration, iterations: options.iterations ?? null, seconds: elapsed(), evaluated };
    return { kind: "checkpoint", iteration, snapshot: { ...position, ...(await trainer.save()) } };
  };
  /** If the work fails, yields a checkpoint of the state before it, and throws the error again. */
  async function* withCheckpointOnFailure<T>(work: () => Promise<T>): AsyncGenerator<TrainEvent, T> {
    try {
      return await work();
    } catch (error) {
      const last = iteration > first ? await checkpoint().catch(() => null) : null;
      if (last) yield last;
      throw error;
    }
  }

  while (true) {
    const due = progress() >= 1 || (!evaluated && iteration % evaluateEvery === 0);
    if (due && !signal?.aborted) yield yield* withCheckpointOnFailure(evaluate);
    // Checked again, because evaluating takes time. A run ends only after an evaluation.
    const over = evaluated && progress() >= 1;
    const stopped = signal?.aborted === true && !over;
    const ends = over || stopped;
    if (ends || (iteration > first && iteration % checkpointEvery === 0)) yield await checkpoint();
    if (ends) {
      yield { kind: "end", iterations: iteration, seconds: elapsed(), stopped };
      return;
    }
    const report = yield* withCheckpointOnFailure(() => trainer.step(iteration, progress()));
    iteration++;
    evaluated = false;
    yield { kind: "iteration", iteration, ...report };
  }
}

/** Factor on the time of the first evaluation that is reserved for the last one, which may take longer. */
const EVALUATION_MARGIN = 1.3;

/** Throws a UserError with all issues. */
function checkBudget(options: TrainOptions): void {
  const invalid = Object.entries(RUN_KINDS).flatMap(([path, kind]): Issue[] => {
    const value = options[path as keyof typeof RUN_KINDS];
    // Infinity stands for a run that only a signal ends, and for no evaluations or checkpoints in between.
    if (value === undefined || value === Number.POSITIVE_INFINITY) return [];
    const message = problemOf(kind, value);
    return message ? [{ path, code: "range", message }] : [];
  });
  throwIssues(invalid);
  throwIssues(budgetConflicts(options));
}

/** Issues with the length of the run, alone and together with the checkpoint that it continues. */
function budgetConflicts({ iterations, seconds, resume }: TrainOptions): Issue[] {
  if ((iterations === undefined) === (seconds === undefined)) {
    const message = `must be given, or else \`seconds\`, got ${iterations === undefined ? "neither" : "both"}`;
    return [{ path: "iterations", code: iterations === undefined ? "missing" : "conflict", message }];
  }
  if (!resume) return [];
  if (iterations === undefined) {
    const message =
      "makes the length of the run depend on elapsed time, so the run cannot be resumed; give `iterations`";
    return [{ path: "seconds", code: "unsupported", message }];
  }
  if (resume.iterations === null) {
    const message =
      "is from a run with `seconds`, whose length depends on elapsed time, so it cannot be resumed";
    return [{ path: "resume", code: "unsupported", message }];
  }
  if (resume.iteration > iterations) {
    const message = `must be at least ${resume.iteration}, the iteration of the checkpoint, got ${iterations}`;
    return [{ path: "iterations", code: "conflict", message }];
  }
  return [];
}
