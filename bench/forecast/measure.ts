// What forecasters do on one set: rolling windows at the end, fitted once, before the first of them.

import { type BacktestCase, runBacktest } from "../../src/forecast/backtest/index.ts";
import { NINE_DECILES, wql } from "../../src/forecast/metrics/index.ts";
import type { Forecaster, Panel } from "../../src/forecast/types.ts";
import type { ForecastSet } from "./sets.ts";

export interface Extent {
  readonly windows: number;
  /** Iterations of training at most; the model's own number unless told. */
  readonly iterations?: number;
  /** Rows before each window that are seen; all unless told. */
  readonly inputSize?: number;
}

/** Numbers of one forecaster over all windows. */
export interface Measured {
  readonly name: string;
  readonly mase: number;
  readonly wql: number;
  /** Of the last window alone, which is the one that published tables have. */
  readonly lastWql: number;
  /** Share of the truth within the 80 % interval. */
  readonly coverage: number;
  /** Seconds on the clock of fitting. */
  readonly fitSeconds: number;
  /** Forecasts of a series per second. */
  readonly rate: number;
}

/** One for each forecaster, in order. */
export async function measure(
  panel: Panel,
  { horizon }: ForecastSet,
  { windows, inputSize }: Extent,
  forecasters: readonly Forecaster[],
): Promise<Measured[]> {
  const { models, quantiles } = await runBacktest({
    panel,
    forecasters,
    horizon,
    windows,
    inputSize,
    refit: 0,
    levels: [80],
  });
  const wqlOf = (cases: readonly BacktestCase[]) => wql(quantiles, NINE_DECILES)(cases).value!;
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
