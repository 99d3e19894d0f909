// How the checks of an environment report a violation.

import type { Environment } from "../environment.ts";

/** Throws an error of one sentence that names the environment and the violation. */
export type Fail = (what: string) => never;

/** Calls a function of the environment. If it throws, fails with the name of the call and the reason. */
export function attempt<R>(fail: Fail, call: string, f: () => R): R {
  try {
    return f();
  } catch (error) {
    return fail(`${call} throws: ${error instanceof Error ? error.message : error}`);
  }
}

/** Checks that the result of `call` is an array of at most `maxSteps` outcomes. */
export function checkOutcomes(
  { outcomes: outcomeCount, maxSteps }: Environment,
  call: string,
  outcomes: readonly number[],
  fail: Fail,
): void {
  if (!Array.isArray(outcomes)) fail(`${call} must return an array of outcomes, got ${outcomes}`);
  if (outcomes.length > maxSteps) {
    fail(`${call} returns ${outcomes.length} outcomes, more than maxSteps = ${maxSteps}`);
  }
  const wrong = outcomes.findIndex((c) => !Number.isInteger(c) || c < 0 || c >= outcomeCount);
  if (wrong >= 0) fail(`${call} must return outcomes from 0 to ${outcomeCount - 1}, got ${outcomes[wrong]}`);
}
