// A backtest of forecasters by name: completes its options, checks that the data suffice, and runs it.

import { UserError } from "../../issues.ts";
import { formatCount, formatCountOf } from "../../report/text-format.ts";
import type { PredictiveDistribution } from "../baselines/index.ts";
import { checkedHorizon, longestSeries } from "../data/usable-panel.ts";
import {
  ALL_FORECASTERS,
  checkPredictiveDistribution,
  type ForecasterByNameOptions,
  type ForecasterSpec,
  forecastersByName,
  isLearned,
} from "../forecasters/forecaster-by-name.ts";
import type { Panel } from "../types.ts";
import { type BacktestEvent, type BacktestOptions, backtest } from "./backtest.ts";

/** Options of a backtest with forecasters by name. */
export interface BacktestPlanOptions
  extends Pick<
    BacktestOptions,
    "windows" | "stepSize" | "refit" | "inputSize" | "levels" | "align" | "seconds"
  > {
  readonly horizon?: number;
  /** Quantiles that become columns of the forecasts. Default: none. */
  readonly quantiles?: readonly number[];
  /** Default: all forecasters. */
  readonly models?: readonly ForecasterSpec[];
  readonly predictiveDistribution?: PredictiveDistribution;
}

/** Backtest options with all defaults filled in. */
export interface BacktestPlan
  extends Required<Pick<BacktestOptions, "horizon" | "windows" | "stepSize" | "refit" | "levels" | "align">>,
    Pick<BacktestOptions, "inputSize" | "seconds"> {
  readonly quantiles: readonly number[];
  readonly models: readonly ForecasterSpec[];
  readonly predictiveDistribution?: PredictiveDistribution;
}

const REFERENCE: ForecasterSpec = { name: "seasonal-naive" };

/** Completes the options: one window, windows without overlap, one fit, levels 80 and 95. Throws if the panel is too short. */
export function backtestPlan(options: BacktestPlanOptions, panel: Panel): BacktestPlan {
  return planForLongest(options, longestSeries(panel));
}

/** As `backtestPlan`, with the number of rows of the longest series. */
export function planForLongest(options: BacktestPlanOptions, longest: number): BacktestPlan {
  const horizon = checkedHorizon(options.horizon, longest);
  const plan = {
    horizon,
    windows: options.windows ?? 1,
    stepSize: options.stepSize ?? horizon,
    refit: options.refit ?? 0,
    align: options.align ?? ("series" as const),
    levels: options.levels ?? [80, 95],
    quantiles: options.quantiles ?? [],
    inputSize: options.inputSize,
    seconds: options.seconds,
    models: options.models ?? ALL_FORECASTERS,
    predictiveDistribution: options.predictiveDistribution,
  };
  checkPredictiveDistribution(plan.models, plan.predictiveDistribution);
  checkWindows(plan, longest);
  return plan;
}

/** Runs a planned backtest. The reference of skill scores has the same predictive distribution as the other baselines. */
export function runBacktestPlan(
  panel: Panel,
  { models, predictiveDistribution, quantiles, ...plan }: BacktestPlan,
  options: Pick<ForecasterByNameOptions, "settings" | "fill" | "floor" | "onTrainingEvent"> &
    Pick<BacktestOptions, "signal">,
): AsyncGenerator<BacktestEvent, void> {
  const { signal, ...forecasterOptions } = options;
  const forecasters = forecastersByName(withReference(models), {
    ...forecasterOptions,
    ...{ horizon: plan.horizon, predictiveDistribution },
  });
  return backtest({ panel, forecasters, signal, columnQuantiles: quantiles, ...plan });
}

/** The forecasters with the reference of skill scores, which is added if it is missing. */
export function withReference(models: readonly ForecasterSpec[]): readonly ForecasterSpec[] {
  return models.some(({ name }) => name === REFERENCE.name) ? models : [...models, REFERENCE];
}

/** Throws if no series has rows before the first cutoff. Learned forecasters need two such rows; others work with one. */
function checkWindows({ horizon, windows, stepSize, models }: BacktestPlan, longest: number): void {
  const needed = horizon + (windows - 1) * stepSize + (models.every(isLearned) ? 2 : 1);
  if (longest >= needed) return;
  const message =
    `${formatCountOf(windows, "window")} of ${formatCountOf(horizon, "step")}, ${formatCount(stepSize)} apart, ` +
    `need a series of at least ${formatCountOf(needed, "row")}, got ${formatCount(longest)}; ` +
    "lower the number of windows, the step size or the horizon";
  throw new UserError([{ path: "windows", code: "range", message }]);
}
