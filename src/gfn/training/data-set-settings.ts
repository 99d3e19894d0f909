// Settings of training from the data set of a run with a call budget, with the rule, help and default of each.
//
// They stand apart from the other settings, because a run whose scores are all in a table has no use for them.
// The module imports no networks, because `--help` loads it.

import { type Issue, throwIssues } from "../../issues.ts";
import type { Schedule } from "../../nn/optim/schedule.ts";
import { fixedDefaults, is, type Keys, key } from "../../settings/keys.ts";
import { boolean, type Kind, number, problemOf, whole } from "../../settings/kinds.ts";
import { schedule } from "../../settings/schedule-kind.ts";

/** Settings of a run with a call budget: when it calls the score function, and how it draws batches from the data set. */
export interface DataSetSettings {
  /** Trajectories per rollout that collects new objects. */
  readonly collectBatch: number;
  /** Share of the budget that is spent on uniformly drawn actions before the first update. */
  readonly callsFirst: number;
  /** Progress at which the whole budget is spent; after that, training uses the data set only. */
  readonly callsUntil: number;
  /** Share of a batch that is drawn in proportion to the reward to the power `dataSetPriority`; the rest is drawn
   * uniformly from the data set. */
  readonly dataSetPriorityShare: Schedule;
  /** Power of the reward in the prioritised draws. */
  readonly dataSetPriority: number;
  /** Whether the reward exponent of training rises while collected objects score lower than the target's would. */
  readonly matchMeanScore: boolean;
  /** Share of a rollout that is local search: it keeps the beginning of a good object and rebuilds the rest. */
  readonly localSearchShare: Schedule;
}

const share = schedule({ from: 0, to: 1 });

// biome-ignore format: a table
/** The rule, help text and default of every setting of a run with a call budget. */
export const DATA_SET_KEYS: Keys<DataSetSettings> = {
  collectBatch: key(whole(1), "calls", "trajectories per rollout that collects new objects for the score function", is(128)),
  callsFirst: key(number({ from: 0, to: 1 }), "calls", "share of the call budget that is spent on uniformly drawn actions before the first update", is(0.15)),
  callsUntil: key(number({ above: 0, to: 1 }), "calls", "progress at which the call budget is spent; after that, training uses the data set of scored objects only", is(0.9)),
  dataSetPriorityShare: key(share, "calls", "share of the batch that is drawn from the data set by reward; the rest is drawn uniformly from it", is(0.5)),
  dataSetPriority: key(number({ from: 0 }), "calls", "prioritised draws are in proportion to the reward to this power", is(1)),
  matchMeanScore: key(boolean(), "calls", "raise the reward exponent of training, up to eight times, while the policy's objects score lower than objects of the target would", is(false)),
  localSearchShare: key(share, "calls", "share of the collected trajectories that keep the beginning of a good object and rebuild the rest by the policy", is(0)),
};

/** The default of every setting, overridden by `changes`. */
export function dataSetSettings(changes: Partial<DataSetSettings> = {}): DataSetSettings {
  const given = Object.entries(changes).filter(
    ([name, value]) => Object.hasOwn(DATA_SET_KEYS, name) && value !== undefined,
  );
  return { ...(fixedDefaults(DATA_SET_KEYS) as DataSetSettings), ...Object.fromEntries(given) };
}

/** The kind of a call budget. */
export const CALLS_KIND = whole(0, Number.MAX_SAFE_INTEGER);

/** Throws a UserError with all issues of a call budget and its settings. */
export function checkCallBudget(
  calls: number,
  settings: DataSetSettings,
  { hasScoreFunction, known }: { readonly hasScoreFunction: boolean; readonly known: number },
): void {
  const wrongCalls = !hasScoreFunction
    ? "needs a score function, but a table has all scores; leave it out"
    : calls === 0 && known === 0
      ? "must be at least 1 if no scores are known, got 0"
      : problemOf(CALLS_KIND, calls);
  throwIssues([
    ...(wrongCalls ? [{ path: "calls", code: "range", message: wrongCalls }] : []),
    ...Object.entries(DATA_SET_KEYS).flatMap(([path, { kind }]): Issue[] => {
      const message = problemOf(kind as Kind<unknown>, settings[path as keyof DataSetSettings]);
      return message ? [{ path, code: "range", message }] : [];
    }),
  ]);
}
