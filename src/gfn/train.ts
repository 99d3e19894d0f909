// Training, from top to bottom: compile, iterate, evaluate, and say what happens as a stream of events.
//
// It prints nothing and writes nothing; whoever iterates over it decides.

import { type EvaluationOptions, evaluation } from "./evaluation.ts";
import type { EvaluationEvent, TrainEvent } from "./events.ts";
import { createTrainer, type Trainer, type TrainerOptions } from "./trainer.ts";

export interface TrainOptions extends TrainerOptions, EvaluationOptions {
  /** How many iterations to make. */
  readonly iterations?: number;
  /** Instead: how long to take, compiling and evaluating included. The rate is measured first, then starts the run. */
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
    const perEvaluation = EVALUATION_MARGIN * (elapsed() - before);
    const iterations =
      options.iterations ?? (await affordable(trainer, seconds, elapsed, perEvaluation, evaluateEvery));
    yield {
      kind: "start",
      engine: trainer.engine,
      programs: [...trainer.programs, evaluator.program],
      iterations,
      parameters: {
        policy: trainer.model.policyLayout.size,
        dynamics: trainer.learnsDynamics ? trainer.model.dynamicsLayout.size : 0,
      },
    };
    yield first;

    let iteration = 0;
    while (iteration < iterations && elapsed() + perEvaluation < seconds) {
      const report = await trainer.step(iteration, iteration / iterations);
      iteration++;
      yield { kind: "iteration", iteration, ...report };
      if (iteration % evaluateEvery === 0 && iteration < iterations) yield await evaluate(iteration);
    }
    yield await evaluate(iteration);
    yield { kind: "end", iterations: iteration, seconds: elapsed(), early: iteration < iterations };
  } finally {
    await trainer.dispose();
    await evaluator.dispose();
  }
}

/** An evaluation may take longer at the end than it took at the start. */
const EVALUATION_MARGIN = 1.3;
/** How long to measure the rate, at most. */
const MEASURE_SECONDS = 2;
/** Part of the time to plan for: the machine may become slower. */
const PLANNED = 0.97;

/** Measures the rate, goes back to the start, and says how many iterations fit into what is left. */
async function affordable(
  trainer: Trainer,
  seconds: number,
  elapsed: () => number,
  perEvaluation: number,
  evaluateEvery: number,
): Promise<number> {
  const began = elapsed();
  const measure = Math.min(MEASURE_SECONDS, seconds / 20);
  const times: number[] = [];
  while (times.length === 0 || elapsed() - began < measure) {
    const before = elapsed();
    await trainer.step(0, 0);
    times.push(elapsed() - before);
  }
  // The middle, for the first call lays memory out and others may be held up by something else.
  const typical = times.sort((a, b) => a - b)[times.length >> 1];
  const perIteration = typical + perEvaluation / evaluateEvery;
  trainer.restart();
  const left = PLANNED * (seconds - elapsed() - perEvaluation);
  return Math.max(1, Math.floor(left / perIteration));
}

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
