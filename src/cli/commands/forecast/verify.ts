// `gflownet forecast verify`: trains GFlowNets on processes with known path distributions and measures their exact
// errors.

import type { CaseResult } from "../../../forecast/verify/run-case.ts";
import { verify as runSuite } from "../../../forecast/verify/suite.ts";
import { formatCount, formatDuration, formatNumber } from "../../../report/text-format.ts";
import { printJson, write } from "../../output.ts";
import { EXIT_CODES } from "../../report-error.ts";
import { type PrintOptions, print, runCommand } from "./run-command.ts";

export interface VerifyCommand extends PrintOptions {
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly seed?: number;
}

/** Columns with fixed widths, because rows are printed one by one while the suite runs. */
const COLUMNS: readonly (readonly [string, number])[] = [
  ["case", 10],
  ["name", 44],
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
  await runCommand(async (signal) => {
    const failed: string[] = [];
    let cases = 0;
    print(printing, line(COLUMNS.map(([name]) => name)));
    for await (const row of runSuite({ quick, only, seed })) {
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
      print(
        printing,
        `\n${cases === 1 ? "The case" : `All ${cases} cases`} passed${quick ? ", with the wider bounds of --quick" : ""}.`,
      );
  });
}

function cellsOf(row: CaseResult): string[] {
  const { id, name, contexts, tv, worstTv, limit, logZError, worstLogZError, seconds, passed } = row;
  return [
    ...[id, name, formatCount(contexts)],
    // The limit of a reachable distribution is 0 up to rounding.
    ...[tv, worstTv, limit < 1e-9 ? 0 : limit, logZError, worstLogZError].map(formatNumber),
    ...[formatDuration(seconds), passed ? "passed" : "FAILED"],
  ];
}

/** One line: the first two columns aligned left, the others right. */
function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i < 2 ? cell.padEnd(COLUMNS[i][1]) : cell.padStart(COLUMNS[i][1])))
    .join("")
    .trimEnd();
}
