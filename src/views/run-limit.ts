// The limit of a run, computed in bounded time and remembered for other checkpoints and other seeds of the same task.

import { hasAllStrings } from "../gfn/environment/capabilities.ts";
import type { Enumeration } from "../gfn/environment/enumeration.ts";
import { enumerationOf, isEnumerable, isHistoryDependent } from "../gfn/environment/environment.ts";
import {
  canEnumerateStates,
  type EnumeratedStates,
  enumeratedStates,
} from "../gfn/evaluate/enumerated-states.ts";
import { countHistories } from "../gfn/evaluate/history-enumeration.ts";
import { type Limit, limitOf } from "../gfn/evaluate/limit.ts";
import { isThoughtConditioned } from "../gfn/policy/history-embedding.ts";
import type { TrainedRun } from "../run/trained-run.ts";

/** The best reachable policy, over the states of an enumeration. */
export interface ReachedLimit extends Limit {
  readonly enumeration: Enumeration;
}

/** Up to this many states, or histories, they are enumerated. */
export const MOST_STATES = 2 ** 20;
/** Transitions that expectation maximisation visits in all its steps, which takes some seconds; and its least steps. */
const [MOST_VISITS, LEAST_STEPS] = [1e8, 50];
/** Limits that are remembered. */
const REMEMBERED = 4;
/** A limit that another policy could improve by less than this counts as exact. */
const TOLERANCE = 1e-6;

interface Remembered {
  readonly key: string;
  readonly target: Float64Array;
  readonly limit: ReachedLimit;
}

let remembered: readonly Remembered[] = [];

/** The limit for a target; null if there are too many states, or if they cannot be enumerated. `taskStamp` identifies the
 * task file of a run whose task has no name. */
export function limitFor(run: TrainedRun, taskStamp: string, target: Float64Array): ReachedLimit | null {
  const task = run.options.problem ?? [run.run.folder, taskStamp];
  const key = JSON.stringify([task, run.model.environment.name, run.model.historyInputs]);
  const found = remembered.find((each) => each.key === key && isEqual(each.target, target));
  if (found) return found.limit;
  const limit = computed(run, target);
  if (limit) remembered = [{ key, target, limit }, ...remembered].slice(0, REMEMBERED);
  return limit;
}

function computed({ model }: TrainedRun, target: Float64Array): ReachedLimit | null {
  const { environment } = model;
  const optionsFor = ({ targets }: Enumeration) => ({
    maxSteps: Math.max(LEAST_STEPS, Math.floor(MOST_VISITS / targets.length)),
  });
  // If the kernel depends on the state alone, so does the best policy.
  if (isEnumerable(environment) && !isHistoryDependent(environment)) {
    if (environment.states > MOST_STATES) return null;
    const enumeration = enumerationOf(environment);
    return { ...limitOf(environment, enumeration, target, optionsFor(enumeration)), enumeration };
  }
  if (!isTabulable(model)) return null;
  const { enumeration, limit } = enumeratedStates(model) as EnumeratedStates;
  return { ...limit(target, optionsFor(enumeration)), enumeration };
}

/** Whether the networks can be evaluated in every state, or after every history, in acceptable time. */
export function isTabulable(model: TrainedRun["model"]): boolean {
  const { environment } = model;
  if (!canEnumerateStates(model)) return false;
  const usesHistories = isThoughtConditioned(model) || !isEnumerable(environment);
  if (!usesHistories) return environment.states <= MOST_STATES;
  return hasAllStrings(environment) && countHistories(environment) <= MOST_STATES;
}

/** Sentences about a limit that is missing or not exact. */
export function limitNotes(limit: Limit | null): string[] {
  if (!limit) return ["The best reachable distribution is not shown, because there are too many states."];
  const { gap } = limit;
  if (Number.isNaN(gap)) {
    return ["The best reachable distribution is the best that was found; there is no bound for better ones."];
  }
  if (gap <= TOLERANCE) return [];
  return [
    `The best reachable distribution is approximate: its KL divergence from the target is at most ${gap.toPrecision(2)} too high.`,
  ];
}

function isEqual(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
