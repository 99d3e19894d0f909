// `gflownet forecast compare`: backtests of several models over files and seeds, as one table per file.

import { basename } from "node:path";
import type { ModelResult } from "../../../forecast/backtest/backtest.ts";
import { countJudged } from "../../../forecast/backtest/windows.ts";
import { isLearned } from "../../../forecast/forecasters/forecaster-by-name.ts";
import { modelResultJson } from "../../../forecast/report/backtest-tables.ts";
import { comparisonTable } from "../../../forecast/report/comparison-table.ts";
import { dataSummary, horizonSummary } from "../../../forecast/report/data-summary.ts";
import { plainTable } from "../../../report/tables.ts";
import { formatCountOf } from "../../../report/text-format.ts";
import { printJson } from "../../output.ts";
import { modelSettings } from "./model-flags.ts";
import { planBacktest, runWithProgress } from "./run-backtest.ts";
import { print, printNotes, runCommand } from "./run-command.ts";
import { compareInShards, isSharded, type ShardFlags } from "./sharded.ts";

export interface CompareCommand extends ShardFlags {
  readonly seeds?: number;
}

export async function compare(files: readonly string[], command: CompareCommand): Promise<void> {
  await runCommand(async (signal) => {
    const paths = command.demo || files.length === 0 ? [files[0]] : files;
    // Checks all files before the first backtest. Each file is read again for its backtests, so that only one is in
    // memory at a time.
    const sharded: boolean[] = [];
    for (const path of paths) sharded.push(await isSharded(path, command, signal));
    if (paths.length > 1 && !sharded.includes(true)) {
      for (const path of paths) await planBacktest(path, command, signal);
    }
    for (const [i, path] of paths.entries()) {
      if (sharded[i]) await compareInShards(path!, command, signal);
      else await compareOnFile(path, command, signal);
    }
  });
}

/** Runs learned models once per seed, and baselines once, because they do not depend on the seed. */
async function compareOnFile(
  path: string | undefined,
  command: CompareCommand,
  signal: AbortSignal,
): Promise<void> {
  const planned = await planBacktest(path, command, signal);
  const { file, panel, notes, plan } = planned;
  const { seeds = 3 } = command;
  printNotes(command, notes);
  const windows = formatCountOf(plan.windows, "window");
  print(
    command,
    `${dataSummary(file, countJudged(panel, plan))}; forecasts of ${horizonSummary(plan.horizon, panel)} in ${windows}.`,
  );
  const results = new Map<string, ModelResult[]>();
  for (let seed = 0; seed < seeds; seed++) {
    const models = seed === 0 ? plan.models : plan.models.filter(isLearned);
    if (models.length === 0) break;
    const settings = { ...modelSettings(command), seed };
    const result = await runWithProgress(
      { ...planned, plan: { ...plan, models } },
      settings,
      command,
      signal,
    );
    if (seed === 0) printNotes(command, result.notes);
    for (const model of result.models) {
      // Every backtest includes the reference, which is a baseline.
      if (seed > 0 && !model.cases[0].forecast.paths) continue;
      results.set(model.name, [...(results.get(model.name) ?? []), model]);
      if (command.json) printJson({ file: basename(file.path), seed, ...modelResultJson(model) });
    }
  }
  print(command, `\n${plainTable(comparisonTable(results, plan.levels, seeds))}\n`);
}
