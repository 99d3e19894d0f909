// The end of a design run: candidates with everything that is known about them, their files, and the page of figures.

import { join } from "node:path";
import { tokenText } from "../constraints/index.ts";
import { writeFileAtomically } from "../disk/atomic-file.ts";
import { withDiskErrors } from "../disk/run-error.ts";
import { TableError } from "../formats/tables/table-error.ts";
import { writeParquet } from "../formats/tables/write-parquet.ts";
import type { DistanceName } from "../math/bounded-distance.ts";
import { circles } from "../math/circles.ts";
import type { DesignObjective } from "../oracle/design-objectives.ts";
import type { Problem } from "../problem/problem.ts";
import { type DesignProgress, type DesignReport, designReport } from "../report/design-report.ts";
import type { Page } from "../report/page.ts";
import { pageText } from "../report/page-file.ts";
import type { ParetoReport } from "../report/pareto-charts.ts";
import { formatNumber } from "../report/text-format.ts";
import {
  type CandidateRow,
  candidateColumns,
  candidateCsv,
  candidateFasta,
  candidateTable,
} from "./candidate-files.ts";
import { chooseCandidates, meanOfBest, type ScoredDesign } from "./candidates.ts";
import { DESIGN_FILES } from "./design-folder.ts";
import type { DesignRun } from "./design-run.ts";
import { distanceOf } from "./distance.ts";
import { type ParetoFront, paretoCsv, paretoOf, paretoText } from "./pareto.ts";

/** How candidates are chosen from a run. */
export interface FinishOptions {
  readonly problem: Problem;
  /** Number of candidates. */
  readonly candidates: number;
  /** Radius of circles. */
  readonly radius: number;
}

/** Points of the curves against calls. */
const POINTS = 20;
/** Strings whose mean score is shown, and among which circles are counted. */
export const TOP = 100;

/** The candidates of a run, best first: by their scores or, if synthesis errs, by their expected scores. */
export async function candidateRows(
  run: Pick<DesignRun, "scored" | "expected" | "known" | "trained">,
  options: FinishOptions,
): Promise<CandidateRow[]> {
  const { problem, candidates: count, radius } = options;
  const { goal } = problem.reward;
  const scores = new Map(run.scored.map(({ string, score }) => [string, score]));
  const expecting = run.scored.flatMap((design) => {
    const expected = run.expected?.get(design.string);
    return expected ? [{ ...design, score: expected.value }] : [];
  });
  const chosen = chooseCandidates(expecting.length > 0 ? expecting : run.scored, {
    ...{ count, radius, goal, distance: distanceOf(problem), known: run.known },
  });
  const strings = chosen.map(({ string }) => string);
  const logs = strings.length > 0 ? await run.trained.logProbabilities(strings) : [];
  return chosen.map((candidate, i) => {
    const expected = run.expected?.get(candidate.string) ?? null;
    return {
      ...candidate,
      score: scores.get(candidate.string) ?? candidate.score,
      logProbability: logs[i]?.logProbability ?? null,
      expectedScore: expected?.value ?? null,
      expectedScoreError: expected && !expected.exact ? expected.standardError : null,
    };
  });
}

/** Whether the expected scores of candidates are exact or estimated, as a sentence; null if there are none. */
export function expectedScoresText(
  rows: readonly Pick<CandidateRow, "expectedScore" | "expectedScoreError">[],
): string | null {
  const errors = rows.flatMap(({ expectedScore, expectedScoreError }) =>
    expectedScore === null ? [] : [expectedScoreError],
  );
  if (errors.length === 0) return null;
  const estimated = errors.filter((error) => error !== null);
  if (estimated.length === 0) return "Expected scores after errors of synthesis are exact.";
  const which = estimated.length === errors.length ? "" : `${estimated.length} of ${errors.length} `;
  const mean = estimated.reduce((sum, error) => sum + error, 0) / estimated.length;
  return `${which === "" ? "Expected" : `${which}expected`} scores after errors of synthesis are estimated from draws, with a mean standard error of ${formatNumber(mean)}${which === "" ? "" : "; the others are exact"}.`;
}

/** Writes the files of the candidates and, with several objectives, of the Pareto front. Returns the names of those that
 * were written. */
export async function writeCandidates(
  folder: string,
  rows: readonly CandidateRow[],
  page: Page,
  { objectives, pareto }: { objectives?: readonly DesignObjective[]; pareto?: ParetoFront | null } = {},
): Promise<string[]> {
  const texts: readonly (readonly [string, string])[] = [
    [DESIGN_FILES.candidates, candidateCsv(rows, objectives)],
    ...(pareto && objectives ? [[DESIGN_FILES.pareto, paretoCsv(pareto, objectives)] as const] : []),
    [DESIGN_FILES.fasta, candidateFasta(rows)],
    [DESIGN_FILES.page, pageText(page)],
  ];
  for (const [name, text] of texts) {
    const file = join(folder, name);
    await withDiskErrors("written", file, () => writeFileAtomically(file, text));
  }
  const names = texts.map(([name]) => name);
  try {
    const file = join(folder, DESIGN_FILES.parquet);
    await withDiskErrors("written", file, () =>
      writeParquet(file, candidateTable(rows, objectives), candidateColumns(objectives)),
    );
    return [...names, DESIGN_FILES.parquet];
  } catch (error) {
    // Parquet needs an optional package; the CSV file has the same content.
    if (error instanceof TableError) return names;
    throw error;
  }
}

/** The Pareto front of a run; null if there is one score. */
export function runPareto(
  { scored }: Pick<DesignRun, "scored">,
  { objectives }: Pick<Problem, "objectives">,
): ParetoFront | null {
  return objectives ? paretoOf(scored, objectives) : null;
}

/** The front of a run with all values, for the page. */
function paretoReport(
  { scored }: Pick<DesignRun, "scored">,
  objectives: readonly DesignObjective[],
  pareto: ParetoFront,
): ParetoReport {
  const valuesOf = (designs: readonly ScoredDesign[]) =>
    designs.flatMap(({ values }) => (values ? [values] : []));
  return {
    objectives,
    values: valuesOf(scored),
    front: valuesOf(pareto.front),
    summary: paretoText(pareto, objectives),
  };
}

/** The figures of a run. */
export function designPage(
  name: string,
  run: DesignRun,
  rows: readonly CandidateRow[],
  {
    problem,
    radius,
    budget,
    pareto,
  }: FinishOptions & { readonly budget: number; readonly pareto?: ParetoFront | null },
): Page {
  const { objectives } = problem;
  const { tokens } = problem.space;
  const text = tokenText(tokens);
  const report: DesignReport = {
    name,
    intro: [`${run.environment.name}, scored by ${run.oracle ?? "measurements"}.`, expectedScoresText(rows)]
      .filter((sentence) => sentence !== null)
      .join(" "),
    tokens,
    direction: problem.reward.goal,
    measure: { top: TOP, radius, distance: distanceOf(problem) },
    calls: run.calls,
    budget: run.oracle === null ? null : budget,
    progress: progressOf(run, problem, radius),
    ...(objectives && pareto && { pareto: paretoReport(run, objectives, pareto) }),
    candidates: rows.map((row) => ({
      text: row.string,
      letters: text.parse(row.string),
      score: row.score,
      circle: row.circle - 1,
      distanceToKnown: row.distanceToKnown,
    })),
    rounds: {
      rounds: run.rounds,
      scored: run.scored.map(({ string, score }) => ({ text: string, letters: text.parse(string), score })),
    },
    settings: [
      ["budget", budget],
      ["rounds", run.rounds.length > 0 ? run.rounds.length : null],
      ["known strings", run.known.length],
      ["reward exponent", run.reward.exponent],
      ["scale of scores", run.reward.scale],
      ["iterations", run.trained.iterations],
      ["seed", problem.seed],
    ],
  };
  return designReport(report);
}

/** Best score, mean of the best and circles after parts of the calls. */
export function progressOf(run: DesignRun, problem: Problem, radius: number): DesignProgress[] {
  const { goal } = problem.reward;
  const known = new Set(run.known);
  const order = run.order.filter(({ string }) => !known.has(string));
  const steps = Math.min(POINTS, order.length);
  return Array.from({ length: steps }, (_, i) => {
    const some = order.slice(0, Math.ceil(((i + 1) * order.length) / steps));
    return { calls: some.length, ...summary(some, goal, radius, distanceOf(problem)) };
  });
}

/** The best score, the mean of the best, and circles among them. */
export function summary(
  designs: readonly ScoredDesign[],
  goal: "maximise" | "minimise",
  radius: number,
  distance: DistanceName,
): Omit<DesignProgress, "calls"> {
  const scores = designs.map(({ score }) => score);
  const sign = goal === "minimise" ? -1 : 1;
  const values = scores.map((score) => sign * score);
  return {
    best: sign * values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    topMean: meanOfBest(scores, TOP, goal),
    circles: circles(
      designs.map(({ string }) => string),
      values,
      { top: TOP, radius, distance },
    ).length,
  };
}
