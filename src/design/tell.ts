// Results of the laboratory: a table of strings with measured scores, with replicates, missing wells and extra strings.

import { fromSpreadsheetText } from "../formats/csv.ts";
import { UserError } from "../issues.ts";
import { mean } from "../math/statistics.ts";
import { combinedScore, type DesignObjective } from "../oracle/design-objectives.ts";
import { stringReader } from "../problem/alphabet.ts";
import { measuredRows } from "../problem/measured-rows.ts";
import type { Problem } from "../problem/problem.ts";
import { readTextTable } from "../problem/string-table.ts";
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

/** Reads a CSV or TSV file; with several objectives, one column for each. Throws a UserError that names the rows which cannot be read. */
export async function readResults(
  file: string,
  { alphabet, objectives }: Pick<Problem, "alphabet" | "objectives">,
): Promise<ToldResults> {
  const read = stringReader(alphabet);
  const table = measuredRows(await readTextTable(file), { objectives });
  const { missing } = table;
  const wrong = [...table.wrong];
  const measurements = table.measured.flatMap(({ row, string: text, ...measurement }) => {
    try {
      return [{ string: read(fromSpreadsheetText(text)).string, ...measurement }];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      wrong.push({ row, message: `row ${row}: the string must ${error.message}` });
      return [];
    }
  });
  const problems = wrong.toSorted((a, b) => a.row - b.row).map(({ message }) => message);
  if (problems.length > 0) {
    const more = problems.length > MOST_ROWS ? `; and ${problems.length - MOST_ROWS} more` : "";
    throw new UserError(`${file} has wrong rows: ${problems.slice(0, MOST_ROWS).join("; ")}${more}`);
  }
  const measured = measurements.length;
  if (measured === 0)
    throw new UserError(`${file} must have at least one score, got none in ${missing} rows`);
  return { scores: combineReplicates(measurements, objectives), measured, missing };
}

/** Each string once: the mean of its replicates, and its standard error if there are several. With several objectives, the
 * values are averaged, and the score is that of the mean values. */
export function combineReplicates(
  measurements: Iterable<Pick<ScoredDesign, "string" | "score" | "values">>,
  objectives?: readonly DesignObjective[],
): ScoredDesign[] {
  const replicates = new Map<string, Pick<ScoredDesign, "score" | "values">[]>();
  for (const { string, score, values } of measurements) {
    const others = replicates.get(string);
    if (others) others.push({ score, values });
    else replicates.set(string, [{ score, values }]);
  }
  return [...replicates].map(([string, each]) => combined(string, each, objectives));
}

function combined(
  string: string,
  replicates: readonly Pick<ScoredDesign, "score" | "values">[],
  objectives: readonly DesignObjective[] | undefined,
): ScoredDesign {
  const count = replicates.length;
  const values = objectives?.map((_, i) => mean(replicates.map((each) => each.values?.[i] ?? Number.NaN)));
  const average = mean(replicates.map(({ score }) => score));
  const score = objectives && values ? combinedScore(objectives, values) : average;
  const design = { string, score, ...(values && { values }) };
  if (count === 1) return design;
  const variance = replicates.reduce((sum, each) => sum + (each.score - average) ** 2, 0) / (count - 1);
  return { ...design, uncertainty: Math.sqrt(variance / count) };
}
