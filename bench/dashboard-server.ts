// The benchmark of the dashboard's server: lists of many runs, long curves, large files, and what a watched training loses.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { SeriesAnswer } from "../src/views/page-data.ts";
import { type Client, clientOf } from "../test/support/dashboard-client.ts";
import { CONFIG, evaluation, iteration } from "../test/support/entry-folders.ts";
import { type AnyRow, type Benchmark, type Table, UsageError } from "./benchmark.ts";
import { compileCommandLine } from "./crash/process.ts";
import { packageVersion } from "./machine.ts";
import { median } from "./statistics.ts";

const BENCH = "dashboard-server";
const OUTPUT = fileURLToPath(new URL("output/dashboard-server", import.meta.url));

export interface ServerRow extends AnyRow {
  readonly unit: "s" | "MiB" | "× the time" | "%";
  readonly values: readonly number[];
  /** The largest value that the project allows; null if there is no rule. */
  readonly allowed: number | null;
}

export const TABLE: Table<ServerRow> = {
  columns: [
    { heading: "what", cell: ({ setting }) => setting },
    { heading: "median", numeric: true, cell: ({ values, unit }) => `${shown(median(values))} ${unit}` },
    { heading: "rounds", numeric: true, cell: ({ values }) => values.map(shown).join(", ") },
    { heading: "allowed", numeric: true, cell: ({ allowed }) => (allowed === null ? "" : shown(allowed)) },
  ],
  budget: ({ rounds }) => `${rounds} ${rounds === 1 ? "round" : "rounds"}`,
  legend: [
    "Times are those of requests to a server in a process of its own. A first request reads the files, the next one has them in",
    "memory. A watched training has a dashboard with one page that follows it; the two trainings of a round run one after the",
    "other.",
  ],
};

const RUNS = 1000;
const LONG_RUNS = 20;
const LONG_POINTS = 100_000;
const LARGE_MIB = 256;
const TRAINED = [
  "hypergrid",
  "--iterations",
  "3000",
  "--evaluate-every",
  "500",
  "--log-every",
  "1",
  "--quiet",
];

export const dashboardServer: Benchmark<ServerRow> = {
  name: BENCH,
  summary: "the dashboard's server: 1,000 runs, long curves, a large file, and a watched training",
  full: { rounds: 5, seconds: 0 },
  quick: { rounds: 1, seconds: 0 },
  help: {
    quick: "one round",
    rounds: "rounds (default 5)",
    seconds: "not used",
    only: "only parts that match",
  },
  table: TABLE,
  async run({ rounds, only }, say) {
    const parts = [listOfRuns, longCurves, largeFile, watchedTraining].filter(
      ({ name }) => !only || only.test(name),
    );
    if (parts.length === 0) throw new UsageError(`--only ${only?.source} matches no part.`);
    rmSync(OUTPUT, { recursive: true, force: true });
    mkdirSync(OUTPUT, { recursive: true });
    const { main } = await compileCommandLine(join(OUTPUT, "compiled"));
    const rows = new Map<string, ServerRow>();
    for (let round = 0; round < rounds; round++) {
      for (const part of parts) {
        for (const { setting, value, ...rest } of await part(main, round)) {
          say(`${setting}: ${shown(value)} ${rest.unit}`);
          const values = [...(rows.get(setting)?.values ?? []), value];
          rows.set(setting, { bench: BENCH, setting, values, ...rest });
        }
      }
    }
    return { rows: [...rows.values()], versions: { hono: packageVersion("hono") } };
  },
};

type Measured = Pick<ServerRow, "setting" | "unit" | "allowed"> & { readonly value: number };

async function listOfRuns(main: string): Promise<Measured[]> {
  const folder = join(OUTPUT, "many");
  for (let i = 0; i < RUNS; i++) {
    const events = Array.from({ length: 200 }, (_, k) => iteration(k, 1 / (k + 1)));
    writeRun(join(folder, "runs", `run-${i}`), { seed: i % 10, stick: i % 7 }, [
      ...events,
      evaluation(200, 1, 0.5),
    ]);
  }
  return withServer(main, folder, async (client) => {
    const list = () => client.get("/api/runs");
    const first = await secondsOf(list);
    await sleep(1000); // a list that is fresh is not read again
    const again = await secondsOf(list);
    return [
      { setting: `first list of ${RUNS} runs`, unit: "s", value: first, allowed: 2 },
      { setting: `list of ${RUNS} runs again`, unit: "s", value: again, allowed: null },
    ];
  });
}

async function longCurves(main: string): Promise<Measured[]> {
  const folder = join(OUTPUT, "long");
  const ids = Array.from({ length: LONG_RUNS }, (_, i) => `runs/run-${i}`);
  ids.forEach((id, seed) => {
    const events = Array.from({ length: LONG_POINTS }, (_, k) => iteration(k, Math.sin(k + seed)));
    writeRun(join(folder, id), { seed }, events);
  });
  return withServer(main, folder, async (client) => {
    const ask = (from = 0) =>
      client.json<SeriesAnswer>("/api/series", {
        entries: ids,
        metric: "loss",
        x: "iteration",
        columns: 1000,
        from,
      });
    const what = `curves of ${LONG_RUNS} × ${LONG_POINTS.toLocaleString("en")} points`;
    return [
      { setting: `first ${what}`, unit: "s", value: await secondsOf(ask), allowed: null },
      {
        setting: `${what} again, at another zoom`,
        unit: "s",
        value: await secondsOf(() => ask(500)),
        allowed: 0.1,
      },
    ];
  });
}

async function largeFile(main: string): Promise<Measured[]> {
  const folder = join(OUTPUT, "large");
  writeRun(join(folder, "runs/large"), {}, []);
  const file = openSync(join(folder, "runs/large/metrics.jsonl"), "w");
  for (let size = 0, k = 0; size < LARGE_MIB * 2 ** 20; ) {
    const lines = Array.from({ length: 10_000 }, () => JSON.stringify(iteration(++k, Math.sin(k))));
    size += writeSync(file, `${lines.join("\n")}\n`);
  }
  closeSync(file);
  return withServer(main, folder, async (client, server) => {
    await client.get("/api/runs");
    const before = residentMiB(server);
    const request = { entries: ["runs/large"], metric: "loss", x: "iteration", columns: 1000 };
    const value = await secondsOf(() => client.post("/api/series", request));
    const grown = residentMiB(server) - before;
    return [
      { setting: `first curve of ${LARGE_MIB} MiB of metrics`, unit: "s", value, allowed: null },
      { setting: "memory that it takes", unit: "MiB", value: grown, allowed: LARGE_MIB },
    ];
  });
}

async function watchedTraining(main: string, round: number): Promise<Measured[]> {
  const folder = join(OUTPUT, "watched");
  let share = 0;
  const train = async (name: string, watch: boolean) => {
    const work = async (client?: Client, server?: ChildProcess) => {
      const child = spawn(process.execPath, [main, "train", ...TRAINED, "--out", join(folder, "runs", name)]);
      const ended = once(child, "exit");
      const following = await client?.follow([`runs/${name}`], { cursor: "none" });
      const [start, used] = [performance.now(), server ? processorSeconds(server) : 0];
      await ended;
      if (server) share = (processorSeconds(server) - used) / ((performance.now() - start) / 1000);
      following?.close();
      // The time of the iterations, without start, compilation and samples.
      const lines = readFileSync(join(folder, "runs", name, "metrics.jsonl"), "utf8").split("\n");
      const times = lines.flatMap((line) =>
        line.includes('"evaluation"') ? [JSON.parse(line).seconds] : [],
      );
      return (times.at(-1) as number) - (times[0] as number);
    };
    return watch ? withServer(main, folder, work) : work();
  };
  const order = round % 2 === 0 ? [false, true] : [true, false];
  const times = new Map<boolean, number>();
  for (const watch of order) times.set(watch, await train(`${watch ? "watched" : "alone"}-${round}`, watch));
  const value = (times.get(true) as number) / (times.get(false) as number);
  return [
    { setting: "watched training, beside one without a dashboard", unit: "× the time", value, allowed: 1.05 },
    {
      ...{ setting: "share of a processor that the server takes meanwhile", unit: "%" },
      ...{ value: 100 * share, allowed: 5 },
    },
  ];
}

function writeRun(folder: string, config: object, events: readonly object[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify({ ...CONFIG, ...config }));
  writeFileSync(join(folder, "metrics.jsonl"), events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

async function withServer<T>(
  main: string,
  folder: string,
  action: (client: Client, server: ChildProcess) => Promise<T>,
): Promise<T> {
  const args = ["dashboard", folder, "--json", "--no-open", "--port", "0"];
  const server = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(server.stdout!.setEncoding("utf8"), "data");
    return await action(await clientOf(JSON.parse(line).url), server);
  } finally {
    server.kill("SIGINT");
    await once(server, "exit");
  }
}

/** Resident memory of a process, from `/proc`. */
function residentMiB({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Time that a process has used processors, from `/proc`, which counts hundredths of a second. */
function processorSeconds({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is a name in parentheses, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function secondsOf(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
