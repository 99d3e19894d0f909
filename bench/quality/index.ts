// The quality benchmark: how near the default settings come to the best reachable, in a given time, on every seed.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Benchmark, type RunOptions, UsageError } from "../benchmark.ts";
import { type Command, outputOf } from "../harness.ts";
import { packageVersion, thisMachine } from "../machine.ts";
import { BENCH, type QualityRow, rowOf, TABLE } from "./rows.ts";
import { planRuns, runAll } from "./schedule.ts";
import { type Assignment, SETTINGS, type Setting } from "./settings.ts";
import { hashOf, hashOfSources } from "./sources.ts";
import { openStore } from "./store.ts";
import { hasTfbind8Table, tfbind8Table, WHERE_THE_TABLE_IS } from "./table.ts";
import type { Result } from "./work.ts";

const WORKER = "bench/quality/worker.ts";
const OUTPUT = fileURLToPath(new URL("../output/quality", import.meta.url));

export const quality: Benchmark<QualityRow> = {
  name: BENCH,
  summary: "how near training with the default settings comes to the best reachable: TFBind8, grids, bits",
  full: { rounds: 3, seconds: Math.max(...SETTINGS.map(({ seconds }) => seconds)) },
  quick: { rounds: 1, seconds: 5 },
  help: {
    quick: "seed 0 only and 5 s instead of 60 to 300; requirements are not judged",
    rounds: "seeds, counted from 0 (3)",
    seconds: "train no longer than this, whatever the setting says",
    only: "only settings that match this regular expression",
    jobs: "processes side by side, each on one thread (1)",
    fresh: "train again what is kept from earlier with the same sources",
  },
  table: TABLE,
  unrecordable: (options) => unrecordable(options, hasTfbind8Table()),
  async run(options, say) {
    const hasTable = hasTfbind8Table();
    if (!hasTable) say(`Skipped: everything on tfbind8, whose table is not there (${WHERE_THE_TABLE_IS}).`);
    const settings = select(options.only, hasTable);
    const seeds = Array.from({ length: options.rounds }, (_, seed) => seed);
    const planned = planRuns(settings, seeds, options.seconds);
    const versions = Object.fromEntries(
      ["onnxruntime-node", "@jax-js/jax"].map((name) => [name, packageVersion(name)]),
    );
    const table = hasTable ? readFileSync(tfbind8Table(), "utf8") : null;
    const circumstances = hashOf([table, versions, thisMachine()]);
    const runs = await runAll(planned, {
      jobs: options.jobs ?? 1,
      fresh: options.fresh ?? false,
      store: openStore(OUTPUT),
      fingerprint: () => hashOf([hashOfSources(WORKER), circumstances]),
      execute,
      say,
    });
    const rows = settings.map((setting) => {
      const own = runs.filter((_, i) => planned[i].settings.includes(setting));
      return rowOf(setting, own, isJudged(setting, options));
    });
    return { rows, versions };
  },
};

/** Settings that match, all of them without a pattern. Those on tfbind8 are only there with its table. */
export function select(only: RegExp | undefined, hasTable: boolean): Setting[] {
  const matching = SETTINGS.filter(({ name }) => only === undefined || only.test(name));
  if (matching.length === 0) {
    const names = SETTINGS.map(({ name }) => name).join("; ");
    throw new UsageError(`--only ${only?.source} matches no setting; settings are: ${names}.`);
  }
  const possible = matching.filter(({ work }) => hasTable || work.problem.task !== "tfbind8");
  if (possible.length === 0) {
    throw new UsageError(`--only ${only?.source} needs the table of tfbind8: ${WHERE_THE_TABLE_IS}.`);
  }
  return possible;
}

/** Why these options leave a result incomplete, or undefined. */
export function unrecordable({ rounds, seconds, quick }: RunOptions, hasTable: boolean): string | undefined {
  if (quick || rounds < quality.full.rounds || seconds < quality.full.seconds) {
    return "--record keeps a whole result and does not go together with --quick, fewer --rounds or fewer --seconds.";
  }
  return hasTable
    ? undefined
    : `--record keeps a whole result, which needs the table of tfbind8: ${WHERE_THE_TABLE_IS}.`;
}

/** Whether a setting gets the time that its requirements are about. */
export function isJudged({ work, seconds }: Setting, options: RunOptions): boolean {
  return !options.quick && (work.kind === "timing" || seconds <= options.seconds);
}

/** Runs one assignment in a fresh process. */
async function execute(assignment: Assignment): Promise<Result> {
  const worker = fileURLToPath(new URL(`../../${WORKER}`, import.meta.url));
  const command: Command = {
    file: process.execPath,
    parameters: ["--import", "tsx", worker, JSON.stringify(assignment)],
    threads: 1,
  };
  const output = await outputOf(command);
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Result;
}
