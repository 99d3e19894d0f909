// Where a backtest cuts: which rows a forecaster may see, and what came after.

import type { CovariateValues, Panel, Series } from "../types.ts";

/** How rolling windows lie. */
export interface WindowPlan {
  readonly horizon: number;
  /** How many windows, the last one ending with the data. */
  readonly windows: number;
  /** Steps from one window to the next. */
  readonly stepSize: number;
  /** So many rows before the cutoff are seen; all by default. */
  readonly inputSize?: number;
  /**
   * `time`: a cutoff is one moment for all series, so nothing of any series is seen from after it; series without a whole
   * horizon after it are left out. `series`: every series is cut at its own end, as fits series that have nothing to do
   * with each other.
   */
  readonly align: "time" | "series";
}

/** One window: the panel up to the cutoff, and what came after, series by series. */
export interface Window {
  readonly panel: Panel;
  /** What came after the cutoff, of the series of `panel`, in that order. */
  readonly outcomes: readonly Outcome[];
  /** Series that are not in this window, and why. */
  readonly left: readonly string[];
}

export interface Outcome {
  readonly id: string;
  /** The last time that was seen. */
  readonly cutoff: number;
  readonly times: Float64Array; // [H]
  /** One array per target. */
  readonly targets: readonly Float64Array[]; // each [H]
  /** One array per target: everything before the cutoff, whatever the input size. */
  readonly past: readonly Float64Array[];
}

/** The window with this number, the earliest being 0. Everything in it is copied, so nothing leads back to the future. */
export function cutWindow(panel: Panel, plan: WindowPlan, number: number): Window {
  const fromEnd = plan.horizon + (plan.windows - 1 - number) * plan.stepSize;
  const moment = plan.align === "time" ? momentOf(panel, fromEnd) : null;
  const kept: Series[] = [];
  const outcomes: Outcome[] = [];
  const left: string[] = [];
  for (const series of panel.series) {
    const rows = series.times.length;
    const cut = moment === null ? rows - fromEnd : countUpTo(series.times, moment);
    const problem = problemOf(series, cut, plan.horizon);
    if (problem) {
      left.push(`series ${JSON.stringify(series.id)} is left out of window ${number + 1}: ${problem}`);
      continue;
    }
    kept.push(cutSeries(panel, series, cut, plan));
    outcomes.push({
      id: series.id,
      cutoff: series.times[cut - 1],
      times: series.times.slice(cut, cut + plan.horizon),
      targets: series.targets.map((values) => values.slice(cut, cut + plan.horizon)),
      past: series.targets.map((values) => values.slice(0, cut)),
    });
  }
  return { panel: { ...panel, series: kept }, outcomes, left };
}

/** The last time seen of the series that goes furthest. */
function momentOf({ series }: Panel, fromEnd: number): number {
  const ends = series.map(({ times }) => times.at(-1) ?? Number.NEGATIVE_INFINITY);
  const end = ends.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  // Of those that end last the longest, as its cutoffs go furthest back.
  const furthest = series
    .filter((_, i) => ends[i] === end)
    .reduce((a, b) => (b.times.length > a.times.length ? b : a));
  return furthest.times[furthest.times.length - fromEnd - 1] ?? Number.NEGATIVE_INFINITY;
}

function countUpTo(times: Float64Array, moment: number): number {
  const after = times.findIndex((time) => time > moment);
  return after < 0 ? times.length : after;
}

function problemOf({ times, targets }: Series, cut: number, horizon: number): string | null {
  if (cut < 1) return "it has no rows before the cutoff";
  if (cut + horizon > times.length)
    return `it has ${times.length - cut} of ${horizon} steps after the cutoff`;
  const unseen = targets.some((values) => !values.subarray(0, cut).some(Number.isFinite));
  return unseen ? "no target is observed before the cutoff" : null;
}

/** Rows up to the cut; of the horizon after it only the times and what is known ahead. */
function cutSeries(panel: Panel, series: Series, cut: number, { horizon, inputSize }: WindowPlan): Series {
  const from = inputSize === undefined ? 0 : Math.max(0, cut - inputSize);
  const known = panel.covariates.filter(
    (covariate) => covariate.known && covariate.name in series.covariates,
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
        known.map(({ name }): [string, CovariateValues] => [
          name,
          series.covariates[name].slice(cut, cut + horizon),
        ]),
      ),
    },
  };
}
