// Candidates as files: CSV, Parquet and FASTA.

import { type CsvRow, formatCsv, spreadsheetText } from "../formats/csv.ts";
import { type DesignObjective, hasConstraints, violation } from "../oracle/design-objectives.ts";
import type { Candidate } from "./candidates.ts";

/** A candidate with what the trained policy and the noise add to it. */
export interface CandidateRow extends Candidate {
  /** Log-probability under the trained policy; null if it would have to be estimated. */
  readonly logProbability: number | null;
  /** Expected score after errors of synthesis; null if there are none. */
  readonly expectedScore: number | null;
  /** Standard error of the expected score; null if it is exact or there is none. */
  readonly expectedScoreError: number | null;
}

/** The columns of candidate files, with their types in Parquet. */
export const CANDIDATE_COLUMNS = {
  rank: "INTEGER",
  string: "VARCHAR",
  score: "DOUBLE",
  uncertainty: "DOUBLE",
  log_probability: "DOUBLE",
  circle: "INTEGER",
  distance_to_known: "INTEGER",
  expected_score: "DOUBLE",
  expected_score_error: "DOUBLE",
} as const;

/** The column that says whether all constraints of the objectives are met. */
export const CONSTRAINTS_COLUMN = "meets_constraints";

/** The columns of a design with their types: several objectives have a column each. */
export function candidateColumns(
  objectives: readonly DesignObjective[] = [],
): Readonly<Record<string, string>> {
  return {
    ...CANDIDATE_COLUMNS,
    ...Object.fromEntries(objectives.map(({ name }) => [name, "DOUBLE"])),
    ...(hasConstraints(objectives) && { [CONSTRAINTS_COLUMN]: "BOOLEAN" }),
  };
}

/** The CSV file of candidates, best first. */
export function candidateCsv(rows: readonly CandidateRow[], objectives?: readonly DesignObjective[]): string {
  return candidateTable(
    rows.map((row) => ({ ...row, string: spreadsheetText(row.string) })),
    objectives,
  );
}

/** The same table with the strings unchanged, which becomes the Parquet file. */
export function candidateTable(
  rows: readonly CandidateRow[],
  objectives?: readonly DesignObjective[],
): string {
  return formatCsv(
    Object.keys(candidateColumns(objectives)),
    rows.map((row) => ({ ...cellsOf(row), ...objectiveCells(row, objectives) })),
  );
}

function objectiveCells({ values = [] }: CandidateRow, objectives: readonly DesignObjective[] = []): CsvRow {
  return {
    ...Object.fromEntries(objectives.map(({ name }, i) => [name, values[i]])),
    [CONSTRAINTS_COLUMN]: violation(objectives, values) === 0,
  };
}

function cellsOf(row: CandidateRow): Record<keyof typeof CANDIDATE_COLUMNS, string | number | null> {
  return {
    rank: row.rank,
    string: row.string,
    score: row.score,
    uncertainty: row.uncertainty ?? null,
    log_probability: row.logProbability,
    circle: row.circle,
    distance_to_known: row.distanceToKnown,
    expected_score: row.expectedScore,
    expected_score_error: row.expectedScoreError,
  };
}

/** The FASTA file of candidates. */
export function candidateFasta(rows: readonly CandidateRow[]): string {
  return rows
    .map(
      ({ rank, string, score, circle }) =>
        `>candidate_${rank} score=${score.toPrecision(6)} circle=${circle}\n${string}\n`,
    )
    .join("");
}
