// Measures how fast a run trains on this machine, to convert a time limit into a number of iterations: a run by iterations
// can be repeated and continued with bit-identical results, a run by the clock cannot.

import { type EvaluationOptions, modelEvaluator } from "../evaluate/model-evaluator.ts";
import { modelTrainer, type TrainerOptions } from "./trainer.ts";

/** The measured speed of a training. */
export interface Throughput {
  /** Median over the measured iterations. */
  readonly secondsPerIteration: number;
  readonly secondsPerEvaluation: number;
  /** Time before the first iteration: compilation, and the preparation of evaluation. */
  readonly setupSeconds: number;
}

/** Fraction of the measuring time that is spent on evaluations. */
const EVALUATION_FRACTION = 0.25;

/**
 * Compiles a run and trains it for about this many seconds, compilation excluded, then discards it. Calls the score function
 * as training does. Default: 2 seconds.
 */
export async function measureThroughput(
  options: TrainerOptions & EvaluationOptions,
  seconds = 2,
): Promise<Throughput> {
  if (!(seconds > 0)) throw new RangeError(`measureThroughput: seconds must be positive, got ${seconds}`);
  const started = performance.now();
  const trainer = await modelTrainer(options);
  try {
    const evaluator = await modelEvaluator(trainer, options);
    try {
      const setupSeconds = (performance.now() - started) / 1000;
      const parameters = await trainer.parameters();
      // With a score function measure one evaluation: in a second one all scores would come from the cache.
      const budget = trainer.oracle ? 0 : seconds * EVALUATION_FRACTION;
      const secondsPerEvaluation = await medianSeconds(budget, () => evaluator.evaluate(parameters));
      // Progress goes from 0 to 1, because schedules may change the cost of an iteration.
      const secondsPerIteration = await medianSeconds(seconds * (1 - EVALUATION_FRACTION), (call, spent) =>
        trainer.step(call, Math.min(spent, 1)),
      );
      return { secondsPerIteration, secondsPerEvaluation, setupSeconds };
    } finally {
      await evaluator.dispose();
    }
  } finally {
    await trainer.dispose();
  }
}

/**
 * Number of iterations that fit into this many seconds, at least 1. `evaluations` includes those at the start and at the end
 * (default 2).
 */
export function iterationsWithin(seconds: number, throughput: Throughput, evaluations = 2): number {
  const left = seconds - throughput.setupSeconds - evaluations * throughput.secondsPerEvaluation;
  if (Number.isNaN(left))
    throw new RangeError("iterationsWithin: seconds, throughput and evaluations must be numbers, got NaN");
  // If an iteration is too short for the clock, the quotient is infinite.
  return Math.min(
    Math.max(1, Math.floor(left / throughput.secondsPerIteration) || 0),
    Number.MAX_SAFE_INTEGER,
  );
}

/** Median time of calls that are repeated until the budget is used up. The first call may be slower, so it is included
 * only if it is the only one. */
async function medianSeconds(
  budget: number,
  work: (call: number, spent: number) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  let spent = 0;
  do {
    const before = performance.now();
    await work(times.length, spent / budget);
    times.push((performance.now() - before) / 1000);
    spent += times[times.length - 1];
  } while (spent < budget);
  const counted = (times.length > 1 ? times.slice(1) : times).sort((a, b) => a - b);
  return counted[counted.length >> 1];
}
