// Training, from top to bottom: compile, iterate, evaluate, and say what happens as a stream of events.
//
// It prints nothing and writes nothing; whoever iterates over it decides.

import { type Evaluation, type EvaluationOptions, evaluation } from "./evaluation.ts";
import type { CheckpointEvent, EvaluationEvent, TrainEvent } from "./events.ts";
import type { Snapshot } from "./snapshot.ts";
import { createTrainer, type Trainer, type TrainerOptions } from "./trainer.ts";

export interface TrainOptions extends TrainerOptions, EvaluationOptions {
  /** How many iterations to make. */
  readonly iterations?: number;
  /**
   * Instead: how long to take, compiling and evaluating included. What changes in the course of the run then follows the
   * clock, so that such a run uses its time whatever else the machine does, and is not repeated to the bit.
   */
  readonly seconds?: number;
  /** Iterations between evaluations; there is always one at the start and one at the end. */
  readonly evaluateEvery?: number;
  /** Iterations between checkpoints; there is always one at the end, and where an error ends the run. */
  readonly checkpointEvery?: number;
  /**
   * Continues a run by iterations where this was taken of it, and gives what it would have given. The environment, the
   * networks, the buffers and the seed must be the same; other settings, such as learning rates, may be changed, and so
   * may `iterations`, which stretches courses to the new length.
   */
  readonly resume?: Snapshot;
  /** Ends the run after the iteration that is under way, with a checkpoint and without an evaluation. */
  readonly signal?: AbortSignal;
}

export async function* train(options: TrainOptions): AsyncGenerator<TrainEvent, void> {
  checkBudget(options);
  const started = performance.now();
  const elapsed = () => (options.resume?.seconds ?? 0) + (performance.now() - started) / 1000;
  const trainer = await createTrainer(options);
  try {
    if (options.resume) trainer.restore(options.resume);
    const evaluator = await evaluation(trainer, options);
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
  evaluator: Evaluation,
  options: TrainOptions,
  elapsed: () => number,
): AsyncGenerator<TrainEvent, void> {
  const { evaluateEvery = Number.POSITIVE_INFINITY, checkpointEvery = Number.POSITIVE_INFINITY } = options;
  const { seconds = Number.POSITIVE_INFINITY, resume, signal } = options;
  const first = resume?.iteration ?? 0;
  let iteration = first;
  let evaluated = resume?.evaluated ?? false;
  let began = 0;
  let deadline = seconds;
  yield {
    kind: "start",
    engine: trainer.engine,
    programs: [...trainer.programs, evaluator.program],
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
    const about = { iteration, iterations: options.iterations ?? null, seconds: elapsed(), evaluated };
    return { kind: "checkpoint", iteration, snapshot: { ...about, ...(await trainer.save()) } };
  };
  /** If the work fails, what was learned and asked for until then is handed over before the error. */
  async function* rescued<T>(work: () => Promise<T>): AsyncGenerator<TrainEvent, T> {
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
    if (due && !signal?.aborted) yield yield* rescued(evaluate);
    // Asked again, for evaluating takes time; but no run is over before its evaluation.
    const over = evaluated && progress() >= 1;
    const stopped = signal?.aborted === true && !over;
    const ends = over || stopped;
    if (ends || (iteration > first && iteration % checkpointEvery === 0)) yield await checkpoint();
    if (ends) {
      yield { kind: "end", iterations: iteration, seconds: elapsed(), stopped };
      return;
    }
    const report = yield* rescued(() => trainer.step(iteration, progress()));
    iteration++;
    evaluated = false;
    yield { kind: "iteration", iteration, ...report };
  }
}

/** An evaluation may take longer at the end than it took at the start. */
const EVALUATION_MARGIN = 1.3;

function checkBudget({ iterations, seconds, evaluateEvery, checkpointEvery, resume }: TrainOptions): void {
  if ((iterations === undefined) === (seconds === undefined)) {
    throw new RangeError("train: give either iterations or seconds");
  }
  for (const [name, value] of Object.entries({ iterations, evaluateEvery, checkpointEvery })) {
    if (
      value !== undefined &&
      value !== Number.POSITIVE_INFINITY &&
      !(Number.isInteger(value) && value >= 1)
    ) {
      throw new RangeError(`train: ${name} must be a whole number of at least 1, got ${value}`);
    }
  }
  if (seconds !== undefined && !(seconds > 0)) {
    throw new RangeError(`train: seconds must be positive, got ${seconds}`);
  }
  if (!resume) return;
  if (iterations === undefined || resume.iterations === null) {
    throw new RangeError("train: a run by seconds follows the clock and cannot be resumed; give iterations");
  }
  if (resume.iteration > iterations) {
    throw new RangeError(
      `train: the checkpoint is of iteration ${resume.iteration}, and the run makes ${iterations}`,
    );
  }
}
