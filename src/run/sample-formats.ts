// Formats of samples: CSV, one JSON object per line, FASTA, and the table for Parquet.

import { RunError } from "../disk/run-error.ts";
import { csvLine, fromSpreadsheetText, parseCsv, spreadsheetText } from "../formats/csv.ts";
import { isSequence } from "../gfn/environment/capabilities.ts";
import { objectEnvironment } from "../gfn/environment/preference.ts";
import { formatThought } from "../gfn/sampling/sampler.ts";
import { UserError } from "../issues.ts";
import type { Task } from "../tasks/task.ts";
import type { ScoredSample } from "../trained/trained.ts";
import { formatEvent } from "./event-lines.ts";
import { SAMPLE_FORMATS, type SampleFormat, type TextSampleFormat } from "./sample-format-names.ts";

interface Line {
  readonly sequence: string;
  /** The intended actions. */
  readonly thought: string;
  /** Null if it is unknown. */
  readonly score: number | null;
  /** Null if it is unknown. */
  readonly logProbability: number | null;
}

/** Throws a UserError if the objects of the environment cannot be written in this format. */
export function checkSampleFormat(format: SampleFormat, { environment }: Pick<Task, "environment">) {
  if (format !== "fasta" || isSequence(objectEnvironment(environment))) return;
  const others = SAMPLE_FORMATS.filter((other) => other !== format).join(" or ");
  const message = `fasta is for sequences, and the objects of ${environment.name} are none; use ${others}`;
  throw new UserError([{ path: "format", code: "unsupported", message }]);
}

/** `before` is the number of samples already written: a file written in parts equals one written at once. */
export function formatSamples(
  format: TextSampleFormat,
  task: Pick<Task, "environment">,
  samples: readonly ScoredSample[],
  before = 0,
): string {
  const lines = linesOf(task, samples);
  switch (format) {
    case "csv":
      return csvText(lines.map(spreadsheetLine), before);
    case "jsonl":
      return lines.map(formatEvent).join("");
    case "fasta":
      return lines
        .map(
          ({ sequence, score, logProbability: log }, i) =>
            `>sample_${before + i + 1}${score === null ? "" : ` score=${score.toPrecision(6)}`}${log === null ? "" : ` logProbability=${log.toPrecision(6)}`}\n${sequence}\n`,
        )
        .join("");
    default:
      return format satisfies never;
  }
}

/** The columns of a Parquet file with their types. */
export const SAMPLE_COLUMNS = {
  sequence: "VARCHAR",
  thought: "VARCHAR",
  score: "DOUBLE",
  logProbability: "DOUBLE",
} as const;

/** The samples as CSV that no spreadsheet reads but `writeParquet`: strings are unchanged. */
export function sampleTable(
  task: Pick<Task, "environment">,
  samples: readonly ScoredSample[],
  before: number,
): string {
  return csvText(linesOf(task, samples), before);
}

function linesOf({ environment }: Pick<Task, "environment">, samples: readonly ScoredSample[]): Line[] {
  return samples.map(({ object, thought, score, logProbability }) => ({
    sequence: object,
    thought: formatThought(environment, thought),
    score,
    logProbability,
  }));
}

function csvText(lines: readonly Line[], before: number): string {
  return [...(before === 0 ? [COLUMNS] : []), ...lines.map(cellsOf)].map(csvLine).join("");
}

/** Letters of an alphabet may be those with which formulas begin. */
function spreadsheetLine({ sequence, thought, ...line }: Line): Line {
  return { ...line, sequence: spreadsheetText(sequence), thought: spreadsheetText(thought) };
}

/** Parses a `samples.csv`. `where` names the file in errors. */
export function parseSamples(csv: string, where: string): Omit<Line, "thought">[] {
  const [heading = [], ...rows] = parseCsv(csv);
  const [sequence, score, logProbability] = ["sequence", "score", "logProbability"].map((name) => {
    const column = heading.indexOf(name);
    if (column < 0) throw new RunError(`${where} is damaged: it has no column ${name}`);
    return column;
  });
  return rows.map((row, i) => {
    if (row.length !== heading.length) {
      throw new RunError(
        `${where} is damaged: row ${i + 1} must have ${heading.length} cells, got ${row.length}`,
      );
    }
    return {
      sequence: fromSpreadsheetText(row[sequence]),
      score: row[score] === "" ? null : Number(row[score]),
      logProbability: row[logProbability] === "" ? null : Number(row[logProbability]),
    };
  });
}

/**
 * Numbers are written with full precision. The log-probability of an impossible object is written as -Infinity, not as
 * an empty cell.
 */
function cellsOf(line: Line): (string | null)[] {
  return COLUMNS.map((name) => (line[name] === null ? null : String(line[name])));
}

const COLUMNS = Object.keys(SAMPLE_COLUMNS) as readonly (keyof Line)[];
