// Rolling backtest: forecasters fitted and asked at past cutoffs, and judged by what came after.

import { SEASONAL_NAIVE, seasonalNaive } from "../baselines/index.ts";
import {
  boundsOf,
  type Case,
  type Measures,
  type MetricTables,
  metricTables,
  NINE_DECILES,
  seriesScale,
  skill,
} from "../metrics/index.ts";
import type { FittedForecaster, Forecast, Forecaster, ForecastRequest, Frequency, Panel } from "../types.ts";
import { checkForecasts, checkOptions } from "./checks.ts";
import { cutWindow, type Outcome, type Window, type WindowPlan } from "./windows.ts";

export interface BacktestOptions {
  readonly panel: Panel;
  /** The seasonal naive forecast is added where it is not among them, as skill is measured against it. */
  readonly forecasters: readonly Forecaster[];
  readonly horizon: number;
  /** 1 by default. */
  readonly windows?: number;
  /** The horizon by default, so that windows do not overlap. */
  readonly stepSize?: number;
  /** 0: fitted at the first cutoff only; 1, the default: at each; k: at each k-th. What was seen always grows. */
  readonly refit?: number;
  /** Rows before the cutoff that are seen (sliding); all by default (expanding). */
  readonly inputSize?: number;
  /** See `WindowPlan`; `time` by default. */
  readonly align?: "time" | "series";
  /** What WQL is the mean over; 0.1 to 0.9 by default. */
  readonly quantiles?: readonly number[];
  /** Central intervals in percent; 80 and 95 by default. */
  readonly levels?: readonly number[];
  /** Season of the scale of MASE, RMSSE and MSIS; the panel's by default. */
  readonly season?: number;
  /** Paths to draw, for forecasters that can. */
  readonly samples?: number;
  readonly signal?: AbortSignal;
}

export type BacktestEvent =
  | {
      readonly type: "window";
      readonly window: number;
      readonly windows: number;
      readonly series: number;
      /** The latest time that is seen. */
      readonly cutoff: number;
    }
  | { readonly type: "fitted"; readonly window: number; readonly model: string; readonly seconds: number }
  | { readonly type: "predicted"; readonly window: number; readonly model: string; readonly seconds: number }
  | { readonly type: "done"; readonly result: BacktestResult };

export interface BacktestResult {
  /** Of the panel. */
  readonly frequency: Frequency | null;
  readonly models: readonly ModelResult[];
  /** All quantiles that were forecast, rising. */
  readonly quantiles: readonly number[];
  readonly levels: readonly number[];
  /** What was left out, and why, one sentence each. */
  readonly notes: readonly string[];
}

export interface ModelResult {
  readonly name: string;
  readonly metrics: MetricTables;
  /** 1 − metric / metric of the seasonal naive forecast, overall. */
  readonly skill: Measures;
  /** Every forecast beside what came, window by window. */
  readonly cases: readonly BacktestCase[];
  readonly fitSeconds: number;
  readonly predictSeconds: number;
}

export interface BacktestCase extends Case {
  /** Number of the window, the earliest being 1. */
  readonly window: number;
  /** The last time that was seen, in milliseconds. */
  readonly cutoff: number;
  readonly times: Float64Array; // [H]
}

/** Runs the backtest, with an event at every step of it; the last one has the result. */
export async function* backtest(options: BacktestOptions): AsyncGenerator<BacktestEvent, void> {
  checkOptions(options);
  const { panel, horizon, signal, samples, refit = 1, levels = [80, 95] } = options;
  const wqlQuantiles = options.quantiles ?? NINE_DECILES;
  const quantiles = allQuantiles(wqlQuantiles, levels);
  const plan: WindowPlan = {
    horizon,
    windows: options.windows ?? 1,
    stepSize: options.stepSize ?? horizon,
    inputSize: options.inputSize,
    align: options.align ?? "time",
  };
  const contestants = withReference(options.forecasters).map(contestantOf);
  const notes: string[] = [];

  for (let number = 0; number < plan.windows; number++) {
    const window = cutWindow(panel, plan, number);
    for (const note of window.left) notes.push(note);
    if (window.outcomes.length === 0) continue;
    const cutoff = window.outcomes.reduce((latest, one) => Math.max(latest, one.cutoff), -Infinity);
    const { windows } = plan;
    yield { type: "window", window: number + 1, windows, series: window.outcomes.length, cutoff };
    for (const contestant of contestants) {
      const model = contestant.forecaster.name;
      signal?.throwIfAborted();
      if (!contestant.fitted || (refit > 0 && number % refit === 0)) {
        const seconds = await fitAt(contestant, window, signal);
        yield { type: "fitted", window: number + 1, model, seconds };
      }
      signal?.throwIfAborted();
      const request: ForecastRequest = { horizon, quantiles, samples, signal };
      const seconds = await predictAt(
        contestant,
        window,
        request,
        number + 1,
        options.season ?? panel.season,
      );
      yield { type: "predicted", window: number + 1, model, seconds };
    }
  }
  if (contestants[0].cases.length === 0) {
    throw new RangeError(
      `backtest: ${plan.windows} window${plan.windows === 1 ? "" : "s"} of ${horizon} step${horizon === 1 ? "" : "s"} must leave something before the first, got ${notes[0]}`,
    );
  }

  const metrics = contestants.map(({ cases }) => metricTables(cases, { quantiles, wqlQuantiles, levels }));
  const reference = metrics[contestants.findIndex(({ forecaster }) => forecaster.name === SEASONAL_NAIVE)];
  const models = contestants.map(
    ({ forecaster, cases, fitSeconds, predictSeconds }, i): ModelResult => ({
      name: forecaster.name,
      metrics: metrics[i],
      skill: skill(metrics[i].overall, reference.overall),
      cases,
      fitSeconds,
      predictSeconds,
    }),
  );
  yield { type: "done", result: { frequency: panel.frequency, models, quantiles, levels, notes } };
}

/** Runs a backtest to its end, for those who do not follow it. */
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult> {
  for await (const event of backtest(options)) {
    if (event.type === "done") return event.result;
  }
  throw new Error("internal: a backtest must end with its result");
}

/** A forecaster and what has come of it so far. */
interface Contestant {
  readonly forecaster: Forecaster;
  readonly cases: BacktestCase[];
  fitted?: FittedForecaster;
  fitSeconds: number;
  predictSeconds: number;
}

function contestantOf(forecaster: Forecaster): Contestant {
  return { forecaster, cases: [], fitSeconds: 0, predictSeconds: 0 };
}

function withReference(forecasters: readonly Forecaster[]): readonly Forecaster[] {
  const has = forecasters.some(({ name }) => name === SEASONAL_NAIVE);
  return has ? forecasters : [...forecasters, seasonalNaive()];
}

async function fitAt(contestant: Contestant, { panel }: Window, signal?: AbortSignal): Promise<number> {
  const start = performance.now();
  contestant.fitted = await contestant.forecaster.fit(panel, { signal });
  const seconds = (performance.now() - start) / 1000;
  contestant.fitSeconds += seconds;
  return seconds;
}

async function predictAt(
  contestant: Contestant,
  { panel, outcomes }: Window,
  request: ForecastRequest,
  window: number,
  season: number,
): Promise<number> {
  const start = performance.now();
  const forecasts = await contestant.fitted!.predict(panel, request);
  const seconds = (performance.now() - start) / 1000;
  contestant.predictSeconds += seconds;
  checkForecasts(contestant.forecaster.name, forecasts, panel, request);
  outcomes.forEach((outcome, i) => {
    for (let j = 0; j < panel.targets.length; j++) {
      contestant.cases.push(caseOf(forecasts[i * panel.targets.length + j], outcome, j, window, season));
    }
  });
  return seconds;
}

function caseOf(
  forecast: Forecast,
  { id, cutoff, times, targets, past }: Outcome,
  target: number,
  window: number,
  season: number,
): BacktestCase {
  return {
    id,
    target: forecast.target,
    actual: targets[target],
    forecast,
    scale: seriesScale(past[target], season),
    window,
    cutoff,
    times,
  };
}

/** Those of WQL and those that bound the intervals, each once, rising. */
function allQuantiles(wqlQuantiles: readonly number[], levels: readonly number[]): number[] {
  const all = [...wqlQuantiles, ...levels.flatMap(boundsOf)].sort((a, b) => a - b);
  return all.filter((q, i) => i === 0 || q - all[i - 1] > 1e-9);
}
