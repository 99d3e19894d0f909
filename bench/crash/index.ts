// The crash benchmark: whenever a run is killed, it goes on, and gives what it would have given.

import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type AnyRow, type Benchmark, type Table, UsageError } from "../benchmark.ts";
import { packageVersion } from "../machine.ts";
import type { Stage } from "./check.ts";
import { compileCommandLine } from "./process.ts";
import { makeTrial, subjects, type Trial, WAYS, type Way } from "./trial.ts";

const BENCH = "crash";
const OUTPUT = fileURLToPath(new URL("../output/crash", import.meta.url));

/** So many that a whole run takes about three seconds. */
const ITERATIONS = 1000;

/** All trials that are killed in one way. */
export interface CrashRow extends AnyRow {
  readonly runs: number;
  readonly kills: number;
  readonly stages: Readonly<Record<Stage, number>>;
  readonly resumed: number;
  readonly begunAnew: number;
  /** Names of trials with problems, each with the first one. */
  readonly failures: readonly string[];
  readonly trials: readonly Trial[];
}

const SETTINGS: Readonly<Record<Way, string>> = {
  moment: "killed at a moment",
  operation: "killed at a change of the disk",
};

const stageColumn = (stage: Stage, heading: string) => ({
  heading,
  numeric: true,
  cell: ({ stages }: CrashRow) => String(stages[stage]),
});

export const TABLE: Table<CrashRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "runs", numeric: true, cell: ({ runs }) => String(runs) },
    { heading: "kills", numeric: true, cell: ({ kills }) => String(kills) },
    stageColumn("no config", "before config"),
    stageColumn("no checkpoint", "before a checkpoint"),
    stageColumn("on the way", "on the way"),
    stageColumn("at the end", "after the last checkpoint"),
    stageColumn("ended", "after the end"),
    { heading: "resumed", numeric: true, cell: ({ resumed }) => String(resumed) },
    { heading: "begun anew", numeric: true, cell: ({ begunAnew }) => String(begunAnew) },
    { heading: "failures", numeric: true, cell: ({ failures }) => String(failures.length) },
    {
      heading: "which",
      cell: ({ failures }) => failures.map((failure) => failure.split(":")[0]).join(", "),
    },
  ],
  budget: ({ rounds }) => `at least ${rounds} kills of each kind`,
  legend: [
    "Each run is a process of the command line that is killed by SIGKILL, gone on with, killed again, and in the end left",
    "alone. After each kill its files must be whole and reach as far as its checkpoint; at the end its checkpoint, metrics",
    "and samples must be those of a run that was never interrupted, to the bit. Columns in the middle say how far runs had",
    "come when they were killed.",
  ],
};

export const crash: Benchmark<CrashRow> = {
  name: BENCH,
  summary: "runs of the command line that are killed and gone on with: nothing is lost, nothing is different",
  full: { rounds: 200, seconds: 60 },
  quick: { rounds: 10, seconds: 60 },
  help: {
    quick: "10 kills of each kind",
    rounds: "kills of each kind (200)",
    seconds: "a process that takes longer hangs (60)",
    only: "only trials that match, such as '^operation 17$'",
  },
  table: TABLE,
  unrecordable({ rounds }) {
    return rounds < crash.full.rounds
      ? "--record keeps a whole result and does not go together with --quick or fewer --rounds."
      : undefined;
  },
  async run({ rounds, seconds, only }, say) {
    const versions = { "onnxruntime-node": packageVersion("onnxruntime-node") };
    const rows = await crashRows({ kills: rounds, only, longestSeconds: seconds, say });
    return { rows, versions };
  },
};

export interface CrashOptions {
  /** Of each kind, at least. */
  readonly kills: number;
  readonly only?: RegExp;
  readonly longestSeconds: number;
  readonly ways?: readonly Way[];
  readonly iterations?: number;
  /** Where runs are made. */
  readonly folder?: string;
  say(line: string): void;
}

export async function crashRows({
  kills,
  only,
  longestSeconds,
  ways = WAYS,
  iterations = ITERATIONS,
  folder = OUTPUT,
  say,
}: CrashOptions): Promise<CrashRow[]> {
  const planned = ways.map((way) => ({ way, numbers: trialsOf(way, kills, only) }));
  if (planned.every(({ numbers }) => numbers.length === 0)) {
    throw new UsageError(
      `--only ${only?.source} matches no trial; trials are called: moment 0, operation 0.`,
    );
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const compiled = await compileCommandLine(`${folder}/compiled`);
  const circumstances = { compiled, folder, longestSeconds };
  const subjectOf = subjects(iterations, circumstances);
  const rows: CrashRow[] = [];
  for (const { way, numbers } of planned) {
    const trials: Trial[] = [];
    let struck = 0;
    for (const number of numbers) {
      if (struck >= kills) break;
      const trial = await makeTrial(way, number, await subjectOf(number), circumstances);
      trials.push(trial);
      struck += trial.kills.length;
      const where = trial.kills.map(({ stage, iteration }) => (iteration > 0 ? iteration : stage)).join(", ");
      const what = trial.problems.length > 0 ? `FAILED ${trial.problems.join("; ")}` : "the same to the bit";
      say(`${trial.name}: killed at ${where || "no time"} | ${what} | ${struck} of ${kills} kills`);
    }
    if (trials.length > 0) rows.push(rowOf(way, trials));
  }
  return rows;
}

/** Trials that may be made until there are enough kills, of which some come too late; or those that match. */
function trialsOf(way: Way, kills: number, only?: RegExp): number[] {
  const numbers = Array.from({ length: 5 + kills }, (_, number) => number);
  return only ? numbers.filter((number) => only.test(`${way} ${number}`)) : numbers;
}

function rowOf(way: Way, trials: readonly Trial[]): CrashRow {
  const kills = trials.flatMap((trial) => trial.kills);
  const at = (stage: Stage) => kills.filter((kill) => kill.stage === stage).length;
  const sum = (read: (trial: Trial) => number) => trials.reduce((total, trial) => total + read(trial), 0);
  return {
    bench: BENCH,
    setting: SETTINGS[way],
    runs: trials.length,
    kills: kills.length,
    stages: {
      "no config": at("no config"),
      "no checkpoint": at("no checkpoint"),
      "on the way": at("on the way"),
      "at the end": at("at the end"),
      ended: at("ended"),
    },
    resumed: sum(({ resumed }) => resumed),
    begunAnew: sum(({ begunAnew }) => begunAnew),
    failures: trials.flatMap(({ name, problems }) =>
      problems.length > 0 ? [`${name}: ${problems[0]}`] : [],
    ),
    trials,
  };
}
