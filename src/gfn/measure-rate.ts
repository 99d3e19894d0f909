// How fast a run would be here: so that a time can be turned into a number of iterations, and a run of that many
// iterations can be repeated and continued to the bit, which a run by the clock cannot.

import { type EvaluationOptions, evaluation } from "./evaluation.ts";
import { createTrainer, type TrainerOptions } from "./trainer.ts";

/** Seconds. */
export interface Rate {
  /** Median of the iterations measured. */
  readonly perIteration: number;
  readonly perEvaluation: number;
  /** Until the first iteration can begin: compiling, and what evaluation prepares. */
  readonly setup: number;
}

/** Share of the time that goes to evaluations. */
const EVALUATIONS = 0.25;

/**
 * Compiles a run and trains it for about so many seconds, compiling not included; nothing of it is kept. A score
 * function is asked as in training.
 */
export async function measureRate(options: TrainerOptions & EvaluationOptions, seconds = 2): Promise<Rate> {
  if (!(seconds > 0)) throw new RangeError(`measureRate: seconds must be positive, got ${seconds}`);
  const started = performance.now();
  const trainer = await createTrainer(options);
  try {
    const evaluator = await evaluation(trainer, options);
    try {
      const setup = (performance.now() - started) / 1000;
      const parameters = await trainer.parameters();
      // A score function is asked the first time only, and no evaluation of a run is like the second here.
      const budget = trainer.oracle ? 0 : seconds * EVALUATIONS;
      const perEvaluation = await medianSeconds(budget, () => evaluator.evaluate(parameters));
      // Through the whole course, whose parts may differ in what they cost.
      const perIteration = await medianSeconds(seconds * (1 - EVALUATIONS), (call, spent) =>
        trainer.step(call, Math.min(spent, 1)),
      );
      return { perIteration, perEvaluation, setup };
    } finally {
      await evaluator.dispose();
    }
  } finally {
    await trainer.dispose();
  }
}

/**
 * How many iterations a run of so many seconds has time for, one at least; `evaluations` counts them all, those at the
 * start and at the end included.
 */
export function iterationsWithin(seconds: number, rate: Rate, evaluations = 2): number {
  const left = seconds - rate.setup - evaluations * rate.perEvaluation;
  if (Number.isNaN(left))
    throw new RangeError("iterationsWithin: seconds, rate and evaluations must be numbers");
  // A rate too high for the clock to see has no limit that would mean anything.
  return Math.min(Math.max(1, Math.floor(left / rate.perIteration) || 0), Number.MAX_SAFE_INTEGER);
}

/** Calls until the time is used up, once at least; the first call, which may warm up, counts only if it is alone. */
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
