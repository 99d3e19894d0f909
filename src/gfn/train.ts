// Training, from top to bottom: compile, iterate, evaluate, and say what happens as a stream of events.
//
// It prints nothing and writes nothing; whoever iterates over it decides.

import { type EvaluationOptions, evaluation } from "./evaluation.ts";
import type { EvaluationEvent, TrainEvent } from "./events.ts";
import { createTrainer, type TrainerOptions } from "./trainer.ts";

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
}

export async function* train(options: TrainOptions): AsyncGenerator<TrainEvent, void> {
  checkBudget(options);
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const trainer = await createTrainer(options);
  const { evaluateEvery = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY } = options;
  const evaluator = await evaluation(trainer, options);
  try {
    const evaluate = async (iteration: number): Promise<EvaluationEvent> => {
      const result = await evaluator.evaluate(await trainer.parameters());
      return { kind: "evaluation", iteration, seconds: elapsed(), ...result };
    };
    const before = elapsed();
    const first = await evaluate(0);
    const began = elapsed();
    const deadline = seconds - EVALUATION_MARGIN * (began - before);
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
    };
    yield first;

    const progressOf = (iteration: number) => {
      if (options.iterations) return iteration / options.iterations;
      return deadline > began ? (elapsed() - began) / (deadline - began) : 1;
    };
    let iteration = 0;
    for (let progress = 0; progress < 1; progress = progressOf(iteration)) {
      const report = await trainer.step(iteration, progress);
      iteration++;
      yield { kind: "iteration", iteration, ...report };
      if (iteration % evaluateEvery === 0 && progressOf(iteration) < 1) yield await evaluate(iteration);
    }
    yield await evaluate(iteration);
    yield { kind: "end", iterations: iteration, seconds: elapsed() };
  } finally {
    await trainer.dispose();
    await evaluator.dispose();
  }
}

/** An evaluation may take longer at the end than it took at the start. */
const EVALUATION_MARGIN = 1.3;

function checkBudget({ iterations, seconds, evaluateEvery }: TrainOptions): void {
  if ((iterations === undefined) === (seconds === undefined)) {
    throw new RangeError("train: give either iterations or seconds");
  }
  for (const [name, value] of Object.entries({ iterations, evaluateEvery })) {
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
}
