// The benchmark of backtests in shards: many short series in one Parquet file, forecast by processes of this machine. It
// measures the time, the processor time, and the memory of the command and of its largest process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { loadDuckDB } from "../src/formats/tables/duckdb.ts";
import { type AnyRow, type Benchmark, type Table, UsageError } from "./benchmark.ts";
import { compileCommandLine } from "./crash/process.ts";
import { packageVersion } from "./machine.ts";
import { median } from "./statistics.ts";

const BENCH = "forecast-shards";
const OUTPUT = fileURLToPath(new URL("output/forecast-shards", import.meta.url));
const MONTHS = 60;
const HORIZON = 12;
/** Milliseconds between two looks at the processes. */
const INTERVAL = 100;

interface Setting {
  readonly series: number;
  readonly models: string;
}

const FULL: readonly Setting[] = [
  { series: 100_000, models: "seasonal-naive,drift" },
  { series: 10_000, models: "seasonal-naive,mstl-ets" },
];
const QUICK: readonly Setting[] = [
  { series: 2000, models: "seasonal-naive,drift" },
  { series: 200, models: "seasonal-naive,mstl-ets" },
];

interface Measured {
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Largest resident memory of the command, and of the largest process that runs shards, in MiB. */
  readonly commandMemory: number;
  readonly unitMemory: number;
  /** Size of the file of scores, in MiB. */
  readonly size: number;
}

export interface ShardsRow extends AnyRow {
  readonly rounds: readonly Measured[];
}

const column = (heading: string, value: (round: Measured) => number) => ({
  ...{ heading, numeric: true },
  cell: ({ rounds }: ShardsRow) => median(rounds.map(value)).toFixed(1),
});

export const TABLE: Table<ShardsRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    column("seconds", ({ seconds }) => seconds),
    column("processor seconds", ({ processorSeconds }) => processorSeconds),
    column("MiB of the command", ({ commandMemory }) => commandMemory),
    column("MiB of a shard's process", ({ unitMemory }) => unitMemory),
    column("MiB of the scores", ({ size }) => size),
  ],
  budget: ({ rounds }) => `${rounds} ${rounds === 1 ? "round" : "rounds"}`,
  legend: [
    `Each series has ${MONTHS} months and is forecast ${HORIZON} months ahead. Memory is the largest resident memory, measured every`,
    `${INTERVAL} ms. Processor seconds are those of all processes; on a machine with other work they tell more than seconds.`,
  ],
};

export const forecastShards: Benchmark<ShardsRow> = {
  name: BENCH,
  summary: "a backtest of 100,000 series of a Parquet file in shards: time, and memory of each process",
  full: { rounds: 3, seconds: 0 },
  quick: { rounds: 1, seconds: 0 },
  help: {
    quick: "2,000 series, one round",
    rounds: "rounds (default 3)",
    seconds: "not used",
    only: "only settings that match, such as drift",
    jobs: "processes at a time (default: the number of cores)",
  },
  table: TABLE,
  recordProblem: ({ quick, only }) =>
    quick || only ? "--record needs a complete result: omit --quick and --only." : undefined,
  async run({ rounds, quick, only, jobs = availableParallelism() }, say) {
    const settings = (quick ? QUICK : FULL).filter((setting) => !only || only.test(nameOf(setting, jobs)));
    if (settings.length === 0) throw new UsageError(`--only ${only?.source} matches no setting.`);
    rmSync(OUTPUT, { recursive: true, force: true });
    mkdirSync(OUTPUT, { recursive: true });
    const { main } = await compileCommandLine(join(OUTPUT, "compiled"));
    const rows: ShardsRow[] = [];
    for (const setting of settings) {
      const file = join(OUTPUT, "series.parquet");
      await writeSeries(file, setting.series);
      const measured: Measured[] = [];
      for (let round = 0; round < rounds; round++) measured.push(await measure(main, file, setting, jobs));
      rows.push({ bench: BENCH, setting: nameOf(setting, jobs), rounds: measured });
      say(`${nameOf(setting, jobs)}: ${measured.map(({ seconds }) => seconds.toFixed(1)).join(", ")} s`);
    }
    return { rows, versions: { "@duckdb/node-api": packageVersion("@duckdb/node-api") } };
  },
};

function nameOf({ series, models }: Setting, jobs: number): string {
  return `${series.toLocaleString("en")} series, ${models}, ${jobs} ${jobs === 1 ? "process" : "processes"}`;
}

/** Monthly series with a season, a slope and noise, sorted by series. */
async function writeSeries(file: string, series: number): Promise<void> {
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT 'item-' || s AS unique_id, DATE '2018-01-01' + INTERVAL (t) MONTH AS ds,
       100 + s % 50 + (s % 7) * t / 10.0 + (10 + s % 5) * sin(t * 0.5235987755982988) + (hash(s * 100 + t) % 1000) / 100.0 AS y
     FROM range(${series}) a(s), range(${MONTHS}) b(t) ORDER BY s, t) TO '${file.replaceAll("'", "''")}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

async function measure(main: string, file: string, { models }: Setting, jobs: number): Promise<Measured> {
  const out = join(OUTPUT, "out");
  rmSync(out, { recursive: true, force: true });
  const words = [
    "--models",
    models,
    "--horizon",
    String(HORIZON),
    "--jobs",
    String(jobs),
    "--out",
    out,
    "--quiet",
  ];
  const start = performance.now();
  const child = spawn(process.execPath, [main, "forecast", "backtest", file, ...words], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const usage = new Map<number, { memory: number; ticks: number }>();
  let ended = false;
  const end = once(child, "exit").then(([code]) => {
    ended = true;
    return code as number | null;
  });
  while (!ended) {
    for (const pid of [child.pid!, ...childrenOf(child.pid!)]) look(pid, usage);
    await Promise.race([sleep(INTERVAL), end]);
  }
  if ((await end) !== 0) throw new Error("the command failed");
  const own = usage.get(child.pid!);
  const units = [...usage].filter(([pid]) => pid !== child.pid).map(([, one]) => one);
  const ticks = [...usage.values()].reduce((sum, one) => sum + one.ticks, 0);
  return {
    seconds: (performance.now() - start) / 1000,
    processorSeconds: ticks / 100,
    commandMemory: own?.memory ?? Number.NaN,
    unitMemory: units.reduce((most, { memory }) => Math.max(most, memory), 0),
    size: statSync(join(out, "scores.parquet")).size / 2 ** 20,
  };
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // not Linux, or the process has just ended
  }
}

/** Notes the largest memory of a process, and its processor time so far in hundredths of a second. */
function look(pid: number, usage: Map<number, { memory: number; ticks: number }>): void {
  try {
    const kilobytes = Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13);
    // A process that has just ended has no memory any more.
    const memory = Number.isNaN(kilobytes) ? (usage.get(pid)?.memory ?? 0) : kilobytes / 1024;
    usage.set(pid, { memory, ticks: Number(user) + Number(system) });
  } catch {
    // The process has just ended; its last state counts.
  }
}
