// The quality benchmark measures how close training with the default settings comes to the limit (the best that any
// policy can reach under the noise) in a given time, on every seed.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Benchmark, type RunOptions, UsageError } from "../benchmark.ts";
import { type Command, outputOf } from "../harness.ts";
import { packageVersion, thisMachine } from "../machine.ts";
import { bindingTablePath, hasBindingTable, TABLE_LOCATIONS } from "./binding-table-path.ts";
import { CASES, type Measurement, type QualityCase } from "./cases.ts";
import type { Result } from "./measure.ts";
import { BENCH, type QualityRow, rowOf, TABLE } from "./rows.ts";
import { planRuns, runAll } from "./run-all.ts";
import { openStore } from "./run-store.ts";
import { hashOf, hashOfSources } from "./source-hash.ts";

const WORKER = "bench/quality/worker.ts";
const OUTPUT = fileURLToPath(new URL("../output/quality", import.meta.url));

export const quality: Benchmark<QualityRow> = {
  name: BENCH,
  summary:
    "distance from the best reachable distribution after training with default settings: TFBind8, grids, bits",
  full: { rounds: 3, seconds: Math.max(...CASES.map(({ seconds }) => seconds)) },
  quick: { rounds: 1, seconds: 5 },
  help: {
    quick: "seed 0 only, 5 s of training instead of 30 to 300; requirements are not checked",
    rounds: "number of seeds, starting at 0 (default 3)",
    seconds: "maximum training time in seconds",
    only: "only settings that match this regular expression",
    jobs: "number of parallel processes, one thread each (default 1)",
    fresh: "ignore stored results and train again",
  },
  table: TABLE,
  recordProblem: (options) => recordProblem(options, hasBindingTable()),
  async run(options, say) {
    const hasTable = hasBindingTable();
    if (!hasTable)
      say(`Skipping all tfbind8 settings: the binding table is missing (expected at ${TABLE_LOCATIONS}).`);
    const settings = select(options.only, hasTable);
    const seeds = Array.from({ length: options.rounds }, (_, seed) => seed);
    const planned = planRuns(settings, seeds, options.seconds);
    const versions = Object.fromEntries(
      ["onnxruntime-node", "@jax-js/jax"].map((name) => [name, packageVersion(name)]),
    );
    const table = hasTable ? readFileSync(bindingTablePath(), "utf8") : null;
    const environmentHash = hashOf([table, versions, thisMachine()]);
    const runs = await runAll(planned, {
      jobs: options.jobs ?? 1,
      fresh: options.fresh ?? false,
      store: openStore(OUTPUT),
      fingerprint: () => hashOf([hashOfSources(WORKER), environmentHash]),
      execute,
      say,
    });
    const rows = settings.map((setting) => {
      const runsOfCase = runs.filter((_, i) => planned[i].cases.includes(setting));
      return rowOf(setting, runsOfCase, isChecked(setting, options));
    });
    return { rows, versions };
  },
};

/** The cases whose names match `only`; all cases if it is undefined. Without the binding table, tfbind8 is left out. */
export function select(only: RegExp | undefined, hasTable: boolean): QualityCase[] {
  const matching = CASES.filter(({ name }) => only === undefined || only.test(name));
  if (matching.length === 0) {
    const names = CASES.map(({ name }) => name).join("; ");
    throw new UsageError(`--only ${only?.source} matches no setting; available settings: ${names}.`);
  }
  const possible = matching.filter(({ measurement: work }) => hasTable || work.problem.task !== "tfbind8");
  if (possible.length === 0) {
    throw new UsageError(`--only ${only?.source} needs the tfbind8 binding table at ${TABLE_LOCATIONS}.`);
  }
  return possible;
}

/** A sentence that says why these options give an incomplete result, else undefined. */
export function recordProblem({ rounds, seconds, quick }: RunOptions, hasTable: boolean): string | undefined {
  if (quick || rounds < quality.full.rounds || seconds < quality.full.seconds) {
    return "--record needs a complete result: omit --quick, and --rounds and --seconds below their defaults.";
  }
  return hasTable
    ? undefined
    : `--record needs a complete result, which needs the tfbind8 binding table at ${TABLE_LOCATIONS}.`;
}

/** Whether the case is trained for its full time, so that its requirements apply. */
export function isChecked({ measurement: work, seconds }: QualityCase, options: RunOptions): boolean {
  return !options.quick && (work.kind === "timing" || seconds <= options.seconds);
}

/** Runs one measurement in a separate process. */
async function execute(measurement: Measurement): Promise<Result> {
  const worker = fileURLToPath(new URL(`../../${WORKER}`, import.meta.url));
  const command: Command = {
    file: process.execPath,
    parameters: ["--import", "tsx", worker, JSON.stringify(measurement)],
    threads: 1,
  };
  const output = await outputOf(command);
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Result;
}
