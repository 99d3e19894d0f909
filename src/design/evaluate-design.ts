// Evaluates the policy of a design by strings with scores that it was not trained on. Where strings are too many to score
// all of them, this tells a good policy from a bad one.

import { isConstrained } from "../gfn/environment/capabilities.ts";
import { type HeldOutMetrics, heldOutMetrics } from "../gfn/evaluate/held-out.ts";
import { UserError } from "../issues.ts";
import type { DesignObjective } from "../oracle/design-objectives.ts";
import { measuredRows } from "../problem/measured-rows.ts";
import { readTextTable } from "../problem/string-table.ts";
import type { TrainedRun } from "../run/trained-run.ts";
import { hasScoreTable } from "../tasks/task.ts";
import { NO_STORAGE, trainedModel } from "../trained/trained.ts";
import type { ScoredDesign } from "./candidates.ts";
import { readDesignKey } from "./design-folder.ts";
import { legalScores } from "./design-training.ts";
import { type RewardFile, readReward } from "./reward-file.ts";
import { shapeReward } from "./reward-shaper.ts";
import { combineReplicates } from "./tell.ts";

/** The metrics of held-out strings. */
export interface DesignEvaluation {
  readonly heldOut: HeldOutMetrics;
  /** Strings of the table that the policy was trained on, which are left out. */
  readonly trainedOn: number;
  readonly reward: RewardFile;
}

/** Whether a run is that of a design which learned from some of the legal strings, so that it has no table of scores. */
export async function isPartlyScoredDesign(folder: string, { task }: TrainedRun): Promise<boolean> {
  return !hasScoreTable(task) && (await readDesignKey(folder)) !== null;
}

/** Evaluates the run of a design folder by a table with the columns string and score, or one column per objective. */
export async function evaluateDesign(
  folder: string,
  { task, options, snapshot }: TrainedRun,
  table: string,
): Promise<DesignEvaluation> {
  const [key, reward] = await Promise.all([readDesignKey(folder), readReward(folder)]);
  const { oracle } = snapshot;
  const { environment } = task;
  if (!key || !reward || !oracle || !isConstrained(environment))
    throw new UserError(`${folder} has no finished design; start it again`);
  if (reward.expected) {
    throw new UserError(
      "the rewards of this design are expectations over errors after the design, so scores of single strings cannot be compared with them",
    );
  }
  const { logReward } = shapeReward(
    legalScores(oracle, environment),
    { known: key.known.length, budget: Math.max(key.budget - key.calls, 0) },
    { ...reward, effectiveStrings: 1 },
  );
  const given = await readScores(table, reward.objectives);
  const trainedOn = new Set(oracle.objects);
  const heldOut = given.filter(({ string }) => !trainedOn.has(string));
  if (heldOut.length === 0) {
    throw new UserError(
      `${table} must have strings that the policy was not trained on, got ${given.length} that it was`,
    );
  }
  const trained = trainedModel({ options: { ...options, scores: null }, snapshot, events: [] }, NO_STORAGE);
  try {
    const logs = await trained.logProbabilities(heldOut.map(({ string }) => string));
    if (logs.some(({ exact }) => !exact)) {
      throw new UserError(
        "log-probabilities of this policy are estimates, so it cannot be evaluated by them",
      );
    }
    const pairs = logs.map(({ logProbability }, i) => ({
      logProbability,
      logReward: logReward(heldOut[i].score),
    }));
    return { heldOut: heldOutMetrics(pairs), trainedOn: given.length - heldOut.length, reward };
  } finally {
    await trained.dispose();
  }
}

/** Each string of a table once, with the mean of its scores. */
async function readScores(
  table: string,
  objectives: readonly DesignObjective[] | undefined,
): Promise<ScoredDesign[]> {
  const { measured, wrong } = measuredRows(await readTextTable(table), { objectives });
  if (wrong.length > 0) throw new UserError(`${table}, ${wrong[0].message}`);
  return combineReplicates(measured, objectives);
}
