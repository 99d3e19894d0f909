// Checks `kernelAfter` of a history-dependent environment: its rows must be probabilities, and the outcomes along a few
// trajectories must be possible.

import type { HistoryDependentEnvironment } from "../environment.ts";
import { attempt, type Fail } from "./fail.ts";
import type { Observed } from "./observe.ts";

export function checkHistoryKernel(
  environment: HistoryDependentEnvironment,
  { steps, ends }: Observed,
  fail: Fail,
): void {
  const { actions: A, outcomes: C, hasStop } = environment;
  if (hasStop) fail("kernelAfter is for environments without a stop, but hasStop is true");
  for (let trajectory = 0; trajectory < ends.length; trajectory++) {
    const [actions, outcomes]: number[][] = [[], []];
    for (let i = trajectory; i < steps.length && steps[i].before.running === 1; i += ends.length) {
      const { action, outcome } = steps[i];
      const call = `kernelAfter([${actions.join(", ")}], [${outcomes.join(", ")}])`;
      const kernel = attempt(fail, call, () => environment.kernelAfter([...actions], [...outcomes]));
      if (!(kernel instanceof Float64Array) || kernel.length !== A * C) {
        fail(`${call} must return a Float64Array of ${A} × ${C} numbers, got ${lengthText(kernel)}`);
      }
      const row = kernel.subarray(action * C, (action + 1) * C);
      const sum = row.reduce((a, b) => a + b, 0);
      if (!(Math.abs(sum - 1) <= 1e-9)) {
        fail(`${call} must return probabilities that sum to 1, got ${sum} for action ${action}`);
      }
      if (!row.every((p) => p >= 0)) {
        fail(`${call} must return probabilities, got ${row.find((p) => !(p >= 0))} for action ${action}`);
      }
      if (row[outcome] === 0) {
        fail(
          `sampleOutcome returns outcome ${outcome} for action ${action}, but ${call} gives it probability 0`,
        );
      }
      actions.push(action);
      outcomes.push(outcome);
    }
  }
}

function lengthText(value: unknown): string {
  return value instanceof Float64Array ? `${value.length}` : `${value}`;
}
