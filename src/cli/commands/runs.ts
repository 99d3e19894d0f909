// `gflownet runs`: the runs in a folder at a glance.

import { stat } from "node:fs/promises";
import { count, figure, textTable } from "../../report/text-table.ts";
import { listRuns } from "../../run/list.ts";
import { UsageError } from "../fail.ts";
import { printJson } from "../output.ts";

/** Where runs are made that nobody names. */
const USUAL = "runs";

export async function runs(base: string | undefined, { json }: { readonly json?: boolean }): Promise<void> {
  if (base !== undefined) await checkFolder(base);
  const found = await listRuns(base ?? USUAL);
  if (json) {
    printJson(found);
    return;
  }
  if (found.length === 0) {
    process.stdout.write(`There are no runs in ${base ?? USUAL}; begin one with: gflownet train\n`);
    return;
  }
  const rows = found.map(({ name, task, state, iteration, lastEvaluation: last }) => [
    name,
    task ?? "–",
    state,
    iteration === null ? "–" : count(iteration),
    ...(last?.exact
      ? [last.reached.tv, last.limit.tv, last.reached.kl, last.limit.kl].map(figure)
      : ["–", "–", "–", "–"]),
  ]);
  const headings = ["run", "task", "state", "iterations", "TV", "limit", "KL", "limit"];
  process.stdout.write(`${textTable([headings, ...rows])}\n`);
  for (const { name, problem } of found) if (problem) process.stdout.write(`${name}: ${problem}\n`);
}

/** The usual folder may be missing: nothing was trained yet. One that was typed may not. */
async function checkFolder(base: string): Promise<void> {
  if (!(await stat(base)).isDirectory()) throw new UsageError(`${base} is a file; give a folder of runs`);
}
