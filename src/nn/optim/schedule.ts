// Learning rates as functions of the step.
//
// A schedule is written once over a small arithmetic, and read two ways: traced into the training iteration from an
// int32 step, and as plain numbers for plots and tests. Steps count from 0.

import { numpy as np } from "@jax-js/jax";
import { checkSizes } from "../checks.ts";

export interface Schedule {
  /** The value at a traced scalar step, [] -> []. */
  at(step: np.Array): np.Array;
  /** The value at a step number. */
  value(step: number): number;
}

export function constantSchedule(value: number): Schedule {
  checkFinite("constantSchedule", { value });
  return schedule(({ number }) => number(value));
}

export interface DecayOptions {
  readonly from: number;
  readonly to: number;
  /** The step at which `to` is reached; it stays there. */
  readonly steps: number;
}

/** A straight line from `from` to `to`. */
export function linearSchedule({ from, to, steps }: DecayOptions): Schedule {
  checkFinite("linearSchedule", { from, to });
  checkSizes("linearSchedule", { steps });
  return schedule(({ add, multiply, minimum }, step) => {
    const done = minimum(multiply(step, 1 / steps), 1);
    return add(multiply(done, to - from), from);
  });
}

/** Half a cosine wave from `from` to `to` (Loshchilov and Hutter 2017). */
export function cosineSchedule({ from, to, steps }: DecayOptions): Schedule {
  checkFinite("cosineSchedule", { from, to });
  checkSizes("cosineSchedule", { steps });
  return schedule(({ add, multiply, minimum, cosine }, step) => {
    const angle = multiply(minimum(step, steps), Math.PI / steps);
    return add(multiply(cosine(angle), (from - to) / 2), (from + to) / 2);
  });
}

/** Rises in a line over the first `steps` steps, from 1/steps of it, to the start of `after`, which then runs. */
export function warmUp(steps: number, after: Schedule): Schedule {
  checkSizes("warmUp", { steps });
  const rise = schedule(({ add, multiply, minimum }, step) => minimum(multiply(add(step, 1), 1 / steps), 1));
  return {
    at(step) {
      return np.multiply(rise.at(step), after.at(np.maximum(np.subtract(step, steps), 0))); // []
    },
    value: (step) => rise.value(step) * after.value(Math.max(step - steps, 0)),
  };
}

/** What a schedule may compute with: numbers, or scalar arrays. */
interface Arithmetic<T> {
  number(x: number): T;
  add(x: T, y: number): T;
  multiply(x: T, y: number): T;
  minimum(x: T, y: number): T;
  cosine(x: T): T;
}

const onNumbers: Arithmetic<number> = {
  number: (x) => x,
  add: (x, y) => x + y,
  multiply: (x, y) => x * y,
  minimum: Math.min,
  cosine: Math.cos,
};

const onArrays: Arithmetic<np.Array> = {
  number: (x) => np.array(x, { dtype: np.float32 }), // []
  add: np.add,
  multiply: np.multiply,
  minimum: np.minimum,
  cosine: np.cos,
};

function schedule(f: <T>(arithmetic: Arithmetic<T>, step: T) => T): Schedule {
  return {
    at: (step) => f(onArrays, step.astype(np.float32)), // []
    value: (step) => f(onNumbers, step),
  };
}

function checkFinite(where: string, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Number.isFinite(value)) throw new RangeError(`${where}: ${name} must be finite, got ${value}`);
  }
}
