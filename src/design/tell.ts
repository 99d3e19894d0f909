// Results of the laboratory: a table of strings with measured scores, with replicates, missing wells and extra strings.

import { fromSpreadsheetText } from "../formats/csv.ts";
import { UserError } from "../issues.ts";
import { stringReader } from "../problem/alphabet.ts";
import type { Problem } from "../problem/problem.ts";
import { readTextTable, stringRows } from "../problem/string-table.ts";
import type { ScoredDesign } from "./candidates.ts";

/** The measurements of a table. */
export interface ToldResults {
  /** Each string once: the mean of its replicates, with the standard error if there are several. */
  readonly scores: readonly ScoredDesign[];
  /** Rows with a score. */
  readonly measured: number;
  /** Rows without one. */
  readonly missing: number;
}

/** Wrong rows that an error lists. */
const MOST_ROWS = 3;

/** Reads a CSV or TSV file. Throws a UserError that names the rows which cannot be read. */
export async function readResults(
  file: string,
  { alphabet }: Pick<Problem, "alphabet">,
): Promise<ToldResults> {
  const read = stringReader(alphabet);
  const measurements: ScoredDesign[] = [];
  const problems: string[] = [];
  let missing = 0;
  for (const { row, string: text, score } of stringRows(await readTextTable(file), {})) {
    if (score === null) missing++;
    else if (typeof score === "object")
      problems.push(`row ${row}: the score must be a number, got ${score.text}`);
    else if (text === "") problems.push(`row ${row}: the score ${score} must have a string, got none`);
    else {
      try {
        const { string } = read(fromSpreadsheetText(text));
        measurements.push({ string, score });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        problems.push(`row ${row}: the string must ${error.message}`);
      }
    }
  }
  if (problems.length > 0) {
    const more = problems.length > MOST_ROWS ? `; and ${problems.length - MOST_ROWS} more` : "";
    throw new UserError(`${file} has wrong rows: ${problems.slice(0, MOST_ROWS).join("; ")}${more}`);
  }
  const measured = measurements.length;
  if (measured === 0)
    throw new UserError(`${file} must have at least one score, got none in ${missing} rows`);
  return { scores: combineReplicates(measurements), measured, missing };
}

/** Each string once: the mean of its replicates, and its standard error if there are several. */
export function combineReplicates(
  measurements: Iterable<Pick<ScoredDesign, "string" | "score">>,
): ScoredDesign[] {
  const replicates = new Map<string, number[]>();
  for (const { string, score } of measurements) {
    const values = replicates.get(string);
    if (values) values.push(score);
    else replicates.set(string, [score]);
  }
  return [...replicates].map(([string, values]) => combined(string, values));
}

function combined(string: string, values: readonly number[]): ScoredDesign {
  const count = values.length;
  const score = values.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { string, score };
  const variance = values.reduce((sum, value) => sum + (value - score) ** 2, 0) / (count - 1);
  return { string, score, uncertainty: Math.sqrt(variance / count) };
}
