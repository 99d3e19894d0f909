// A plan lists the contests to run and the rows to compute from their samples. If only some rows are selected, only the
// processes that these rows depend on run.

import { type Row, UsageError } from "./benchmark.ts";
import type { Contest, Measured, Results } from "./harness.ts";
import { disturbanceNote } from "./quiet-rounds.ts";

/** Names of a contest and of one of its contenders, whose samples a row depends on. */
export type SampleName = readonly [contest: string, contender: string];

/** A row that is computed after all processes have run. */
export interface PlannedRow {
  readonly setting: string;
  readonly rival: string | null;
  readonly samples: readonly SampleName[];
  make(results: Results): Row;
}

export interface Plan {
  readonly contests: readonly Contest[];
  readonly rows: readonly PlannedRow[];
}

/** The rows whose setting or rival matches the pattern, and the contests that they depend on. */
export function select({ contests, rows }: Plan, only: RegExp | undefined): Plan {
  const kept = only ? rows.filter(({ setting, rival }) => only.test(`${setting}, ${rival ?? ""}`)) : rows;
  if (kept.length === 0) {
    const names = [...new Set(rows.map(({ setting }) => setting))].join("; ");
    throw new UsageError(`--only ${only?.source} matches no row; available settings: ${names}.`);
  }
  const isNeeded = (contest: string, contender: string) =>
    kept.some(({ samples: needs }) => needs.some((need) => need[0] === contest && need[1] === contender));
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

/** The rows of a measured plan. The note of a row also says how often its contests were disturbed. */
export function rowsOf(rows: readonly PlannedRow[], { results, disturbance }: Measured): Row[] {
  return rows.map(({ samples, make }) => {
    const row = make(results);
    const contests = [...new Set(samples.map(([contest]) => contest))];
    const notes = [row.note, disturbanceNote(contests.map(disturbance))].filter((note) => note !== undefined);
    return notes.length > 0 ? { ...row, note: notes.join("; ") } : row;
  });
}
