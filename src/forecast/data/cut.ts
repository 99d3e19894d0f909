// A panel cut in time: what was known at a moment.

import type { CovariateValues, Future, Panel, Series } from "../types.ts";
import { cut } from "./draft.ts";

/** What is known before a moment: rows up to it, and of later ones covariates that are known ahead; series that begin later are left out. */
export function cutPanel(panel: Panel, moment: number): Panel {
  return {
    ...panel,
    series: panel.series.flatMap((series) => {
      const end = placeOf(series.times, moment);
      return end === 0 ? [] : [cutSeries(series, panel, 0, end)];
    }),
  };
}

/** Rows of a series from one place up to another; what is known of those that follow becomes its future. */
export function cutSeries(
  series: Series,
  panel: Pick<Panel, "covariates">,
  from: number,
  to: number,
): Series {
  const { id, times, targets, covariates, statics, future } = series;
  const known = panel.covariates.filter((covariate) => covariate.known).map(({ name }) => name);
  const part = {
    ...{ id, statics },
    times: times.subarray(from, to),
    targets: targets.map((values) => values.subarray(from, to)),
    covariates: Object.fromEntries(
      Object.entries(covariates).map(([name, values]) => [name, cut(values, from, to)]),
    ),
  };
  const later: Future = {
    times: joined(times.subarray(to), future?.times ?? new Float64Array(0)),
    covariates: Object.fromEntries(
      known.map((name) => {
        const values = covariates[name];
        return [name, joined(cut(values, to, values.length), future?.covariates[name])];
      }),
    ),
  };
  return known.length === 0 || later.times.length === 0 ? part : { ...part, future: later };
}

/** The first place whose time is not before a moment. */
function placeOf(times: Float64Array, moment: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

function joined<T extends CovariateValues>(before: T, after: T | undefined): T {
  if (after === undefined || after.length === 0) return before;
  if (before instanceof Float64Array) return Float64Array.from([...before, ...(after as Float64Array)]) as T;
  return [...before, ...after] as unknown as T;
}
