// The crash benchmark: a run or a design that is killed at any time must resume and give the same result as an uninterrupted
// one.

import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type AnyRow, type Benchmark, type Table, UsageError } from "../benchmark.ts";
import { packageVersion } from "../machine.ts";
import type { Stage } from "./check.ts";
import { designRuns, runDesignTrial } from "./design-trial.ts";
import { compileCommandLine } from "./process.ts";
import { KILL_MODES, type KillMode, runTrial, type Trial, trialRuns } from "./trial.ts";

const BENCH = "crash";
const OUTPUT = fileURLToPath(new URL("../output/crash", import.meta.url));

/** Number of iterations of each run, which take about three seconds. */
const ITERATIONS = 1000;

/** The results of all trials of one subject and kill mode. */
export interface CrashRow extends AnyRow {
  readonly runs: number;
  readonly kills: number;
  readonly stages: Readonly<Record<Stage, number>>;
  readonly resumed: number;
  readonly startedAgain: number;
  /** Designs in which calls that were counted twice left fewer strings. */
  readonly shortened: number;
  /** Each failed trial with its first problem, as `name: problem`. */
  readonly failures: readonly string[];
  readonly trials: readonly Trial[];
}

const WHEN: Readonly<Record<KillMode, string>> = {
  moment: "killed at a random time",
  operation: "killed at a disk operation",
};

/** What is killed. Names of trials of training runs have no prefix. */
const SUBJECTS = {
  run: { setting: "training run", prefix: "" },
  design: { setting: "design", prefix: "design " },
};
type Subject = keyof typeof SUBJECTS;

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
    stageColumn("training", "between checkpoints"),
    stageColumn("at the end", "after the last checkpoint"),
    stageColumn("ended", "after the end"),
    { heading: "resumed", numeric: true, cell: ({ resumed }) => String(resumed) },
    { heading: "started again", numeric: true, cell: ({ startedAgain }) => String(startedAgain) },
    { heading: "fewer strings", numeric: true, cell: ({ shortened }) => String(shortened) },
    { heading: "failures", numeric: true, cell: ({ failures }) => String(failures.length) },
    {
      heading: "which",
      cell: ({ failures }) => failures.map((failure) => failure.split(":")[0]).join(", "),
    },
  ],
  budget: ({ rounds }) => `at least ${rounds} kills of each kind`,
  legend: [
    "Each run is a process of the command line that is killed by SIGKILL and resumed several times, and then runs to its end.",
    "After each kill its files must be complete and the metrics must reach as far as the checkpoint; at the end checkpoint,",
    "metrics and samples must be bit-identical to those of an uninterrupted run. The columns from `before config` to `after",
    "the end` count the kills by the progress of the run. A design asks a program of three processes for scores and is started",
    "again with the same command. After each kill its journal must be complete, with right scores, within the budget, and with",
    "at most one batch per process without answers, and no process of the oracle may be left; at the end candidates,",
    "checkpoint and metrics must be bit-identical. If calls that were counted twice have used up the budget (`fewer strings`),",
    "it must have sent exactly the first strings of the uninterrupted design, all calls must be spent, and its candidates must",
    "follow from the scores.",
  ],
};

export const crash: Benchmark<CrashRow> = {
  name: BENCH,
  summary:
    "training runs and designs that are killed and resumed: results must equal those of uninterrupted ones",
  full: { rounds: 200, seconds: 60 },
  quick: { rounds: 10, seconds: 60 },
  help: {
    quick: "10 kills of each kind",
    rounds: "kills of each kind (default 200)",
    seconds: "timeout of a process in seconds (default 60)",
    only: "only trials that match, such as '^operation 17$' or '^design'",
  },
  table: TABLE,
  recordProblem({ rounds }) {
    return rounds < crash.full.rounds
      ? "--record needs a complete result: omit --quick and --rounds below the default."
      : undefined;
  },
  async run({ rounds, seconds, only }, say) {
    const versions = { "onnxruntime-node": packageVersion("onnxruntime-node") };
    const rows = await crashRows({ kills: rounds, only, timeoutSeconds: seconds, say });
    return { rows, versions };
  },
};

export interface CrashOptions {
  /** Minimum number of kills of each kind. */
  readonly kills: number;
  readonly only?: RegExp;
  readonly timeoutSeconds: number;
  readonly modes?: readonly KillMode[];
  readonly subjects?: readonly Subject[];
  readonly iterations?: number;
  /** Folder of the runs. The benchmark deletes it at the start. */
  readonly folder?: string;
  say(line: string): void;
}

export async function crashRows({
  kills,
  only,
  timeoutSeconds,
  modes = KILL_MODES,
  subjects = Object.keys(SUBJECTS) as Subject[],
  iterations = ITERATIONS,
  folder = OUTPUT,
  say,
}: CrashOptions): Promise<CrashRow[]> {
  const planned = subjects.flatMap((subject) =>
    modes.map((mode) => ({ subject, mode, numbers: trialsOf(subject, mode, kills, only) })),
  );
  if (planned.every(({ numbers }) => numbers.length === 0)) {
    throw new UsageError(
      `--only ${only?.source} matches no trial; names of trials: moment 0, operation 0, design moment 0, design operation 0, and so on.`,
    );
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const compiled = await compileCommandLine(`${folder}/compiled`);
  const context = { compiled, folder, timeoutSeconds };
  const trialRun = trialRuns(iterations, context);
  const designRun = designRuns(context);
  const execute = async (subject: Subject, mode: KillMode, number: number) =>
    subject === "design"
      ? runDesignTrial(mode, number, await designRun(number), context)
      : runTrial(mode, number, await trialRun(number), context);
  const rows: CrashRow[] = [];
  for (const { subject, mode, numbers } of planned) {
    const trials: Trial[] = [];
    let killCount = 0;
    for (const number of numbers) {
      if (killCount >= kills) break;
      const trial = await execute(subject, mode, number);
      trials.push(trial);
      killCount += trial.kills.length;
      const where = trial.kills.map(({ stage, iteration }) => (iteration > 0 ? iteration : stage)).join(", ");
      say(
        `${trial.name}: killed at ${where || "no time"} | ${resultText(trial)} | ${killCount} of ${kills} kills`,
      );
    }
    if (trials.length > 0) rows.push(rowOf(subject, mode, trials));
  }
  return rows;
}

function resultText({ problems, missing = 0 }: Trial): string {
  if (problems.length > 0) return `FAILED ${problems.join("; ")}`;
  return missing > 0 ? `${missing} of the last strings have no score` : "bit-identical";
}

/**
 * Numbers of the trials to run. There are more trials than `kills`, because a kill can come after the end of a process.
 */
function trialsOf(subject: Subject, mode: KillMode, kills: number, only?: RegExp): number[] {
  const numbers = Array.from({ length: 5 + kills }, (_, number) => number);
  const { prefix } = SUBJECTS[subject];
  return only ? numbers.filter((number) => only.test(`${prefix}${mode} ${number}`)) : numbers;
}

function rowOf(subject: Subject, mode: KillMode, trials: readonly Trial[]): CrashRow {
  const kills = trials.flatMap((trial) => trial.kills);
  const at = (stage: Stage) => kills.filter((kill) => kill.stage === stage).length;
  const sum = (read: (trial: Trial) => number) => trials.reduce((total, trial) => total + read(trial), 0);
  return {
    bench: BENCH,
    setting: `${SUBJECTS[subject].setting}, ${WHEN[mode]}`,
    runs: trials.length,
    kills: kills.length,
    stages: {
      "no config": at("no config"),
      "no checkpoint": at("no checkpoint"),
      training: at("training"),
      "at the end": at("at the end"),
      ended: at("ended"),
    },
    resumed: sum(({ resumed }) => resumed),
    startedAgain: sum(({ startedAgain }) => startedAgain),
    shortened: trials.filter(({ missing = 0 }) => missing > 0).length,
    failures: trials.flatMap(({ name, problems }) =>
      problems.length > 0 ? [`${name}: ${problems[0]}`] : [],
    ),
    trials,
  };
}
