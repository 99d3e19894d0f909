// Backtests as `backtest` and `compare` run them: what was typed, made complete; and progress on the way.

import { type BacktestOptions, type BacktestResult, backtest } from "../../../forecast/backtest/index.ts";
import type { Spread } from "../../../forecast/baselines/index.ts";
import type { Panel } from "../../../forecast/types.ts";
import { count, countOf } from "../../../report/text-table.ts";
import { UsageError } from "../../fail.ts";
import { type ContestantOptions, checkSpread, contestantOf, isLearned } from "./contestants.ts";
import { ALL_MODELS, type TypedModel } from "./model-flags.ts";
import type { Progress } from "./progress.ts";
import { checkHorizon, DEMO } from "./source.ts";

const REFERENCE = "seasonal-naive";

/** How the past is cut and what is measured, as typed. */
export interface RollingFlags {
  readonly demo?: boolean;
  readonly horizon?: number;
  readonly nWindows?: number;
  readonly stepSize?: number;
  readonly refit?: number;
  readonly inputSize?: number;
  readonly level?: readonly number[];
  readonly models?: readonly TypedModel[];
  readonly spread?: Spread;
}

/** The same, complete. */
export interface RollingPlan
  extends Required<Pick<BacktestOptions, "horizon" | "windows" | "stepSize" | "refit" | "levels">>,
    Pick<BacktestOptions, "inputSize"> {
  readonly models: readonly TypedModel[];
  readonly spread?: Spread;
}

export function rollingPlan(flags: RollingFlags, panel: Panel): RollingPlan {
  const horizon = checkHorizon(flags.horizon ?? (flags.demo ? DEMO.horizon : undefined), panel);
  const plan = {
    horizon,
    windows: flags.nWindows ?? (flags.demo ? DEMO.windows : 1),
    stepSize: flags.stepSize ?? horizon,
    refit: flags.refit ?? 0,
    levels: flags.level ?? [80, 95],
    inputSize: flags.inputSize,
    models: flags.models ?? ALL_MODELS,
    spread: flags.spread,
  };
  checkSpread(plan.models, plan.spread);
  checkWindows(plan, panel);
  return plan;
}

/** Refuses cutoffs that no series has rows before; what is learned needs two of them. */
function checkWindows({ horizon, windows, stepSize, models }: RollingPlan, { series }: Panel): void {
  const longest = series.reduce((most, { times }) => Math.max(most, times.length), 0);
  const least = horizon + (windows - 1) * stepSize + (models.some(isLearned) ? 2 : 1);
  if (longest >= least) return;
  throw new UsageError(
    `${countOf(windows, "window")} of ${countOf(horizon, "step")}, ${count(stepSize)} apart, ` +
      `need a series of at least ${countOf(least, "row")}, got ${count(longest)}; lower --n-windows, --step-size or --horizon`,
  );
}

export async function runRolling(
  panel: Panel,
  { models, spread, ...plan }: RollingPlan,
  options: Pick<ContestantOptions, "settings" | "fill"> & {
    readonly signal: AbortSignal;
    readonly progress: Progress;
  },
): Promise<BacktestResult> {
  const { settings, fill, signal, progress } = options;
  const onEvent: ContestantOptions["onEvent"] = (model, event) => progress.training(model, event);
  // What skill is measured against goes by the same quantiles as the other baselines.
  const reference = models.some(({ name }) => name === REFERENCE)
    ? []
    : [{ text: REFERENCE, name: REFERENCE, settings: {} }];
  const forecasters = [...models, ...reference].map((model) =>
    contestantOf(model, { horizon: plan.horizon, settings, spread, fill, onEvent }),
  );
  try {
    for await (const event of backtest({ panel, forecasters, signal, ...plan })) {
      if (event.type === "done") return event.result;
      if (event.type !== "predicted") continue;
      progress.show(event.window / plan.windows, [`window ${event.window}/${plan.windows}`, event.model]);
    }
  } finally {
    progress.clear();
  }
  throw new Error("internal: a backtest must end with its result");
}
