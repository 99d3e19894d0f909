// A problem of the playground, ready to be shown and trained: the task, its target, and the best reachable distribution.

import type { Enumeration } from "../gfn/environment/enumeration.ts";
import { enumerationOf } from "../gfn/environment/environment.ts";
import { type DistributionMetrics, distributionMetrics } from "../gfn/evaluate/distribution-metrics.ts";
import type { LimitMetrics } from "../gfn/evaluate/exact-evaluator.ts";
import { limitOf } from "../gfn/evaluate/limit.ts";
import { rememberedLimit } from "../gfn/evaluate/remembered-limit.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { UserError } from "../issues.ts";
import { normaliseRewards } from "../math/distances.ts";
import { hypergridTask } from "../tasks/hypergrid/index.ts";
import { tableTask } from "../tasks/table/index.ts";
import type { EnumerableTask } from "../tasks/task.ts";
import { tfbind8Task } from "../tasks/tfbind8/index.ts";
import type { KnownTarget } from "../views/opened-run.ts";
import type { ReachedLimit } from "../views/run-limit.ts";
import { exampleData, type OwnData } from "./own-data.ts";
import type { PlaygroundSettings } from "./settings.ts";

export interface Problem {
  readonly settings: PlaygroundSettings;
  readonly task: EnumerableTask;
  readonly training: Settings;
  readonly enumeration: Enumeration;
  readonly known: KnownTarget;
  readonly limit: ReachedLimit & { readonly metrics: LimitMetrics };
  metricsOf(terminals: Float64Array): DistributionMetrics;
}

/** Transitions that the search for the limit visits in all its steps, which takes about a second; and its least steps. */
const [MOST_VISITS, LEAST_STEPS] = [3e7, 50];

/** Most states of a problem: more of them take too long in a page. */
const MOST_STATES = 2 ** 17;

/** Builds the problem. Throws a UserError if the data are wrong or too large, or if their scores make no rewards. */
export function problemOf(settings: PlaygroundSettings, data: OwnData = {}): Problem {
  const task = taskOf(settings, data);
  const { environment } = task;
  if (environment.states > MOST_STATES) {
    const message = `must give at most ${MOST_STATES} states in a page, got ${environment.states}; train on it with the command line`;
    throw new UserError([{ path: settings.problem, code: "range", message }]);
  }
  const training = trainingSettings(settings, task);
  const enumeration = enumerationOf(environment);
  const reward = rewardsOf(task, training);
  const known = { reward, ...normaliseRewards(reward) };
  const metricsOf = (terminals: Float64Array) => distributionMetrics(known.target, reward, terminals);
  const maxSteps = Math.max(LEAST_STEPS, Math.floor(MOST_VISITS / enumeration.targets.length));
  // Remembered for the evaluations of a training.
  const limit = rememberedLimit({ environment, historyInputs: NO_HISTORY }, known.target, () =>
    limitOf(environment, enumeration, known.target, { maxSteps }),
  );
  const metrics = { ...metricsOf(limit.terminals), gap: limit.gap };
  return {
    settings,
    task,
    training,
    enumeration,
    known,
    limit: { ...limit, enumeration, metrics },
    metricsOf,
  };
}

/** The networks of the playground read states only. */
const NO_HISTORY = { policy: undefined, dynamics: undefined };

function taskOf(settings: PlaygroundSettings, given: OwnData): EnumerableTask {
  const { problem, stick, side, reward, missing, variable } = settings;
  const example = exampleData();
  switch (problem) {
    case "tfbind8":
      return tfbind8Task({ stick });
    case "table": {
      const { text, name } = given.table ?? example.table;
      return tableTask({ stick, table: text, source: name, missing, variable });
    }
    default: {
      const own =
        problem === "formula" ? { reward } : { picture: (given.picture ?? example.picture).picture };
      return hypergridTask({ stick, side, ...(problem !== "hypergrid" && own) });
    }
  }
}

/** The settings of training in the words of the library. */
export function trainingSettings(
  { objective, rewardExponent, exploration, width, layers, stateTable }: PlaygroundSettings,
  { environment }: EnumerableTask,
): Settings {
  const hidden = new Array<number>(layers).fill(width);
  const noTable = { stateTableRows: 0, stateTableRateScale: 1 };
  const changes = { objective, rewardExponent, hidden, ...(!stateTable && noTable) };
  const byDefault = defaultSettings(environment, changes);
  const schedule = { from: exploration, to: 0, until: 0.6 };
  // Objectives that need the actions of a trajectory explore by `epsilon`, the others by `uniformShare`.
  const name = byDefault.uniformShare === 0 ? "epsilon" : "uniformShare";
  return defaultSettings(environment, { ...changes, [name]: exploration === 0 ? 0 : schedule });
}

function rewardsOf({ scores, decode }: EnumerableTask, training: Settings): Float64Array {
  const { rewardExponent: exponent, rewardFloor: floor } = training;
  try {
    return rewardTable(scores, { exponent, floor, decode });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(error.message.replace(/^rewardTable: /, ""), { cause: error });
  }
}
