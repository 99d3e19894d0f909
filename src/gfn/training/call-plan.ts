// The plan of a run with a call budget: how many calls of the score function it should have made at each progress. It is
// a function of the settings and of the progress alone, so a run that continues from a snapshot follows the same plan.

import type { DataSetSettings } from "./data-set-settings.ts";

/** The part of a budget that is spent on uniformly drawn actions before the first update; at least one call, if there are any. */
export function firstCalls(calls: number, { callsFirst }: Pick<DataSetSettings, "callsFirst">): number {
  return Math.max(Math.min(1, calls), Math.round(calls * callsFirst));
}

/** Calls that a run should have made when it starts the iteration at this progress. The number rises linearly from the
 * first calls to the whole budget, which it reaches at the progress `callsUntil`. */
export function plannedCalls(
  calls: number,
  settings: Pick<DataSetSettings, "callsFirst" | "callsUntil">,
  progress: number,
): number {
  const first = firstCalls(calls, settings);
  return Math.floor(first + (calls - first) * Math.min(progress / settings.callsUntil, 1));
}

/**
 * Rollouts that the iteration at this progress begins with: as many as the calls that are due would fill if every
 * trajectory led to a new object. Less than a whole rollout waits for a later iteration, except for the last calls of the
 * budget. Repeated objects cost no call, so a rollout may leave calls due; the next iteration makes up for them.
 */
export function rolloutsDue(
  calls: number,
  made: number,
  settings: Pick<DataSetSettings, "callsFirst" | "callsUntil" | "collectBatch">,
  progress: number,
): number {
  const due = plannedCalls(calls, settings, progress) - made;
  if (due <= 0) return 0;
  if (made === 0 || made + due === calls) return Math.ceil(due / settings.collectBatch);
  return Math.floor(due / settings.collectBatch);
}

/** Bounds of the default number of iterations, and iterations per call between them. */
const [FEWEST_ITERATIONS, MOST_ITERATIONS, ITERATIONS_PER_CALL] = [2000, 8000, 0.25];

/** The default number of iterations of a run with this call budget. */
export function iterationsForCalls(calls: number): number {
  return Math.min(Math.max(Math.round(calls * ITERATIONS_PER_CALL), FEWEST_ITERATIONS), MOST_ITERATIONS);
}
