// A comparison by oracle calls in processes of this machine and on a queue: its table must be the same, byte for byte.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256OfFile } from "../../src/queue/input-files.ts";
import { type Setting, withWorkers } from "./setting.ts";

export interface ComparisonResult {
  /** SHA-256 of `table.csv`. */
  readonly hash: string;
  /** Lines of the table without the heading. */
  readonly lines: number;
  readonly seconds: number;
}

/** Three methods, three noise levels and four seeds: 36 experiments. */
const EXPERIMENTS = [
  ...["bit-sequence", "--bits", "8", "--word", "2", "--modes", "4", "--hidden", "16"],
  ...["--methods", "kl,sdb,random", "--stick", "0.1,0.25,0.5", "--seeds", "4", "--evaluations", "2"],
];

/** Without a queue, in processes of this machine. */
export async function runComparison(
  main: string,
  folder: string,
  calls: number,
  queue?: string,
): Promise<ComparisonResult> {
  const out = join(folder, queue === undefined ? "processes" : "queue");
  const where = queue === undefined ? ["--jobs", "2"] : ["--queue", queue];
  const parameters = ["compare", ...EXPERIMENTS, "--calls", `${calls}`, "--out", out, ...where, "--quiet"];
  const start = performance.now();
  const child = spawn(process.execPath, [main, ...parameters], { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`compare ended with exit code ${code}: ${stderr}`);
  const table = join(out, "table.csv");
  const lines = (await readFile(table, "utf8")).trim().split("\n").length - 1;
  return { hash: await sha256OfFile(table), lines, seconds: (performance.now() - start) / 1000 };
}

/** On two workers of one slot. */
export function runQueuedComparison(setting: Setting, calls: number): Promise<ComparisonResult> {
  const { main, folder, broker } = setting;
  return withWorkers(setting, 2, {}, () => runComparison(main, folder, calls, broker.url()));
}
