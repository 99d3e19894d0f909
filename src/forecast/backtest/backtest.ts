// Rolling backtest: fits forecasters at past cutoffs and evaluates their forecasts against the actual values after them.

import { UserError } from "../../issues.ts";
import { formatCount, formatCountOf } from "../../report/text-format.ts";
import { SEASONAL_NAIVE, seasonalNaive } from "../baselines/index.ts";
import {
  DECILES,
  type ForecastCase,
  type ForecastMetrics,
  forecastMetrics,
  intervalQuantiles,
  type MetricOptions,
  type MetricValues,
  seriesScale,
  skillScores,
} from "../metrics/index.ts";
import { TooLittleData } from "../too-little-data.ts";
import type {
  FittedForecaster,
  Forecast,
  Forecaster,
  ForecasterFitOptions,
  ForecasterKind,
  ForecastRequest,
  Frequency,
  Panel,
} from "../types.ts";
import { substituteNotes } from "./substitutes.ts";
import { TimeBudget } from "./time-budget.ts";
import { checkBacktestOptions, checkForecasts } from "./validation.ts";
import { type BacktestWindow, cutWindow, type SeriesActuals, type WindowLayout } from "./windows.ts";

/** Options of `backtest`. */
export interface BacktestOptions {
  readonly panel: Panel;
  /** The seasonal naive forecast is added if it is missing, because it is the reference of skill scores. */
  readonly forecasters: readonly Forecaster[];
  readonly horizon: number;
  /** Number of windows. Default: 1. */
  readonly windows?: number;
  /** Steps from one cutoff to the next. Default: the horizon, so that windows do not overlap. */
  readonly stepSize?: number;
  /** 0: fit at the first cutoff only; k: fit at every k-th cutoff. Default: 1. Forecasts always use all rows up to the cutoff. */
  readonly refit?: number;
  /** Number of rows before the cutoff that forecasters see (sliding window). Default: all (expanding window). */
  readonly inputSize?: number;
  /** See `WindowLayout`. Default: `series`. */
  readonly align?: "time" | "series";
  /** See `WindowLayout`. Default: from the end of the series that ends last. */
  readonly cutoffs?: readonly number[];
  /** Quantiles to average WQL over. Default: 0.1 to 0.9. */
  readonly quantiles?: readonly number[];
  /** Levels of central intervals in percent. Default: 80 and 95. */
  readonly levels?: readonly number[];
  /** Quantiles to forecast for the table of forecasts, besides the bounds of the intervals. Default: none. */
  readonly columnQuantiles?: readonly number[];
  /** Season for the scale of MASE, RMSSE and MSIS. Default: the season of the panel. */
  readonly season?: number;
  /** Number of paths for forecasters that sample paths. */
  readonly samples?: number;
  /** Time budget: training of learned forecasters ends early, and windows that are not reached are left out. Default: none. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

/** Progress of a backtest, and its result at the end. */
export type BacktestEvent =
  | {
      readonly type: "window";
      readonly window: number;
      readonly windows: number;
      readonly series: number;
      /** Latest time that a forecaster sees. */
      readonly cutoff: number;
    }
  | { readonly type: "fitted"; readonly window: number; readonly model: string; readonly seconds: number }
  | { readonly type: "predicted"; readonly window: number; readonly model: string; readonly seconds: number }
  | { readonly type: "done"; readonly result: BacktestResult };

/** Metrics and forecasts of all models of a backtest. */
export interface BacktestResult {
  /** Frequency of the panel. */
  readonly frequency: Frequency | null;
  readonly models: readonly ModelResult[];
  /** All forecast quantiles, increasing. */
  readonly quantiles: readonly number[];
  readonly levels: readonly number[];
  /** Quantiles for the table of forecasts. */
  readonly columnQuantiles: readonly number[];
  /** One sentence per skipped series, with the reason. */
  readonly notes: readonly string[];
}

/** Metrics of one model of a backtest. */
export interface ModelScores {
  readonly name: string;
  readonly kind: ForecasterKind;
  readonly metrics: ForecastMetrics;
  /** Overall skill scores against the seasonal naive forecast. */
  readonly skill: MetricValues;
}

/** Metrics and forecasts of one model of a backtest. */
export interface ModelResult extends ModelScores {
  /** All forecasts with their actual values, window by window. */
  readonly cases: readonly BacktestCase[];
  readonly fitSeconds: number;
  readonly predictSeconds: number;
}

/** One forecast of a backtest with the values that followed. */
export interface BacktestCase extends ForecastCase {
  /** Number of the window; 1 is the earliest. */
  readonly window: number;
  /** Last time before the forecast. */
  readonly cutoff: number;
  readonly times: Float64Array; // [H]
}

/** The forecasts of all windows, without metrics. */
export interface WindowForecasts {
  readonly models: readonly Pick<ModelResult, "name" | "kind" | "cases" | "fitSeconds" | "predictSeconds">[];
  /** One sentence per forecaster that is left out, and about windows that were not reached. */
  readonly remarks: readonly string[];
  readonly metricOptions: Required<MetricOptions>;
  readonly skipped: readonly { readonly id: string; readonly window: number; readonly note: string }[];
}

/** Runs the backtest and yields events; the last event has the result. */
export async function* backtest(options: BacktestOptions): AsyncGenerator<BacktestEvent, void> {
  const { models, remarks, metricOptions, skipped } = yield* forecastWindows(options);
  const notes = [...remarks, ...substituteNotes(models), ...skipped.map(({ note }) => note)];
  if (models[0].cases.length === 0) throw noForecasts(options, skipped[0].note);
  const results = withSkill(
    models.map((model) => ({ ...model, metrics: forecastMetrics(model.cases, metricOptions) })),
  );
  const { quantiles, levels } = metricOptions;
  yield {
    type: "done",
    result: {
      ...{ frequency: options.panel.frequency, models: results, quantiles, levels },
      columnQuantiles: options.columnQuantiles ?? [],
      notes,
    },
  };
}

/** Adds the skill scores against the seasonal naive forecast, which is among the models. */
export function withSkill<T extends Omit<ModelScores, "skill">>(
  models: readonly T[],
): (T & Pick<ModelScores, "skill">)[] {
  const reference = models.find(({ name }) => name === SEASONAL_NAIVE)!;
  return models.map((model) => ({
    ...model,
    skill: skillScores(model.metrics.overall, reference.metrics.overall),
  }));
}

/** The error of a backtest in which no window has a series. */
export function noForecasts(
  { horizon, windows = 1 }: Pick<BacktestOptions, "horizon" | "windows">,
  note: string,
): UserError {
  const layout = `${formatCountOf(windows, "window")} of ${formatCountOf(horizon, "step")}`;
  const message = `no series has rows before the first of ${layout}: ${note}`;
  return new UserError([{ path: "windows", code: "range", message }]);
}

/** Forecasts all windows; there may be none. */
export async function* forecastWindows(
  options: BacktestOptions,
): AsyncGenerator<Exclude<BacktestEvent, { readonly type: "done" }>, WindowForecasts> {
  checkBacktestOptions(options);
  const { panel, horizon, signal, samples, refit = 1, levels = [80, 95] } = options;
  const metricOptions = backtestMetrics(levels, options.quantiles, options.columnQuantiles);
  const { quantiles } = metricOptions;
  const layout: WindowLayout = {
    horizon,
    windows: options.windows ?? 1,
    stepSize: options.stepSize ?? horizon,
    inputSize: options.inputSize,
    align: options.align ?? "series",
    cutoffs: options.cutoffs,
  };
  let states = withReference(options.forecasters).map(newState);
  const remarks: string[] = [];
  const budget = new TimeBudget(options.seconds);
  const skipped: { id: string; window: number; note: string }[] = [];

  for (let number = 0; number < layout.windows; number++) {
    if (budget.isOver && states[0].cases.length > 0) {
      const reached = formatCountOf(number, "window");
      remarks.push(
        `the time budget of ${options.seconds} s ended after ${reached} of ${formatCount(layout.windows)}`,
      );
      break;
    }
    const window = cutWindow(panel, layout, number);
    for (const [i, note] of window.skipped.entries()) {
      skipped.push({ id: window.skippedIds[i], window: number + 1, note });
    }
    if (window.actuals.length === 0) continue;
    const cutoff = window.actuals.reduce((latest, one) => Math.max(latest, one.cutoff), -Infinity);
    const { windows } = layout;
    yield { type: "window", window: number + 1, windows, series: window.actuals.length, cutoff };
    for (const [i, state] of states.entries()) {
      const model = state.forecaster.name;
      signal?.throwIfAborted();
      if (!state.fitted || (refit > 0 && number % refit === 0)) {
        try {
          // The fits of learned forecasters that are still to come share the time that is left.
          const isLearned = ({ forecaster }: ForecasterState) => forecaster.kind !== "baseline";
          const later = refit > 0 ? Math.floor((layout.windows - 1 - number) / refit) : 0;
          const fits = states.slice(i).filter(isLearned).length + later * states.filter(isLearned).length;
          const seconds = await fitAt(state, window, { signal, deadline: budget.deadlineOf(fits) });
          yield { type: "fitted", window: number + 1, model, seconds };
        } catch (error) {
          const others = states.filter((one) => one !== state);
          // Without any other forecaster than the reference there would be nothing to compare.
          const isAlone = others.every(({ forecaster }) => forecaster.name === SEASONAL_NAIVE);
          if (!(error instanceof TooLittleData) || isAlone) throw error;
          remarks.push(
            `${model} is left out, because the rows before the first cutoff are too few: ${error.message}`,
          );
          states = others;
          continue;
        }
      }
      signal?.throwIfAborted();
      const request: ForecastRequest = { horizon, quantiles, samples, signal };
      const seconds = await predictAt(state, window, request, number + 1, options.season ?? panel.season);
      yield { type: "predicted", window: number + 1, model, seconds };
    }
  }
  return {
    models: states.map(({ forecaster: { name, kind = "learned" }, cases, fitSeconds, predictSeconds }) => ({
      ...{ name, kind },
      cases,
      fitSeconds,
      predictSeconds,
    })),
    ...{ remarks, metricOptions, skipped },
  };
}

/**
 * Runs a backtest and returns its result.
 *
 * @example
 * ```ts
 * import { backtests, baselines, data } from "gflownet/forecast";
 *
 * const steps = Array.from({ length: 24 }, (_, t) => t);
 * const table = data.tableFromColumns({ times: steps, timesAreSteps: true, targets: { y: steps.map((t) => t % 4) } });
 * const { panel } = data.panelFromTable(table, { season: 4 });
 * const forecasters = [baselines.naive(), baselines.seasonalNaive()];
 * const { models } = await backtests.runBacktest({ panel, forecasters, horizon: 4, windows: 2 });
 * for (const { name, metrics } of models) console.log(name, metrics.overall.MAE.value);
 * ```
 */
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult> {
  for await (const event of backtest(options)) {
    if (event.type === "done") return event.result;
  }
  throw new Error("internal: a backtest must end with its result");
}

/** A forecaster with its forecasts and times so far. */
interface ForecasterState {
  readonly forecaster: Forecaster;
  readonly cases: BacktestCase[];
  fitted?: FittedForecaster;
  fitSeconds: number;
  predictSeconds: number;
}

function newState(forecaster: Forecaster): ForecasterState {
  return { forecaster, cases: [], fitSeconds: 0, predictSeconds: 0 };
}

function withReference(forecasters: readonly Forecaster[]): readonly Forecaster[] {
  const has = forecasters.some(({ name }) => name === SEASONAL_NAIVE);
  return has ? forecasters : [...forecasters, seasonalNaive()];
}

async function fitAt(
  state: ForecasterState,
  { panel }: BacktestWindow,
  options: ForecasterFitOptions,
): Promise<number> {
  const start = performance.now();
  state.fitted = await state.forecaster.fit(panel, options);
  const seconds = (performance.now() - start) / 1000;
  state.fitSeconds += seconds;
  return seconds;
}

async function predictAt(
  state: ForecasterState,
  { panel, actuals }: BacktestWindow,
  request: ForecastRequest,
  window: number,
  season: number,
): Promise<number> {
  const start = performance.now();
  const forecasts = await state.fitted!.predict(panel, request);
  const seconds = (performance.now() - start) / 1000;
  state.predictSeconds += seconds;
  checkForecasts(state.forecaster.name, forecasts, panel, request);
  actuals.forEach((seriesActuals, i) => {
    for (let j = 0; j < panel.targets.length; j++) {
      state.cases.push(caseOf(forecasts[i * panel.targets.length + j], seriesActuals, j, window, season));
    }
  });
  return seconds;
}

function caseOf(
  forecast: Forecast,
  { id, cutoff, times, targets, past }: SeriesActuals,
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

/** The options of the metrics of a backtest with these levels; `more` are further quantiles to forecast. */
export function backtestMetrics(
  levels: readonly number[],
  wqlQuantiles: readonly number[] = DECILES,
  more: readonly number[] = [],
): Required<MetricOptions> {
  return { quantiles: allQuantiles([...wqlQuantiles, ...more], levels), wqlQuantiles, levels };
}

/** These quantiles and the interval bounds, without duplicates, increasing. */
function allQuantiles(quantiles: readonly number[], levels: readonly number[]): number[] {
  const all = [...quantiles, ...levels.flatMap(intervalQuantiles)].sort((a, b) => a - b);
  return all.filter((q, i) => i === 0 || q - all[i - 1] > 1e-9);
}
