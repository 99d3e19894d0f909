// `gflownet forecast backtest` and `compare` of many series: in shards, which an executor runs.

import { basename, join, resolve } from "node:path";
import { writeFileAtomically } from "../../../disk/atomic-file.ts";
import { withDiskErrors } from "../../../disk/run-error.ts";
import { BACKTEST_FILES as FILES } from "../../../forecast/backtest/backtest-files.ts";
import type { PanelFileOptions } from "../../../forecast/data/panel-file.ts";
import { seasonsText } from "../../../forecast/data/seasons.ts";
import { isLearned } from "../../../forecast/forecasters/forecaster-by-name.ts";
import { scoreContents } from "../../../forecast/report/backtest-page.ts";
import {
  backtestNotes,
  mainTables,
  metricsCsv,
  modelResultJson,
} from "../../../forecast/report/backtest-tables.ts";
import { comparisonTable } from "../../../forecast/report/comparison-table.ts";
import { horizonSummary, windowsSummary } from "../../../forecast/report/data-summary.ts";
import { backtestReport } from "../../../forecast/report/forecast-report.ts";
import { countSeries, planShards, type ShardPlan } from "../../../forecast/shards/plan-shards.ts";
import {
  type FailedShard,
  finishedShards,
  runShards,
  shardUnits,
} from "../../../forecast/shards/run-shards.ts";
import {
  checkShardFolder,
  openShardFolder,
  type ShardFolder,
} from "../../../forecast/shards/shard-folder.ts";
import {
  type ShardedScores,
  sampleCsv,
  shardedScores,
  shardRecords,
  writeShardTables,
} from "../../../forecast/shards/shard-results.ts";
import { formatOf } from "../../../formats/tables/table-file.ts";
import { pageText } from "../../../report/page-file.ts";
import { plainTable } from "../../../report/tables.ts";
import { formatCount, formatCountOf } from "../../../report/text-format.ts";
import { nextRunFolder } from "../../../run/new-folder.ts";
import { type ExecutorChoice, executorOf } from "../../executor.ts";
import { printJson } from "../../output.ts";
import { shellPath, shortPath } from "../../paths.ts";
import { ProgressLine } from "../../progress-line.ts";
import { EXIT_CODES } from "../../report-error.ts";
import { readVersion } from "../../version.ts";
import { writeReport } from "../../write-report.ts";
import { withReadProgress } from "./command-data.ts";
import { dataOptions } from "./data-flags.ts";
import type { BacktestFlags } from "./run-backtest.ts";
import { flagError, print, printNotes } from "./run-command.ts";

export interface ShardFlags extends BacktestFlags, Pick<ExecutorChoice, "queue" | "jobs"> {
  /** Least number of shards. */
  readonly shards?: number;
  /** Whether to write the forecasts, too. */
  readonly forecasts?: boolean;
}

/** From this number of series on, a Parquet file is forecast in shards. */
const MANY_SERIES = 10_000;

/** Whether to forecast in shards: if a flag asks for it, or if baselines forecast a Parquet file of many series. */
export async function isSharded(
  path: string | undefined,
  command: ShardFlags,
  signal: AbortSignal,
): Promise<boolean> {
  const flag = (["shards", "jobs", "queue", "forecasts"] as const).find(
    (name) => command[name] !== undefined,
  );
  const options = dataOptions(command);
  const isParquet = path !== undefined && !command.demo && (options.format ?? formatOf(path)) === "parquet";
  if (flag !== undefined) {
    if (command.seconds !== undefined) {
      throw flagError(
        "seconds",
        `cannot be used with --${flag}, because shards that are stopped go on later`,
      );
    }
    if (isParquet) return true;
    throw flagError(flag, "needs a Parquet file, because only its rows can be read in parts");
  }
  if (!isParquet || hasCovariates(options) || options.wide) return false;
  if (command.seconds !== undefined) return false;
  if (command.models === undefined || command.models.some(isLearned)) return false;
  return (await countSeries(path, options, signal)) >= MANY_SERIES;
}

/** Runs the backtest in shards and writes a folder. */
export async function backtestInShards(
  path: string,
  command: ShardFlags,
  signal: AbortSignal,
): Promise<void> {
  if (command.out !== undefined) await checkShardFolder(resolve(command.out));
  const plan = await planned(path, command, signal);
  const folder = resolve(command.out ?? (await nextRunFolder("backtests", plan.name)));
  const scores = await runIn(folder, plan, command, signal);
  if (scores === null) return;
  if (command.json) for (const model of scores.models) printJson(modelResultJson(model));
  print(command, `\n${mainTables(scores).map(plainTable).join("\n\n")}\n`);
  printNotes(command, backtestNotes(scores));
  for (const file of scores.files) print(command, `Every series: ${shortPath(file)}`);
  print(command, `Report, to open in a browser: ${shortPath(join(folder, FILES.report))}`);
}

/** Runs the baselines of a comparison in shards, and prints the table of a file. */
export async function compareInShards(
  path: string,
  command: ShardFlags & { readonly seeds?: number },
  signal: AbortSignal,
): Promise<void> {
  const plan = await planned(path, command, signal);
  const folder =
    command.out === undefined
      ? await nextRunFolder("backtests", plan.name)
      : join(resolve(command.out), plan.name);
  const scores = await runIn(folder, plan, command, signal);
  if (scores === null) return;
  printNotes(command, backtestNotes(scores));
  if (command.json) {
    for (const model of scores.models)
      printJson({ file: basename(path), seed: 0, ...modelResultJson(model) });
  }
  const results = new Map(scores.models.map((model) => [model.name, [model]]));
  print(command, `\n${plainTable(comparisonTable(results, plan.plan.levels, command.seeds ?? 3))}\n`);
  for (const file of scores.files) print(command, `Every series: ${shortPath(file)}`);
}

async function planned(path: string, command: ShardFlags, signal: AbortSignal): Promise<ShardPlan> {
  const plan = await withReadProgress(command, signal, (control) =>
    planShards(path, dataOptions(command), command, control),
  );
  printNotes(command, plan.notes);
  print(command, `${summaryOf(plan)}; forecasts of ${horizonSummary(plan.plan.horizon, plan)}.`);
  const groups = `${formatCountOf(plan.rowGroups.most, "row group")} of ${formatCount(plan.rowGroups.count)}`;
  print(command, `${formatCountOf(plan.shards.length, "shard")}, each of at most ${groups}.`);
  return plan;
}

function summaryOf(plan: ShardPlan): string {
  const { name, series, rows } = plan;
  return `${name}, ${formatCount(series)} series, ${formatCountOf(rows, "row")}, season ${seasonsText(plan)}`;
}

/** Runs all shards and writes the results; null if the command was stopped or a shard failed. */
async function runIn(
  path: string,
  plan: ShardPlan,
  command: ShardFlags,
  signal: AbortSignal,
): Promise<(ShardedScores & { readonly files: readonly string[] }) | null> {
  const units = shardUnits(plan);
  const folder = await openShardFolder(path, units, readVersion(), (records) => {
    shardRecords(plan, records);
  });
  let scores: ShardedScores;
  let files: string[];
  try {
    for (const file of folder.damaged) {
      process.stderr.write(`gflownet: ${file} is damaged; its shard runs again\n`);
    }
    const finished = finishedShards(folder, plan.shards.length);
    if (finished > 0) print(command, `${formatCountOf(finished, "shard")} of them already finished.`);
    const failures = await runAll(folder, plan, units, command, signal);
    if (signal.aborted || failures.length > 0) {
      reportUnfinished(path, failures, signal);
      return null;
    }
    scores = await shardedScores(plan, folder);
    files = await writeShardTables(plan, folder);
    await writePages(folder, plan, scores);
    await folder.clear();
  } finally {
    await folder.close();
  }
  await writeReport([path], join(path, FILES.report));
  return { ...scores, files };
}

async function runAll(
  folder: ShardFolder,
  plan: ShardPlan,
  units: ReturnType<typeof shardUnits>,
  command: ShardFlags,
  signal: AbortSignal,
): Promise<FailedShard[]> {
  const progress = new ProgressLine(command.json || command.quiet ? undefined : process.stdout);
  const { queue, jobs } = command;
  const executor = await executorOf({ queue, jobs, files: new Map([[plan.sha256, resolve(plan.path)]]) });
  try {
    return await runShards(plan, units, folder, executor, signal, ({ finished, total, series, share }) => {
      const text = `shard ${formatCount(finished)}/${formatCount(total)}  ${formatCount(series)} series`;
      progress.show(text, share);
    });
  } finally {
    progress.clear();
    await executor.close();
  }
}

/** Says which shards failed, and how to go on. Finished shards stay in the folder. */
function reportUnfinished(path: string, failures: readonly FailedShard[], signal: AbortSignal): void {
  for (const { shard, message } of failures.slice(0, 3)) {
    process.stderr.write(`gflownet: shard ${shard} failed: ${message}\n`);
  }
  const more = failures.length - 3;
  if (more > 0) process.stderr.write(`gflownet: and ${formatCountOf(more, "more shard")} failed\n`);
  process.exitCode = signal.aborted ? signal.reason?.exitCode : EXIT_CODES.failed;
  const stopped = signal.aborted ? "stopped" : `${formatCountOf(failures.length, "shard")} failed`;
  process.stderr.write(
    `gflownet: ${stopped}; finished shards are kept, and the same command with --out ${shellPath(path)} goes on\n`,
  );
}

async function writePages(folder: ShardFolder, plan: ShardPlan, scores: ShardedScores): Promise<void> {
  const { path } = folder;
  const write = (name: string, text: string) =>
    withDiskErrors("written", join(path, name), () => writeFileAtomically(join(path, name), text));
  await write(FILES.forecasts, await sampleCsv(plan, folder));
  await write(FILES.metrics, metricsCsv(scores));
  const { windows, stepSize, horizon, levels } = plan.plan;
  const page = backtestReport({
    name: plan.name,
    windows: windowsSummary(plan.plan),
    provenance: {
      ...{ data: summaryOf(plan), horizon: horizonSummary(horizon, plan), seed: 0 },
      command: `gflownet ${process.argv.slice(2).map(shellPath).join(" ")}`,
      versions: { gflownet: readVersion(), node: process.versions.node },
      settings: { windows, stepSize, levels: levels.join(","), sha256: plan.sha256 },
    },
    ...scoreContents(scores),
    coverage: scores.coverage,
  });
  await write(FILES.page, pageText(page));
}

function hasCovariates({ pastColumns, knownFutureColumns, staticColumns }: PanelFileOptions): boolean {
  return [pastColumns, knownFutureColumns, staticColumns].some((columns) => columns !== undefined);
}
