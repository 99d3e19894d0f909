// `gflownet runs`: lists the runs of a folder.

import { stat } from "node:fs/promises";
import { UserError } from "../../issues.ts";
import { formatCount, formatNumber, textTable } from "../../report/text-format.ts";
import { listRuns } from "../../run/list-runs.ts";
import { commandLine } from "../command-name.ts";
import { printJson } from "../output.ts";

/** Folder in which `train` creates runs by default. */
const DEFAULT_FOLDER = "runs";

export async function runs(base: string | undefined, { json }: { readonly json?: boolean }): Promise<void> {
  if (base !== undefined) await checkFolder(base);
  const found = await listRuns(base ?? DEFAULT_FOLDER);
  if (json) {
    printJson(found);
    return;
  }
  if (found.length === 0) {
    const start = commandLine("train");
    process.stdout.write(`There are no runs in ${base ?? DEFAULT_FOLDER}; start one with: ${start}\n`);
    return;
  }
  const rows = found.map(({ name, task, state, iteration, lastEvaluation: last }) => [
    name,
    task ?? "–",
    state,
    iteration === null ? "–" : formatCount(iteration),
    ...(last?.exact
      ? [last.reached.tv, last.limit.tv, last.reached.kl, last.limit.kl].map(formatNumber)
      : ["–", "–", "–", "–"]),
  ]);
  const headings = ["run", "task", "state", "iterations", "TV", "limit", "KL", "limit"];
  process.stdout.write(`${textTable([headings, ...rows])}\n`);
  for (const { name, problem } of found) if (problem) process.stdout.write(`${name}: ${problem}\n`);
}

/** Throws if a folder that the user named does not exist. (The default folder may be missing before the first training.) */
async function checkFolder(base: string): Promise<void> {
  if (!(await stat(base)).isDirectory()) throw new UserError(`${base} is a file; give a folder of runs`);
}
