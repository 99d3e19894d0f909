// Samples as people and programs read them: CSV, one JSON object per line, FASTA.

import { thoughtText } from "../gfn/sample.ts";
import { writeLine } from "../run/metrics-lines.ts";
import type { Task } from "../tasks/task.ts";
import type { ScoredSample } from "./metrics.ts";
import type { SampleFormat } from "./sample-formats.ts";

interface Line {
  readonly sequence: string;
  /** What was intended. */
  readonly thought: string;
  readonly score: number;
  readonly logProbability: number;
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
          ({ sequence, score, logProbability }, i) =>
            `>sample_${before + i + 1} score=${score.toPrecision(6)} logProbability=${logProbability.toPrecision(6)}\n${sequence}\n`,
        )
        .join("");
    default:
      return format satisfies never;
  }
}

const COLUMNS: readonly (keyof Line)[] = ["sequence", "thought", "score", "logProbability"];

/** As RFC 4180 wants it: quoted if there is a comma, as in a cell of a grid. */
function cell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
