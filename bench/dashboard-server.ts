// The benchmark of the dashboard's server: lists of many runs, long curves, large files, what a watched training loses, and
// answers while a run trains.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SERIES_TYPE } from "../src/views/series-bytes.ts";
import { clientOf } from "../test/support/dashboard-client.ts";
import type { Benchmark } from "./benchmark.ts";
import { compileCommandLine } from "./crash/process.ts";
import { chosenParts, type LimitRow, LimitRows, limitTable, type Measured } from "./dashboard/limit-table.ts";
import {
  LARGE_MIB,
  LONG_POINTS,
  LONG_RUNS,
  MANY_RUNS,
  writeLargeRun,
  writeLongRuns,
  writeManyRuns,
} from "./dashboard/run-files.ts";
import { peakMiB, processorSeconds, withServer } from "./dashboard/server-process.ts";
import { watchingRatios } from "./dashboard/watched-training.ts";
import { packageVersion } from "./machine.ts";
import { median } from "./statistics.ts";

const BENCH = "dashboard-server";
const OUTPUT = fileURLToPath(new URL("output/dashboard-server", import.meta.url));

export const dashboardServer: Benchmark<LimitRow> = {
  name: BENCH,
  summary: "the dashboard's server: 1,000 runs, long curves, a large file, and a watched training",
  full: { rounds: 5, seconds: 0 },
  quick: { rounds: 1, seconds: 0 },
  help: {
    quick: "one round, about one minute",
    rounds: "rounds (default 5)",
    seconds: "not used",
    only: "only parts that match: list, long curves, large file, watched training, during training",
  },
  table: limitTable([
    "Times are those of requests to a server in a process of its own, a new one in every round. A first request reads the files,",
    "the next one has them in memory. The server begins to read its list when it starts, as it does while a browser opens.",
    "A watched training has a dashboard with one stream that follows it; each round has two watched trainings between two",
    "others, and compares the sums of their times, and of the processor time of their processes, which depends less on what else",
    "the machine does.",
  ]),
  recordProblem: ({ quick, rounds }) =>
    quick || rounds < dashboardServer.full.rounds
      ? "--record needs a complete result: omit --quick, and --rounds below its default."
      : undefined,
  async run({ rounds, only }, say) {
    const parts = chosenParts(
      {
        ...{ list: listOfRuns, "long curves": longCurves, "large file": largeFile },
        ...{ "watched training": watchedTraining, "during training": duringTraining },
      },
      only,
    );
    rmSync(OUTPUT, { recursive: true, force: true });
    mkdirSync(OUTPUT, { recursive: true });
    const { main } = await compileCommandLine(join(OUTPUT, "compiled"));
    const rows = new LimitRows(BENCH, say);
    for (let round = 0; round < rounds; round++) {
      for (const part of parts) {
        for (const row of await part(main, round)) rows.add(row);
      }
    }
    return { rows: rows.all, versions: { hono: packageVersion("hono") } };
  },
};

async function listOfRuns(main: string, round: number): Promise<Measured[]> {
  const folder = join(OUTPUT, "many");
  if (round === 0) writeManyRuns(folder);
  const runs = `${MANY_RUNS.toLocaleString("en")} runs`;
  return withServer(main, [folder], async ({ url }) => {
    const client = await clientOf(url);
    const list = () => client.get("/api/runs");
    const first = await secondsOf(list);
    await sleep(1000); // a list that is fresh is not read again
    const again = await secondsOf(list);
    return [
      { setting: `first list of ${runs}`, unit: "s", value: first, allowed: 2 },
      { setting: `list of ${runs} again`, unit: "s", value: again, allowed: null },
    ];
  });
}

async function longCurves(main: string, round: number): Promise<Measured[]> {
  const folder = join(OUTPUT, "long");
  if (round === 0) writeLongRuns(folder);
  const entries = Array.from({ length: LONG_RUNS }, (_, i) => `runs/run-${i}`);
  const what = `curves of ${LONG_RUNS} × ${LONG_POINTS.toLocaleString("en")} points`;
  return withServer(main, [folder], async ({ url, process }) => {
    const client = await clientOf(url);
    const ask = (change: object) => {
      const request = { entries, metric: "loss", x: "iteration", columns: 1000, ...change };
      return client.post("/api/series", request, { accept: SERIES_TYPE });
    };
    const first = await secondsOf(() => ask({}));
    // Several requests in a row, because the processor time of a process is counted in hundredths of a second.
    const [used, times] = [processorSeconds(process), [] as number[]];
    for (let i = 0; i < 10; i++) times.push(await secondsOf(() => ask({ from: 500 * (i + 1) })));
    const share = (processorSeconds(process) - used) / times.length;
    const seconds = await secondsOf(() => ask({ x: "seconds" }));
    return [
      { setting: `first ${what}`, unit: "s", value: first, allowed: null },
      { setting: `${what} again, at another zoom`, unit: "s", value: median(times), allowed: 0.1 },
      { setting: "processor time of the server for it", unit: "s", value: share, allowed: 0.1 },
      { setting: `${what} over seconds for the first time`, unit: "s", value: seconds, allowed: 0.1 },
    ];
  });
}

/** Memory that a file of any size may take: its points are thinned while it is read. */
const MOST_MIB = 300;

/** In the first round only: it takes as long as everything else. */
async function largeFile(main: string, round: number): Promise<Measured[]> {
  if (round > 0) return [];
  const folder = join(OUTPUT, "large");
  const entries = [writeLargeRun(folder)];
  return withServer(main, [folder], async ({ url, process }) => {
    const client = await clientOf(url);
    await client.get("/api/runs");
    const before = peakMiB(process);
    const request = { entries, metric: "loss", x: "iteration", columns: 1000 };
    const value = await secondsOf(() => client.post("/api/series", request));
    const grown = peakMiB(process) - before;
    return [
      { setting: `first curve of ${LARGE_MIB} MiB of metrics`, unit: "s", value, allowed: null },
      { setting: "memory that it takes", unit: "MiB", value: grown, allowed: MOST_MIB },
    ];
  });
}

async function watchedTraining(main: string, round: number): Promise<Measured[]> {
  const folder = join(OUTPUT, "watched");
  const shares: number[] = [];
  const ratios = await watchingRatios(main, folder, round, (id, train) =>
    withServer(main, [folder], async ({ url, process }) => {
      const client = await clientOf(url);
      const following = await client.follow([id], { cursor: "none" });
      const [start, used] = [performance.now(), processorSeconds(process)];
      const times = await train();
      shares.push((processorSeconds(process) - used) / ((performance.now() - start) / 1000));
      following.close();
      return times;
    }),
  );
  const rule = { unit: "× the time", allowed: 1.05 } as const;
  return [
    { ...rule, setting: "watched training, beside one without a dashboard", value: ratios.seconds },
    { ...rule, setting: "processor time of that training", value: ratios.processorSeconds },
    {
      ...{ setting: "share of a processor that the server takes meanwhile", unit: "%", allowed: 5 },
      value: 100 * median(shares),
    },
  ];
}

/** Requests while the native engine trains a run that the page has started, and while it computes a view. */
async function duringTraining(main: string, round: number): Promise<Measured[]> {
  const folder = join(OUTPUT, `trained-${round}`);
  return withServer(main, [folder, "--allow-train"], async ({ url }) => {
    const client = await clientOf(url);
    const list = () => client.get("/api/runs");
    const settings = { task: "hypergrid", iterations: 1_000_000, logEvery: 1, checkpointEvery: 50 };
    const { id } = await client.json<{ readonly id: string }>("/api/train", { settings });
    const following = await client.follow([id], { cursor: "none" });
    await following.until(() => following.messages.some(({ points }) => points?.loss));
    following.close();
    const training = await repeated(() => secondsOf(list), REQUESTS);
    await client.post("/api/stop", { id });
    // The engine is loaded and the network is run in the server's process, in another thread.
    let isComputed = false;
    const view = client
      .get(`/api/view?id=${encodeURIComponent(id)}&view=distribution`)
      .then(({ status, text }) => {
        isComputed = true;
        if (status !== 200) throw new Error(`the view could not be computed: ${text}`);
      });
    const computing: number[] = [];
    while (!isComputed) computing.push(...(await repeated(() => secondsOf(list), 1)));
    await view;
    const rule = { unit: "s", allowed: 0.1 } as const;
    return [
      {
        ...rule,
        setting: "longest wait for a list while a run of the page trains",
        value: Math.max(...training),
      },
      {
        ...rule,
        setting: "longest wait for a list while a view runs the network",
        value: Math.max(...computing),
      },
    ];
  });
}

const REQUESTS = 20;
/** Milliseconds between two requests: more than a list stays fresh. */
const PAUSE = 300;

async function repeated(action: () => Promise<number>, times: number): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < times; i++) {
    values.push(await action());
    await sleep(PAUSE);
  }
  return values;
}

async function secondsOf(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}
