// `gflownet forecast backtest`: evaluates forecasters at past cutoffs and writes tables and a page.

import { join, resolve } from "node:path";
import { writeFileAtomically } from "../../../disk/atomic-file.ts";
import { BACKTEST_FILES as FILES } from "../../../forecast/backtest/backtest-files.ts";
import { backtestColumns, backtestRows } from "../../../forecast/backtest/backtest-rows.ts";
import { countJudged } from "../../../forecast/backtest/windows.ts";
import { backtestPage } from "../../../forecast/report/backtest-page.ts";
import {
  backtestNotes,
  mainTables,
  metricsCsv,
  modelResultJson,
} from "../../../forecast/report/backtest-tables.ts";
import { dataSummary, horizonSummary, windowsSummary } from "../../../forecast/report/data-summary.ts";
import { formatCsv } from "../../../formats/csv.ts";
import { pageText } from "../../../report/page-file.ts";
import { plainTable } from "../../../report/tables.ts";
import { createFolder, nextRunFolder } from "../../../run/new-folder.ts";
import { printJson } from "../../output.ts";
import { shortPath } from "../../paths.ts";
import { writeReport } from "../../write-report.ts";
import { checkNewFolder } from "./command-data.ts";
import { modelSettings } from "./model-flags.ts";
import { provenanceOf } from "./provenance.ts";
import { planBacktest, runWithProgress } from "./run-backtest.ts";
import { print, printNotes, runCommand } from "./run-command.ts";
import { backtestInShards, isSharded, type ShardFlags } from "./sharded.ts";

export interface BacktestCommand extends ShardFlags {
  readonly seed?: number;
}

export async function backtest(path: string | undefined, command: BacktestCommand): Promise<void> {
  await runCommand(async (signal) => {
    if (await isSharded(path, command, signal)) return backtestInShards(path!, command, signal);
    await checkNewFolder(command.out, "backtest");
    const planned = await planBacktest(path, command, signal);
    const { file, panel, options, notes, plan } = planned;
    printNotes(command, notes);
    const windows = windowsSummary(plan);
    const summary = dataSummary(file, countJudged(panel, plan));
    print(command, `${summary}; forecasts of ${horizonSummary(plan.horizon, panel)}.\n${windows}`);
    const settings = modelSettings(command);
    const result = await runWithProgress(planned, settings, command, signal);

    const folder = resolve(command.out ?? (await nextRunFolder("backtests", file.name)));
    await createFolder(folder);
    const write = (name: string, text: string) => writeFileAtomically(join(folder, name), text);
    await write(FILES.forecasts, formatCsv(backtestColumns(result), backtestRows(result)));
    await write(FILES.metrics, metricsCsv(result));
    const { windows: count, stepSize, refit } = plan;
    const provenance = provenanceOf(file, {
      ...{ horizon: plan.horizon, seed: command.seed ?? 0 },
      settings: { ...options, ...settings, windows: count, stepSize, refit },
    });
    await write(FILES.page, pageText(backtestPage(result, panel, { name: file.name, provenance, windows })));
    await writeReport([folder], join(folder, FILES.report));

    if (command.json) for (const model of result.models) printJson(modelResultJson(model));
    print(command, `\n${mainTables(result).map(plainTable).join("\n\n")}\n`);
    printNotes(command, backtestNotes(result));
    print(command, `All metrics, by series and by step: ${shortPath(join(folder, FILES.metrics))}`);
    print(command, `Report, to open in a browser: ${shortPath(join(folder, FILES.report))}`);
  });
}
