// Targets as the model reads them: every series by a normaliser of its own, fitted on the rows given for training and kept
// with the model. And the way back: paths ahead as numbers of their series.

import {
  denormalise,
  fitNormaliser,
  lowerBound,
  type Normalisation,
  type Normaliser,
  normalise,
} from "../data/normalise.ts";
import type { Panel, Series } from "../types.ts";

/** What was fitted; plain data. */
export interface TargetNormalisers {
  readonly kind: Normalisation;
  /** By the name of the series, one for each target. */
  readonly bySeries: Readonly<Record<string, readonly Normaliser[]>>;
}

/** The targets of a series in both ways, and how to go between them. */
export interface NormalisedTargets {
  /** As the model reads them. */
  readonly targets: readonly Float64Array[]; // each [rows]
  /** As they were given. */
  readonly observed: readonly Float64Array[]; // each [rows]
  /** One for each target; null where both are the same. */
  readonly normalisers: readonly Normaliser[] | null;
}

/** What a series and its targets are called by, and what time a row has. */
type Named = Pick<Series, "id"> & { readonly names: readonly string[] };

export function fitTargets(panel: Panel, kind: Normalisation, season: number): TargetNormalisers {
  const fitted = panel.series.map((series) => [series.id, fitSeries(panel.targets, series, kind, season)]);
  return { kind, bySeries: Object.fromEntries(fitted) };
}

/** A series that was not there when the others were fitted is fitted on its own rows. */
export function normalisedTargets(
  fitted: TargetNormalisers | undefined,
  series: Series,
  names: readonly string[],
  season: number,
): NormalisedTargets {
  const { id, targets } = series;
  if (!fitted) return { targets, observed: targets, normalisers: null };
  const { kind, bySeries } = fitted;
  const normalisers = Object.hasOwn(bySeries, id) ? bySeries[id] : fitSeries(names, series, kind, season);
  targets.forEach((values, j) => {
    checkValues(kind, values, j, { id, names });
  });
  return {
    targets: targets.map((values, j) => normalise(normalisers[j], values)),
    observed: targets,
    normalisers,
  };
}

/** Steps of target j from row `origin` on as numbers of the series; exact, as each step has the whole path before it. */
export function restored(
  { normalisers, observed }: NormalisedTargets,
  j: number,
  origin: number,
  steps: Float64Array,
): Float64Array {
  return normalisers ? denormalise(normalisers[j], steps, observed[j].subarray(0, origin)) : steps;
}

/** Back from `restored`; −∞ for what is too low for any number of the model. */
export function normalisedSteps(
  { normalisers, observed }: NormalisedTargets,
  j: number,
  origin: number,
  steps: Float64Array,
): Float64Array {
  if (!normalisers) return steps;
  const least = lowerBound(normalisers[j].kind);
  const within = steps.map((value) => (value <= least ? Number.NaN : value));
  const found = normalise(normalisers[j], within, observed[j].subarray(0, origin));
  return found.map((value, h) => (steps[h] <= least ? Number.NEGATIVE_INFINITY : value));
}

function fitSeries(
  names: readonly string[],
  { id, times, targets }: Series,
  kind: Normalisation,
  season: number,
): readonly Normaliser[] {
  if (kind === "seasonal-difference" && times.length <= season) {
    throw new RangeError(
      `forecast: the normaliser ${kind} takes series longer than a season of ${season}, got ${times.length} rows in series ${JSON.stringify(id)}`,
    );
  }
  return targets.map((values, j) => {
    checkValues(kind, values, j, { id, names });
    return fitNormaliser(kind, values, { season });
  });
}

function checkValues(kind: Normalisation, values: Float64Array, j: number, { id, names }: Named) {
  const least = lowerBound(kind);
  const row = values.findIndex((value) => value <= least);
  if (row < 0) return;
  throw new RangeError(
    `forecast: the normaliser ${kind} takes values above ${least} only, got ${values[row]} in row ${row + 1} of ${names[j]} in series ${JSON.stringify(id)}`,
  );
}
