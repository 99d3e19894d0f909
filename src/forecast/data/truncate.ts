// Cuts a panel in time: the part that was known at a certain time.

import type { CovariateValues, Future, Panel, Series } from "../types.ts";
import { sliceValues } from "./series-rows.ts";

/**
 * The panel as it was known at a time: the rows before it, and the known-future covariates of later rows. Series that
 * start later are dropped.
 */
export function truncatePanel(panel: Panel, time: number): Panel {
  return {
    ...panel,
    series: panel.series.flatMap((series) => {
      const end = firstIndexFrom(series.times, time);
      return end === 0 ? [] : [sliceSeries(series, panel, 0, end)];
    }),
  };
}

/**
 * Rows of a series from one index up to another. The known-future covariates of the rows after them are kept as
 * `future`.
 */
export function sliceSeries(
  series: Series,
  panel: Pick<Panel, "covariates">,
  from: number,
  to: number,
): Series {
  const { id, times, targets, covariates, statics, future } = series;
  const knownInFuture = panel.covariates.filter((one) => one.knownInFuture).map(({ name }) => name);
  const past = {
    ...{ id, statics },
    times: times.subarray(from, to),
    targets: targets.map((values) => values.subarray(from, to)),
    covariates: Object.fromEntries(
      Object.entries(covariates).map(([name, values]) => [name, sliceValues(values, from, to)]),
    ),
  };
  const later: Future = {
    times: concatenate(times.subarray(to), future?.times ?? new Float64Array(0)),
    covariates: Object.fromEntries(
      knownInFuture.map((name) => {
        const values = covariates[name];
        return [name, concatenate(sliceValues(values, to, values.length), future?.covariates[name])];
      }),
    ),
  };
  return knownInFuture.length === 0 || later.times.length === 0 ? past : { ...past, future: later };
}

/** Index of the first time that is not before `time`, by bisection. */
function firstIndexFrom(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function concatenate<T extends CovariateValues>(before: T, after: T | undefined): T {
  if (after === undefined || after.length === 0) return before;
  if (before instanceof Float64Array) return Float64Array.from([...before, ...(after as Float64Array)]) as T;
  return [...before, ...after] as unknown as T;
}
