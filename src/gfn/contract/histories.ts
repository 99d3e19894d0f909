// Whether the kernel that an environment gives after a history is one, and allows what came out along episodes.

import type { HistoryEnvironment } from "../environment.ts";
import { attempt, type Fail } from "./fail.ts";
import type { Observed } from "./observe.ts";

export function checkHistories(environment: HistoryEnvironment, { steps, ends }: Observed, fail: Fail): void {
  const { actions: A, outcomes: C, stops } = environment;
  if (stops) fail("kernelAfter is for environments without a stop, but stops is true");
  for (let episode = 0; episode < ends.length; episode++) {
    const [intended, realised]: number[][] = [[], []];
    for (let i = episode; i < steps.length && steps[i].before.running === 1; i += ends.length) {
      const { action, outcome } = steps[i];
      const what = `kernelAfter([${intended.join(", ")}], [${realised.join(", ")}])`;
      const kernel = attempt(fail, what, () => environment.kernelAfter([...intended], [...realised]));
      if (!(kernel instanceof Float64Array) || kernel.length !== A * C) {
        fail(`${what} must give a Float64Array of ${A} × ${C} numbers, got ${lengthOf(kernel)}`);
      }
      const row = kernel.subarray(action * C, (action + 1) * C);
      const sum = row.reduce((a, b) => a + b, 0);
      if (!(Math.abs(sum - 1) <= 1e-9)) {
        fail(`${what} must give probabilities that sum to 1, got ${sum} for action ${action}`);
      }
      if (!row.every((p) => p >= 0)) {
        fail(`${what} must give probabilities, got ${row.find((p) => !(p >= 0))} for action ${action}`);
      }
      if (row[outcome] === 0) {
        fail(`realise makes outcome ${outcome} of action ${action}, and ${what} gives it probability 0`);
      }
      intended.push(action);
      realised.push(outcome);
    }
  }
}

function lengthOf(value: unknown): string {
  return value instanceof Float64Array ? `${value.length}` : `${value}`;
}
