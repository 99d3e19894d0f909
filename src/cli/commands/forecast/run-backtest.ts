// The common part of `backtest` and `compare`: the plan from flags, and a backtest with progress.

import type { BacktestResult } from "../../../forecast/backtest/backtest.ts";
import {
  type BacktestPlan,
  type BacktestPlanOptions,
  backtestPlan,
  runBacktestPlan,
} from "../../../forecast/backtest/plan.ts";
import { DEMO } from "../../../forecast/data/panel-file.ts";
import {
  ALL_FORECASTERS,
  checkLearnedSettings,
  type LearnedSettings,
} from "../../../forecast/forecasters/forecaster-by-name.ts";
import { ProgressLine } from "../../progress-line.ts";
import { type CommandData, type DataCommand, horizonOf, readUsableData } from "./command-data.ts";
import { modelSettings } from "./model-flags.ts";
import { showTraining } from "./progress.ts";

export type BacktestFlags = BacktestPlanOptions & DataCommand;

export interface PlannedBacktest extends CommandData {
  readonly plan: BacktestPlan;
}

/** Reads the data and completes the plan. */
export async function planBacktest(
  path: string | undefined,
  flags: BacktestFlags,
  signal: AbortSignal,
): Promise<PlannedBacktest> {
  const { horizon, models = ALL_FORECASTERS } = flags;
  await checkLearnedSettings(models, { horizon, settings: modelSettings(flags) });
  const data = await readUsableData(path, flags, signal);
  const windows = flags.windows ?? (flags.demo ? DEMO.windows : undefined);
  return { ...data, plan: backtestPlan({ ...flags, horizon: horizonOf(flags), windows }, data.panel) };
}

/** Runs a backtest and shows its progress. */
export async function runWithProgress(
  { panel, options, plan }: PlannedBacktest,
  settings: LearnedSettings,
  { json, quiet }: BacktestFlags,
  signal: AbortSignal,
): Promise<BacktestResult> {
  const progress = new ProgressLine(json || quiet ? undefined : process.stdout);
  const events = runBacktestPlan(panel, plan, {
    ...{ settings, fill: options.fill, floor: options.floor, signal },
    onTrainingEvent: (model, event) => showTraining(progress, model, event),
  });
  try {
    for await (const event of events) {
      if (event.type === "done") return event.result;
      if (event.type !== "predicted") continue;
      progress.show(`window ${event.window}/${plan.windows}  ${event.model}`, event.window / plan.windows);
    }
  } finally {
    progress.clear();
  }
  throw new Error("internal: a backtest must end with its result");
}
