// A panel cut in time: what was known at a moment, and parts to train, choose and test on.

import type { CovariateValues, Future, Panel, Series } from "../types.ts";
import { cut } from "./draft.ts";
import { isoTime } from "./times.ts";

/** Shares of the time from the first row to the last, or the moments at which the later parts begin. */
export type SplitOptions =
  | { readonly validation: number; readonly test: number }
  | { readonly validationFrom: number; readonly testFrom: number };

export interface Split {
  readonly train: Panel;
  readonly validation: Panel;
  readonly test: Panel;
}

/** Parts of a panel, one after another in time and the same moment for all series; none has a row of another. */
export function splitPanel(panel: Panel, options: SplitOptions): Split {
  const [validationFrom, testFrom] = momentsOf(panel, options);
  return {
    train: cutPanel(panel, validationFrom),
    validation: betweenMoments(panel, validationFrom, testFrom),
    test: betweenMoments(panel, testFrom, Number.POSITIVE_INFINITY),
  };
}

/** What is known before a moment: rows up to it, and of later ones covariates that are known ahead. */
export function cutPanel(panel: Panel, moment: number): Panel {
  return betweenMoments(panel, Number.NEGATIVE_INFINITY, moment);
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

/** Rows from one moment up to another; series that have none are left out. */
function betweenMoments(panel: Panel, from: number, to: number): Panel {
  return {
    ...panel,
    series: panel.series.flatMap((series) => {
      const [first, end] = [placeOf(series.times, from), placeOf(series.times, to)];
      return first === end ? [] : [cutSeries(series, panel, first, end)];
    }),
  };
}

function momentsOf(panel: Panel, options: SplitOptions): [number, number] {
  if ("testFrom" in options) {
    const { validationFrom, testFrom } = options;
    if (validationFrom <= testFrom) return [validationFrom, testFrom];
    throw new RangeError(
      `A test must begin after validation, got ${isoTime(testFrom)} before ${isoTime(validationFrom)}`,
    );
  }
  const { validation, test } = options;
  if (!(validation >= 0 && test >= 0 && validation + test < 1)) {
    throw new RangeError(
      `The shares of validation and test must be at least 0 and below 1 in sum, got ${validation} and ${test}`,
    );
  }
  const first = panel.series.reduce(
    (least, { times }) => Math.min(least, times[0]),
    Number.POSITIVE_INFINITY,
  );
  const last = panel.series.reduce(
    (most, { times }) => Math.max(most, times[times.length - 1]),
    Number.NEGATIVE_INFINITY,
  );
  // Without a share there is no such part.
  const moment = (share: number) => (share === 0 ? Number.POSITIVE_INFINITY : last - share * (last - first));
  return [moment(validation + test), moment(test)];
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
