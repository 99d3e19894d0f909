// `gflownet forecast verify`: the exact suite, case by case, with the limit of each.

import { verify as run, type VerifyRow } from "../../../forecast/verify/index.ts";
import { count, duration, figure } from "../../../report/text-table.ts";
import { EXIT_CODES } from "../../fail.ts";
import { printJson, write } from "../../output.ts";
import { type Printing, say, working } from "./working.ts";

export interface VerifyCommand extends Printing {
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly seed?: number;
}

/** Columns and how wide they are: rows are printed as they come, some seconds apart. */
const COLUMNS: readonly (readonly [string, number])[] = [
  ["case", 10],
  ["what", 44],
  ["contexts", 8],
  ["mean TV", 9],
  ["worst TV", 10],
  ["limit", 8],
  ["log Z error", 13],
  ["worst", 8],
  ["time", 12],
  ["", 9],
];

export async function verify({ quick, only, seed, ...printing }: VerifyCommand): Promise<void> {
  await working(async (signal) => {
    const failed: string[] = [];
    let cases = 0;
    say(printing, line(COLUMNS.map(([name]) => name)));
    for await (const row of run({ quick, only, seed })) {
      signal.throwIfAborted();
      cases++;
      if (!row.passed) failed.push(row.id);
      if (printing.json) printJson(row);
      else if (!printing.quiet) await write(`${line(cellsOf(row))}\n`);
    }
    if (failed.length > 0) {
      process.exitCode = EXIT_CODES.failed;
      process.stderr.write(`gflownet: ${failed.length} of ${cases} cases failed: ${failed.join(", ")}\n`);
    } else
      say(
        printing,
        `\n${cases === 1 ? "The case" : `All ${cases} cases`} passed${quick ? ", with the wider bounds of --quick" : ""}.`,
      );
  });
}

function cellsOf(row: VerifyRow): string[] {
  const { id, name, contexts, tv, worstTv, limit, logZError, worstLogZError, seconds, passed } = row;
  return [
    ...[id, name, count(contexts)],
    // A law that can be had is its own limit, but for rounding.
    ...[tv, worstTv, limit < 1e-9 ? 0 : limit, logZError, worstLogZError].map(figure),
    ...[duration(seconds), passed ? "passed" : "FAILED"],
  ];
}

/** The first two columns to the left, the others to the right. */
function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i < 2 ? cell.padEnd(COLUMNS[i][1]) : cell.padStart(COLUMNS[i][1])))
    .join("")
    .trimEnd();
}
