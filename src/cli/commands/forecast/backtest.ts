// `gflownet forecast backtest`: models judged at past cutoffs, as tables and a page.

import { join, resolve } from "node:path";
import { backtestColumns, backtestRows } from "../../../forecast/backtest/index.ts";
import { htmlPage } from "../../../report/page.ts";
import { plainTable } from "../../../report/tables.ts";
import { count, countOf } from "../../../report/text-table.ts";
import { writeFileAtomically } from "../../../run/atomic-file.ts";
import { nextRunFolder } from "../../../run/folder.ts";
import { makeFolder } from "../../../run/new-folder.ts";
import { printJson } from "../../output.ts";
import { shortPath } from "../../words.ts";
import { backtestPage } from "./backtest-page.ts";
import { metricNotes, metricsCsv, modelJson, shownTables } from "./backtest-tables.ts";
import { csvText } from "./csv.ts";
import { modelSettingsOf } from "./model-flags.ts";
import { Progress } from "./progress.ts";
import { type RollingFlags, type RollingPlan, rollingPlan, runRolling } from "./rolling.ts";
import { dataText, horizonText, sourceForFolder } from "./source.ts";
import { workOf } from "./work.ts";
import { type Printing, remark, say, working } from "./working.ts";

export interface BacktestCommand extends RollingFlags, Printing {
  readonly out?: string;
  readonly seed?: number;
}

const FILES = { forecasts: "forecasts.csv", metrics: "metrics.csv", report: "report.html" } as const;

export async function backtest(file: string | undefined, command: BacktestCommand): Promise<void> {
  await working(async (signal) => {
    const { flags, source, panel, notes } = await sourceForFolder(file, command, "backtest");
    const plan = rollingPlan(command, panel);
    remark(command, notes);
    const ahead = horizonText(plan.horizon, panel);
    say(command, `${dataText(source)}; ${ahead} ahead.\n${windowsText(plan)}`);
    const settings = modelSettingsOf({ ...command });
    const progress = new Progress(command.json || command.quiet ? undefined : process.stdout);
    const result = await runRolling(panel, plan, { settings, fill: flags.fill, signal, progress });

    const folder = resolve(command.out ?? (await nextRunFolder("backtests", source.name)));
    await makeFolder(folder);
    await writeFileAtomically(
      join(folder, FILES.forecasts),
      csvText(backtestColumns(result), backtestRows(result)),
    );
    await writeFileAtomically(join(folder, FILES.metrics), metricsCsv(result));
    const work = workOf({
      ...{ data: dataText(source), horizon: ahead, seed: command.seed ?? 0 },
      settings: {
        ...flags,
        ...settings,
        windows: plan.windows,
        "step size": plan.stepSize,
        refit: plan.refit,
      },
    });
    const page = backtestPage(result, panel, { name: source.name, work, windows: windowsText(plan) });
    await writeFileAtomically(join(folder, FILES.report), htmlPage(page));

    if (command.json) for (const model of result.models) printJson(modelJson(model));
    say(command, `\n${shownTables(result).map(plainTable).join("\n\n")}\n`);
    remark(command, metricNotes(result));
    say(command, `All metrics, by series and by step: ${shortPath(join(folder, FILES.metrics))}`);
    say(command, `The report is ${shortPath(join(folder, FILES.report))}; open it in a browser.`);
  });
}

/** How the past is cut, in a sentence. */
function windowsText({ windows, stepSize, refit, inputSize }: RollingPlan): string {
  const cut = windows === 1 ? "One cutoff" : `${count(windows)} cutoffs, ${countOf(stepSize, "step")} apart`;
  const rows =
    inputSize === 1 ? "the row" : inputSize === undefined ? "all rows" : `${count(inputSize)} rows`;
  const anew =
    windows === 1
      ? ""
      : refit === 0
        ? "; learned at the first"
        : `; learned anew at every ${refit === 1 ? "one" : `${refit} of them`}`;
  return `${cut}, ${windows === 1 ? "" : "each "}with ${rows} before it${anew}.`;
}
