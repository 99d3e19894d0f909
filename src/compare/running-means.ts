// Means of the losses and the entropy ratio over the steps since the last record of an experiment.

import type { ExperimentRecord } from "./experiment-record.ts";
import type { MethodStep } from "./method-run.ts";

const AVERAGED = ["loss", "dynamicsLoss", "entropyRatio"] as const;
type Averages = Pick<ExperimentRecord, (typeof AVERAGED)[number]>;

export interface RunningMeans {
  add(step: MethodStep): void;
  /** The means of the steps since the last call. */
  take(): Averages;
  /** The sums so far; NaN for a quantity that the method does not have, and at the end the number of steps. */
  save(): Float64Array;
  restore(saved: Float64Array): void;
}

export function runningMeans(): RunningMeans {
  let sums: (number | null)[] = AVERAGED.map(() => null);
  let steps = 0;
  return {
    add(step) {
      steps++;
      AVERAGED.forEach((name, i) => {
        const value = step[name];
        if (value !== null) sums[i] = (sums[i] ?? 0) + value;
      });
    },
    take() {
      const means = AVERAGED.map((name, i) => {
        const sum = sums[i];
        return [name, sum === null ? null : sum / steps] as const;
      });
      sums = AVERAGED.map(() => null);
      steps = 0;
      return Object.fromEntries(means) as unknown as Averages;
    },
    save: () => Float64Array.of(...sums.map((sum) => sum ?? Number.NaN), steps),
    restore(saved) {
      sums = Array.from(saved.subarray(0, AVERAGED.length), (sum) => (Number.isNaN(sum) ? null : sum));
      steps = saved[AVERAGED.length];
    },
  };
}
