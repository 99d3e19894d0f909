// The windows of a backtest: the rows that a forecaster sees, and the actual values after the cutoff.

import type { CovariateValues, Panel, Series } from "../types.ts";

/** Number, length and position of rolling windows. */
export interface WindowLayout {
  readonly horizon: number;
  /** Number of windows; the last one ends with the data. */
  readonly windows: number;
  /** Steps from one window to the next. */
  readonly stepSize: number;
  /** Number of rows before the cutoff that the forecaster sees. Default: all. */
  readonly inputSize?: number;
  /**
   * `series`: windows are counted from the end of each series, so that none falls out because it ends earlier. `time`: all
   * series have the same cutoff time, so no series shows values from after it; series with less than a horizon after it
   * are skipped.
   */
  readonly align: "time" | "series";
  /**
   * With `time`: the cutoff time of each window. Default: counted from the end of the series that ends last. A part of a
   * panel needs those of the whole panel.
   */
  readonly cutoffs?: readonly number[];
}

/** One window: the panel up to the cutoff, and the actual values after it. */
export interface BacktestWindow {
  readonly panel: Panel;
  /** Actual values after the cutoff, in the order of the panel's series. */
  readonly actuals: readonly SeriesActuals[];
  /** One sentence per series that is not in this window, with the reason. */
  readonly skipped: readonly string[];
  /** Ids of these series, in the same order. */
  readonly skippedIds: readonly string[];
}

/** The actual values of one series after a cutoff. */
export interface SeriesActuals {
  readonly id: string;
  /** Last time before the forecast. */
  readonly cutoff: number;
  readonly times: Float64Array; // [H]
  /** One array per target. */
  readonly targets: readonly Float64Array[]; // each [H]
  /** One array per target: all values up to the cutoff, regardless of the input size. */
  readonly past: readonly Float64Array[];
}

/** The window with this index; 0 is the earliest. All arrays are copies, so a forecaster cannot reach later values. */
export function cutWindow(panel: Panel, layout: WindowLayout, index: number): BacktestWindow {
  const cutoff = commonCutoff(panel, layout, index);
  const series: Series[] = [];
  const actuals: SeriesActuals[] = [];
  const skipped: string[] = [];
  const skippedIds: string[] = [];
  for (const one of panel.series) {
    const cut = cutOf(one, layout, index, cutoff);
    const problem = problemOf(one, cut, layout.horizon);
    if (problem) {
      skipped.push(`series ${JSON.stringify(one.id)} is skipped in window ${index + 1}: ${problem}`);
      skippedIds.push(one.id);
      continue;
    }
    series.push(seriesBefore(panel, one, cut, layout));
    actuals.push({
      id: one.id,
      cutoff: one.times[cut - 1],
      times: one.times.slice(cut, cut + layout.horizon),
      targets: one.targets.map((values) => values.slice(cut, cut + layout.horizon)),
      past: one.targets.map((values) => values.slice(0, cut)),
    });
  }
  return { panel: { ...panel, series }, actuals, skipped, skippedIds };
}

/** The number of series that are in at least one window. */
export function countJudged(panel: Panel, layout: WindowLayout): number {
  const judged = new Set<string>();
  for (let index = 0; index < layout.windows; index++) {
    const cutoff = commonCutoff(panel, layout, index);
    for (const one of panel.series) {
      if (problemOf(one, cutOf(one, layout, index, cutoff), layout.horizon) === null) judged.add(one.id);
    }
  }
  return judged.size;
}

/** The common cutoff time of each window, from the times of the series that `endsLater` prefers to all others. */
export function windowCutoffs(times: Float64Array, layout: WindowLayout): number[] {
  return Array.from({ length: layout.windows }, (_, index) =>
    cutoffBefore(times, rowsFromEnd(layout, index)),
  );
}

/** Whether the cutoffs are counted from the end of series a rather than of b: it ends later, or is longer. */
export function endsLater(a: Float64Array, b: Float64Array): boolean {
  const [endOfA, endOfB] = [a, b].map((times) => times.at(-1) ?? Number.NEGATIVE_INFINITY);
  // If several series end last, the longest, because its cutoffs reach furthest back.
  return endOfA > endOfB || (endOfA === endOfB && a.length > b.length);
}

/** Rows from the cutoff of a window to the end. */
function rowsFromEnd({ horizon, windows, stepSize }: WindowLayout, index: number): number {
  return horizon + (windows - 1 - index) * stepSize;
}

/** The cutoff time of all series; null if each has its own. */
function commonCutoff(panel: Panel, layout: WindowLayout, index: number): number | null {
  if (layout.align === "series") return null;
  return layout.cutoffs?.[index] ?? cutoffBefore(lastTimes(panel), rowsFromEnd(layout, index));
}

/** Number of rows of a series before the cutoff; not above 0 if there are none. */
function cutOf({ times }: Series, layout: WindowLayout, index: number, cutoff: number | null): number {
  return cutoff === null ? times.length - rowsFromEnd(layout, index) : countUpTo(times, cutoff);
}

function lastTimes({ series }: Panel): Float64Array {
  return series.map(({ times }) => times).reduce((a, b) => (endsLater(b, a) ? b : a));
}

function cutoffBefore(times: Float64Array, fromEnd: number): number {
  return times[times.length - fromEnd - 1] ?? Number.NEGATIVE_INFINITY;
}

function countUpTo(times: Float64Array, cutoff: number): number {
  const after = times.findIndex((time) => time > cutoff);
  return after < 0 ? times.length : after;
}

function problemOf({ times, targets }: Series, cut: number, horizon: number): string | null {
  if (cut < 1) return "it has no rows before the cutoff";
  if (cut + horizon > times.length)
    return `it has ${times.length - cut} of ${horizon} steps after the cutoff`;
  const isUnobserved = targets.some((values) => !values.subarray(0, cut).some(Number.isFinite));
  return isUnobserved ? "a target has no observed value before the cutoff" : null;
}

/** The rows before the cut, and the future times with their known covariates. */
function seriesBefore(
  panel: Panel,
  series: Series,
  cut: number,
  { horizon, inputSize }: WindowLayout,
): Series {
  const from = inputSize === undefined ? 0 : Math.max(0, cut - inputSize);
  const knownInFuture = panel.covariates.filter(
    (covariate) => covariate.knownInFuture && covariate.name in series.covariates,
  );
  return {
    id: series.id,
    times: series.times.slice(from, cut),
    targets: series.targets.map((values) => values.slice(from, cut)),
    covariates: Object.fromEntries(
      Object.entries(series.covariates).map(([name, values]): [string, CovariateValues] => [
        name,
        values.slice(from, cut),
      ]),
    ),
    statics: series.statics,
    future: {
      times: series.times.slice(cut, cut + horizon),
      covariates: Object.fromEntries(
        knownInFuture.map(({ name }): [string, CovariateValues] => [
          name,
          series.covariates[name].slice(cut, cut + horizon),
        ]),
      ),
    },
  };
}
