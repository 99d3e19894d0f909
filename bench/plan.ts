// What to measure and which rows come of it, so that a selection of rows runs only the processes it needs.

import { type Row, UsageError } from "./benchmark.ts";
import type { Contest, Results } from "./harness.ts";

/** A contender of a contest, by names. */
export type Need = readonly [contest: string, contender: string];

/** A row to be made once its processes have run. */
export interface PlannedRow {
  readonly setting: string;
  readonly rival: string | null;
  readonly needs: readonly Need[];
  make(results: Results): Row;
}

export interface Plan {
  readonly contests: readonly Contest[];
  readonly rows: readonly PlannedRow[];
}

/** The part of a plan whose rows match the pattern, by setting and rival. */
export function select({ contests, rows }: Plan, only: RegExp | undefined): Plan {
  const kept = only ? rows.filter(({ setting, rival }) => only.test(`${setting}, ${rival ?? ""}`)) : rows;
  if (kept.length === 0) {
    const names = [...new Set(rows.map(({ setting }) => setting))].join("; ");
    throw new UsageError(`--only ${only?.source} matches no row; settings are: ${names}.`);
  }
  const isNeeded = (contest: string, contender: string) =>
    kept.some(({ needs }) => needs.some((need) => need[0] === contest && need[1] === contender));
  return {
    rows: kept,
    contests: contests
      .map((contest) => ({
        ...contest,
        contenders: contest.contenders.filter(({ name }) => isNeeded(contest.name, name)),
      }))
      .filter(({ contenders }) => contenders.length > 0),
  };
}
