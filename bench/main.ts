// Entry point of `npm run bench`: parses the command line, runs a benchmark, prints and stores its rows.

import { assays, longAssays } from "./assays/index.ts";
import { type AnyRow, type Benchmark, UsageError } from "./benchmark.ts";
import { benchmarkList, parseArguments, type Request, usage } from "./command-line.ts";
import { crash } from "./crash/index.ts";
import { dashboardBrowser } from "./dashboard-browser.ts";
import { dashboardServer } from "./dashboard-server.ts";
import { design } from "./design/index.ts";
import { engine } from "./engine.ts";
import { forecast } from "./forecast.ts";
import { forecastShards } from "./forecast-shards.ts";
import { fuzz } from "./fuzz/index.ts";
import { growth } from "./growth/index.ts";
import { currentLoad, loadWarning, thisMachine } from "./machine.ts";
import { peers } from "./peers/index.ts";
import { quality } from "./quality/index.ts";
import { queue } from "./queue/index.ts";
import {
  COMPARISON_TABLE,
  describeMachine,
  formatTable,
  type Report,
  writeRecord,
  writeReport,
} from "./report.ts";
import { seconds } from "./seconds.ts";
import { thought } from "./thought.ts";
import { training } from "./training.ts";
import { webEngine } from "./web-engine/index.ts";

const benchmarks: readonly Benchmark<AnyRow>[] = [
  engine,
  training,
  peers,
  growth,
  webEngine,
  quality,
  thought,
  forecast,
  forecastShards,
  design,
  assays,
  longAssays,
  seconds,
  crash,
  fuzz,
  dashboardServer,
  queue,
  dashboardBrowser,
];

/** Progress goes to standard error, so that standard output has only the rows. */
const say = (line: string): void => console.error(line);

async function main(parameters: readonly string[]): Promise<void> {
  const request = parseArguments(parameters, benchmarks);
  switch (request.kind) {
    case "list":
      return console.log(benchmarkList(benchmarks));
    case "help":
      return console.log(usage(request.benchmark));
    case "run":
      return run(request, commandLine(parameters));
    default:
      request satisfies never;
  }
}

async function run(request: Request & { kind: "run" }, command: string): Promise<void> {
  const { benchmark, options, json, record } = request;
  const machine = thisMachine();
  const date = new Date().toISOString();
  const before = currentLoad();
  const warning = loadWarning(before, machine.cores);
  if (warning) say(warning);
  const { rows, versions } = await benchmark.run(options, say);
  const table = benchmark.table ?? COMPARISON_TABLE;
  const report: Report<AnyRow> = {
    bench: benchmark.name,
    date,
    command,
    machine,
    versions,
    load: { before, after: currentLoad() },
    options: { ...options, only: options.only?.source ?? null },
    rows,
  };
  const file = await writeReport(report);
  if (json) for (const row of rows) console.log(JSON.stringify(row));
  else console.log(`\n${formatTable(rows, table)}\n\n${describeMachine(report)}`);
  say(`Written to ${file}`);
  if (record) say(`Recorded in ${await writeRecord(report, table)}`);
}

/** The command as text, quoted for a shell where necessary. */
function commandLine(parameters: readonly string[]): string {
  const quoted = parameters.map((text) => (/^[\w.=-]+$/.test(text) ? text : JSON.stringify(text)));
  return ["npm run bench --", ...quoted].join(" ");
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
