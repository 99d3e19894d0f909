// Samples as people and programs read them: CSV, one JSON object per line, FASTA.

import { thoughtText } from "../gfn/sample.ts";
import { writeLine } from "../run/metrics-lines.ts";
import { RunError } from "../run/run-error.ts";
import type { Task } from "../tasks/task.ts";
import type { ScoredSample } from "./reader.ts";
import type { SampleFormat } from "./sample-formats.ts";

interface Line {
  readonly sequence: string;
  /** What was intended. */
  readonly thought: string;
  readonly score: number;
  /** Null if it is not known. */
  readonly logProbability: number | null;
}

/** `before` is how many were written already: a file in parts is the same as one that is written at once. */
export function formatSamples(
  format: SampleFormat,
  { environment }: Pick<Task, "environment">,
  samples: readonly ScoredSample[],
  before = 0,
): string {
  const lines = samples.map(
    ({ object, thought, score, logProbability }): Line => ({
      sequence: object,
      thought: thoughtText(environment, thought),
      score,
      logProbability,
    }),
  );
  switch (format) {
    case "csv":
      return [...(before === 0 ? [COLUMNS] : []), ...lines.map((line) => COLUMNS.map((name) => line[name]))]
        .map((row) => `${row.map(cell).join()}\n`)
        .join("");
    case "jsonl":
      return lines.map(writeLine).join("");
    case "fasta":
      return lines
        .map(
          ({ sequence, score, logProbability: log }, i) =>
            `>sample_${before + i + 1} score=${score.toPrecision(6)}${log === null ? "" : ` logProbability=${log.toPrecision(6)}`}\n${sequence}\n`,
        )
        .join("");
    default:
      return format satisfies never;
  }
}

/** The objects of a `samples.csv`; `where` is what errors call it. */
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
      sequence: row[sequence],
      score: Number(row[score]),
      logProbability: row[logProbability] === "" ? null : Number(row[logProbability]),
    };
  });
}

/** Rows of cells as in RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A cell, quoted or not, and what ends it.
  for (const [whole, quoted, plain = "", end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    if (whole === "" && row.length === 0) break; // after the last line break
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const COLUMNS: readonly (keyof Line)[] = ["sequence", "thought", "score", "logProbability"];

/** As RFC 4180 wants it: quoted if there is a comma, as in a cell of a grid. Empty for what is not known. */
function cell(value: string | number | null): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
