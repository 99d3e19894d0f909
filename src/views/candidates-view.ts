// The view `candidates`: the candidates of a design, or the best samples of a run, as a table.

import { join } from "node:path";
import { CANDIDATE_COLUMNS, CONSTRAINTS_COLUMN } from "../design/candidate-files.ts";
import { DESIGN_FILES } from "../design/design-folder.ts";
import { readText } from "../disk/open-file.ts";
import { fromSpreadsheetText, parseCsv } from "../formats/csv.ts";
import { UserError } from "../issues.ts";
import { RUN_FILES } from "../run/run-files.ts";
import { runInside } from "../run/run-folder.ts";
import { parseSamples } from "../run/sample-formats.ts";
import { rounded } from "./numbers.ts";
import { openedRun } from "./opened-run.ts";
import type { CandidatesView } from "./view-data.ts";

type Column = CandidatesView["columns"][number];
type Cell = string | number | null;

/** Samples that are drawn if the run has no file of them, rows of an answer, and characters of all its texts. */
const [SAMPLES, MOST_ROWS, MOST_CHARACTERS] = [1024, 1000, 200_000];

export async function candidatesView(folder: string): Promise<CandidatesView> {
  const csv = await readText(join(folder, DESIGN_FILES.candidates));
  return csv === null ? bestSamples(folder) : designCandidates(csv, join(folder, DESIGN_FILES.candidates));
}

const LABELS: Readonly<Record<keyof typeof CANDIDATE_COLUMNS | typeof CONSTRAINTS_COLUMN, string>> = {
  rank: "rank",
  string: "string",
  score: "score",
  uncertainty: "standard error",
  log_probability: "log P",
  circle: "circle",
  distance_to_known: "distance to known",
  expected_score: "expected score",
  expected_score_error: "error of the expected score",
  [CONSTRAINTS_COLUMN]: "meets constraints",
};

/** Whether a column has the values of an objective: numbers in every row. */
function isObjective(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => cell !== "" && Number.isFinite(Number(cell)));
}

function designCandidates(csv: string, file: string): CandidatesView {
  const [heading = [], ...lines] = cellsOf(csv, file);
  const isText = (name: string) =>
    name === CONSTRAINTS_COLUMN ||
    (CANDIDATE_COLUMNS as Readonly<Record<string, string>>)[name] === "VARCHAR";
  const known = heading.flatMap((name, at) =>
    Object.hasOwn(LABELS, name) || isObjective(lines.map((line) => line[at] ?? "")) ? [{ name, at }] : [],
  );
  if (!known.some(({ name }) => name === "string")) {
    throw new UserError(`${file} is damaged: it has no column string`);
  }
  // A column without any value, such as the uncertainty of exact scores, is left out.
  const used = known.filter(({ at }) => lines.some((line) => (line[at] ?? "") !== ""));
  const rows = lines.map((line) =>
    used.map(({ name, at }): Cell => {
      const cell = line[at] ?? "";
      if (isText(name)) return fromSpreadsheetText(cell);
      return cell === "" ? null : rounded(Number(cell));
    }),
  );
  const columns = used.map(({ name }): Column => {
    const label = Object.hasOwn(LABELS, name) ? LABELS[name as keyof typeof LABELS] : name;
    return { name, label, kind: isText(name) ? "text" : "number" };
  });
  return { view: "candidates", exact: true, ...limited(columns, rows, ["Candidates are sorted by score."]) };
}

function cellsOf(csv: string, file: string): string[][] {
  try {
    return parseCsv(csv);
  } catch (error) {
    throw new UserError(`${file} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

/** The distinct samples of a run, best first: those of its file, or new ones. */
async function bestSamples(folder: string): Promise<CandidatesView> {
  const file = join(await runInside(folder), RUN_FILES.samples);
  const csv = await readText(file);
  const samples = csv === null ? await newSamples(folder) : parseSamples(csv, file);
  const counts = new Map<string, number>();
  for (const { sequence } of samples) counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
  const distinct = [...new Map(samples.map((sample) => [sample.sequence, sample])).values()].sort(
    (a, b) => (b.score ?? Number.NEGATIVE_INFINITY) - (a.score ?? Number.NEGATIVE_INFINITY),
  );
  const columns: Column[] = [
    { name: "rank", label: "rank", kind: "number" },
    { name: "object", label: "object", kind: "text" },
    { name: "score", label: "score", kind: "number" },
    { name: "log_probability", label: "log P", kind: "number" },
    { name: "count", label: "times sampled", kind: "number" },
  ];
  const rows = distinct.map(({ sequence, score, logProbability }, i): Cell[] => [
    i + 1,
    sequence,
    score === null ? null : rounded(score),
    logProbability === null ? null : rounded(logProbability),
    counts.get(sequence) as number,
  ]);
  const note = `The ${distinct.length} distinct ones of ${samples.length} samples, best first.`;
  return { view: "candidates", exact: false, ...limited(columns, rows, [note]) };
}

async function newSamples(folder: string): Promise<ReturnType<typeof parseSamples>> {
  const run = await openedRun(folder);
  const samples = await run.samples(SAMPLES);
  const logs = await run.logProbabilities(samples);
  return samples.map((sample, i) => ({
    sequence: sample.object,
    score: run.scoreOf(sample),
    logProbability: logs[i],
  }));
}

/** The first rows, as many as an answer may have. */
function limited(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  notes: readonly string[],
): Pick<CandidatesView, "columns" | "rows" | "notes"> {
  let characters = 0;
  let count = 0;
  for (const row of rows) {
    characters += row.reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length : 0), 0);
    if (count === MOST_ROWS || (count > 0 && characters > MOST_CHARACTERS)) break;
    count++;
  }
  const cut = count < rows.length ? [`The first ${count} of ${rows.length} rows are shown.`] : [];
  return { columns, rows: rows.slice(0, count), notes: [...notes, ...cut] };
}
