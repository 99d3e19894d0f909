// Measures forecasters on one data set: rolling windows at the end, fitted once before the first window.

import { type BacktestCase, runBacktest } from "../../src/forecast/backtest/index.ts";
import { DECILES, wql } from "../../src/forecast/metrics/index.ts";
import type { Forecaster, Panel } from "../../src/forecast/types.ts";
import type { DataSet } from "./data-sets.ts";

export interface BacktestSize {
  readonly windows: number;
  /** Largest number of training iterations. Default: the default of the model. */
  readonly iterations?: number;
  /** Number of rows before each window that forecasters use. Default: all. */
  readonly inputSize?: number;
}

/** Results of one forecaster over all windows. */
export interface BacktestResult {
  readonly name: string;
  readonly mase: number;
  readonly wql: number;
  /** WQL of the last window alone, as in published tables. */
  readonly lastWql: number;
  /** Share of actual values inside the 80 % interval. */
  readonly coverage: number;
  /** Wall-clock seconds of fitting. */
  readonly fitSeconds: number;
  /** Number of forecasts per second; each is for one window of one series. */
  readonly rate: number;
}

/** The results of each forecaster, in the order of the forecasters. */
export async function measure(
  panel: Panel,
  { horizon }: DataSet,
  { windows, inputSize }: BacktestSize,
  forecasters: readonly Forecaster[],
): Promise<BacktestResult[]> {
  const { models, quantiles } = await runBacktest({
    panel,
    forecasters,
    horizon,
    windows,
    inputSize,
    refit: 0,
    levels: [80],
  });
  const wqlOf = (cases: readonly BacktestCase[]) => wql(quantiles, DECILES)(cases).value!;
  return models.map(({ name, metrics, cases, fitSeconds, predictSeconds }) => ({
    name,
    mase: metrics.overall.MASE.value!,
    wql: metrics.overall.WQL.value!,
    lastWql: wqlOf(cases.filter(({ window }) => window === windows)),
    coverage: metrics.overall["coverage-80"].value!,
    fitSeconds,
    rate: cases.length / predictSeconds,
  }));
}
