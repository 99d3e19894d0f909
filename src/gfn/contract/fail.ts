// How the checks of an environment complain.

import type { Environment } from "../environment.ts";

/** Throws one sentence that names the environment and what is wrong with it. */
export type Fail = (what: string) => never;

/** Calls a member; if it throws, the sentence says which and why. */
export function attempt<R>(fail: Fail, what: string, f: () => R): R {
  try {
    return f();
  } catch (error) {
    return fail(`${what} throws: ${error instanceof Error ? error.message : error}`);
  }
}

/** A way is a list of outcomes, and not too many. */
export function checkWay(
  { outcomes, maxSteps }: Environment,
  what: string,
  way: readonly number[],
  fail: Fail,
): void {
  if (!Array.isArray(way)) fail(`${what} must give an array of outcomes, got ${way}`);
  if (way.length > maxSteps) {
    fail(`${what} gives ${way.length} outcomes, more than the ${maxSteps} steps there are`);
  }
  const wrong = way.findIndex((c) => !Number.isInteger(c) || c < 0 || c >= outcomes);
  if (wrong >= 0) fail(`${what} must give outcomes from 0 to ${outcomes - 1}, got ${way[wrong]}`);
}
