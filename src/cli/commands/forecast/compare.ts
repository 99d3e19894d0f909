// `gflownet forecast compare`: backtests of models over files and seeds, as one table per file.

import { basename } from "node:path";
import type { ModelResult } from "../../../forecast/backtest/index.ts";
import { digitsFor, plainTable, type Table } from "../../../report/tables.ts";
import { countOf } from "../../../report/text-table.ts";
import { printJson } from "../../output.ts";
import { modelJson, valuesOf } from "./backtest-tables.ts";
import { isLearned } from "./contestants.ts";
import { modelSettingsOf } from "./model-flags.ts";
import { Progress } from "./progress.ts";
import { type RollingFlags, rollingPlan, runRolling } from "./rolling.ts";
import { dataText, horizonText, observedSource } from "./source.ts";
import { type Printing, remark, say, working } from "./working.ts";

export interface CompareCommand extends RollingFlags, Printing {
  readonly seeds?: number;
}

const METRICS = ["MAE", "MASE", "WQL", "CRPS"];
/** Digits of the largest value of a column. */
const DIGITS = 4;

export async function compare(files: readonly string[], command: CompareCommand): Promise<void> {
  await working(async (signal) => {
    // What is wrong with both or neither is said where the one file is read.
    const typed = command.demo || files.length === 0 ? [files[0]] : files;
    // All are looked at before anything is learned, and read again in turn: one at a time is in memory.
    if (typed.length > 1) for (const file of typed) await plannedOn(file, command);
    for (const file of typed) await compareOn(file, command, signal);
  });
}

async function plannedOn(file: string | undefined, command: CompareCommand) {
  const opened = await observedSource(file, command);
  return { ...opened, plan: rollingPlan(command, opened.panel) };
}

/** Baselines draw nothing, and run once. */
async function compareOn(
  file: string | undefined,
  command: CompareCommand,
  signal: AbortSignal,
): Promise<void> {
  const { flags, source, panel, notes, plan } = await plannedOn(file, command);
  remark(command, notes);
  const seeds = command.seeds ?? 3;
  const name = basename(source.path);
  say(
    command,
    `${dataText(source)}; ${horizonText(plan.horizon, panel)} ahead, ${countOf(plan.windows, "window")}.`,
  );
  const found = new Map<string, ModelResult[]>();
  const progress = new Progress(command.json || command.quiet ? undefined : process.stdout);
  for (let seed = 0; seed < seeds; seed++) {
    const models = seed === 0 ? plan.models : plan.models.filter(isLearned);
    if (models.length === 0) break;
    const settings = { ...modelSettingsOf({ ...command }), seed };
    const result = await runRolling(
      panel,
      { ...plan, models },
      { settings, fill: flags.fill, signal, progress },
    );
    if (seed === 0) remark(command, result.notes);
    for (const model of result.models) {
      // The reference is added to every backtest.
      if (seed > 0 && !model.cases[0].forecast.paths) continue;
      found.set(model.name, [...(found.get(model.name) ?? []), model]);
      if (command.json) printJson({ file: name, seed, ...modelJson(model) });
    }
  }
  say(command, `\n${plainTable(tableOf(found, plan.levels, seeds))}\n`);
}

function tableOf(
  found: ReadonlyMap<string, readonly ModelResult[]>,
  levels: readonly number[],
  seeds: number,
): Table {
  const metrics = [...METRICS, ...levels.map((level) => `coverage-${level}`)];
  const models = [...found].map(([name, runs]) => ({
    name,
    values: runs.map((run) => valuesOf(run.metrics.overall)),
  }));
  const digits = metrics.map((metric) =>
    digitsFor(
      models.flatMap(({ values }) => values.map((one) => one[metric] ?? Number.NaN)),
      DIGITS,
    ),
  );
  return {
    caption: `What is learned: mean ± standard deviation over ${seeds} seed${seeds === 1 ? "" : "s"}; the others are the same for every seed`,
    columns: ["model", ...metrics, "seconds"],
    rows: models.map(({ name, values }) => ({
      name,
      cells: [
        ...metrics.map((metric, i) => ({
          seeds: values.map((one) => one[metric] ?? Number.NaN),
          digits: digits[i],
        })),
        {
          seeds: found.get(name)!.map(({ fitSeconds, predictSeconds }) => fitSeconds + predictSeconds),
          digits: 1,
        },
      ],
    })),
  };
}
