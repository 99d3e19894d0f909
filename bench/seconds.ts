// The seconds benchmark: whether `train --seconds` keeps the time, from the start of the process to its end, for every task,
// alone and beside a process that takes half of the machine from the middle on.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeCheckpoint } from "../src/gfn/training/checkpoint.ts";
import { TASKS } from "../src/tasks/registry.ts";
import { type AnyRow, type Benchmark, type Table, UsageError } from "./benchmark.ts";
import { compileCommandLine } from "./crash/process.ts";
import { packageVersion } from "./machine.ts";
import { median } from "./statistics.ts";

const BENCH = "seconds";
const OUTPUT = fileURLToPath(new URL("output/seconds", import.meta.url));
/** Largest accepted deviation from the time. */
const TOLERANCE = 0.05;

const CONDITIONS = {
  alone: "alone",
  shared: "half of the machine from the middle on",
} as const;
type Condition = keyof typeof CONDITIONS;

/** One process of the command line. */
interface TimedRun {
  readonly seconds: number;
  readonly iterations: number;
}

export interface SecondsRow extends AnyRow {
  readonly condition: string;
  readonly asked: number;
  readonly rounds: readonly TimedRun[];
  /** The largest deviation of all rounds, as a fraction of the time that was asked. */
  readonly deviation: number;
}

export const TABLE: Table<SecondsRow> = {
  columns: [
    { heading: "task", cell: ({ setting }) => setting },
    { heading: "machine", cell: ({ condition }) => condition },
    { heading: "asked", numeric: true, cell: ({ asked }) => `${asked} s` },
    {
      heading: "took",
      numeric: true,
      cell: ({ rounds }) => rounds.map(({ seconds }) => `${seconds.toFixed(2)} s`).join(", "),
    },
    {
      heading: "deviation",
      numeric: true,
      cell: ({ deviation }) => `${deviation > 0 ? "+" : ""}${(100 * deviation).toFixed(1)} %`,
    },
    { heading: "within 5 %", cell: ({ deviation }) => (Math.abs(deviation) <= TOLERANCE ? "yes" : "no") },
    {
      heading: "iterations",
      numeric: true,
      cell: ({ rounds }) => String(median(rounds.map(({ iterations }) => iterations))),
    },
  ],
  budget: ({ rounds, seconds }) => `${seconds} s asked, ${rounds} ${rounds === 1 ? "run" : "runs"} each`,
  legend: [
    "The time is that of the whole process: start, compilation, training, evaluations, samples and files. The deviation is the",
    "largest of all runs. `half of the machine from the middle on`: at half of the time a second process starts that keeps",
    "every core busy.",
  ],
};

export const seconds: Benchmark<SecondsRow> = {
  name: BENCH,
  summary:
    "train --seconds on every task, alone and with half of the machine: the time asked and the time taken",
  full: { rounds: 1, seconds: 60 },
  quick: { rounds: 1, seconds: 10 },
  help: {
    quick: "10 s for each run",
    rounds: "runs of each row (default 1)",
    seconds: "time that each run is asked to take (default 60)",
    only: "only rows whose task or condition matches",
  },
  table: TABLE,
  recordProblem({ seconds: asked }) {
    return asked < seconds.full.seconds
      ? "--record needs a complete result: omit --quick and --seconds below the default."
      : undefined;
  },
  async run({ rounds, seconds: asked, only }, say) {
    const settings = TASKS.flatMap(({ name }) =>
      (Object.keys(CONDITIONS) as Condition[]).map((condition) => ({ task: name, condition })),
    ).filter(({ task, condition }) => !only || only.test(`${task}, ${CONDITIONS[condition]}`));
    if (settings.length === 0) throw new UsageError(`--only ${only?.source} matches no row.`);
    await rm(OUTPUT, { recursive: true, force: true });
    await mkdir(OUTPUT, { recursive: true });
    const { main } = await compileCommandLine(join(OUTPUT, "compiled"));
    const rows: SecondsRow[] = [];
    for (const { task, condition } of settings) {
      const runs: TimedRun[] = [];
      for (let round = 0; round < rounds; round++) {
        const folder = join(OUTPUT, `${task}-${condition}-${round}`);
        const run = await timedRun({ main, task, asked, folder, isShared: condition === "shared" });
        say(`${task}, ${CONDITIONS[condition]}: ${run.seconds.toFixed(2)} s, ${run.iterations} iterations`);
        runs.push(run);
      }
      rows.push({
        bench: BENCH,
        setting: task,
        condition: CONDITIONS[condition],
        ...deviationOf(asked, runs),
      });
    }
    return { rows, versions: { "onnxruntime-node": packageVersion("onnxruntime-node") } };
  },
};

/** The fields of a row that follow from its runs. */
export function deviationOf(
  asked: number,
  rounds: readonly TimedRun[],
): Pick<SecondsRow, "asked" | "rounds" | "deviation"> {
  const deviations = rounds.map((run) => run.seconds / asked - 1);
  const deviation = deviations.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0);
  return { asked, rounds, deviation };
}

interface TimedRunOptions {
  readonly main: string;
  readonly task: string;
  readonly asked: number;
  readonly folder: string;
  /** Whether another process takes half of the machine from the middle on. */
  readonly isShared: boolean;
}

async function timedRun({ main, task, asked, folder, isShared }: TimedRunOptions): Promise<TimedRun> {
  const parameters = [main, "train", task, "--seconds", String(asked), "--out", folder, "--quiet"];
  const started = performance.now();
  const child = spawn(process.execPath, parameters, { stdio: ["ignore", "ignore", "inherit"] });
  let other: ChildProcess | undefined;
  const timer = setTimeout(() => {
    if (isShared) other = busyProcess();
  }, asked * 500);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject).on("exit", resolve);
    });
    const took = (performance.now() - started) / 1000;
    if (code !== 0) throw new Error(`seconds: train ${task} ended with exit code ${code}`);
    const file = join(folder, "checkpoint.safetensors");
    return { seconds: took, iterations: decodeCheckpoint(await readFile(file), file).iteration };
  } finally {
    clearTimeout(timer);
    other?.kill("SIGKILL");
  }
}

/** A process that keeps every core busy until it is killed. */
function busyProcess(): ChildProcess {
  const threads = `const { Worker } = require("node:worker_threads");
    for (let i = 1; i < ${availableParallelism()}; i++) new Worker("for (;;) {}", { eval: true });
    for (;;) {}`;
  return spawn(process.execPath, ["-e", threads], { stdio: "ignore" });
}
