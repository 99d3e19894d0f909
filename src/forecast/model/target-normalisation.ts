// Normalisation of the targets, with one normaliser per series and target that is fitted to the training rows and stored
// with the model; and its inverse, which turns sampled future steps into the units of the data.

import { UserError } from "../../issues.ts";
import {
  denormalise,
  fitNormaliser,
  lowerBound,
  type Normalisation,
  type Normaliser,
  normalise,
} from "../data/normalise.ts";
import type { Panel, Series } from "../types.ts";

/** Fitted normalisers, as plain data. */
export interface TargetNormalisers {
  readonly kind: Normalisation;
  /** By series id, one normaliser per target. */
  readonly bySeries: Readonly<Record<string, readonly Normaliser[]>>;
}

export interface NormalisedTargets {
  /** Normalised targets: the inputs of the model. */
  readonly targets: readonly Float64Array[]; // each [rows]
  /** Targets in the units of the data. */
  readonly observed: readonly Float64Array[]; // each [rows]
  /** One normaliser per target; null if targets are not normalised. */
  readonly normalisers: readonly Normaliser[] | null;
}

/** The id of a series and the names of its targets, for error messages. */
interface SeriesNames {
  readonly id: string;
  readonly targetNames: readonly string[];
}

export function fitTargetNormalisers(panel: Panel, kind: Normalisation, season: number): TargetNormalisers {
  const fitted = panel.series.map((series) => [series.id, fitSeries(panel.targets, series, kind, season)]);
  return { kind, bySeries: Object.fromEntries(fitted) };
}

/** A series without a fitted normaliser gets one that is fitted to its own rows. */
export function normaliseTargets(
  fitted: TargetNormalisers | undefined,
  series: Series,
  targetNames: readonly string[],
  season: number,
): NormalisedTargets {
  const { id, targets } = series;
  if (!fitted) return { targets, observed: targets, normalisers: null };
  const { kind, bySeries } = fitted;
  const normalisers = Object.hasOwn(bySeries, id)
    ? bySeries[id]
    : fitSeries(targetNames, series, kind, season);
  targets.forEach((values, j) => {
    checkValues(kind, values, j, { id, targetNames });
  });
  return {
    targets: targets.map((values, j) => normalise(normalisers[j], values)),
    observed: targets,
    normalisers,
  };
}

/**
 * Converts consecutive steps of target j, starting at row `origin`, into the units of the data. With seasonal
 * differences, each step is added to the value one season earlier, which may itself be one of the steps.
 */
export function denormaliseSteps(
  { normalisers, observed }: NormalisedTargets,
  j: number,
  origin: number,
  steps: Float64Array,
): Float64Array {
  return normalisers ? denormalise(normalisers[j], steps, observed[j].subarray(0, origin)) : steps;
}

/** Inverse of `denormaliseSteps`; −∞ for a value at or below the domain of the normaliser. */
export function normaliseSteps(
  { normalisers, observed }: NormalisedTargets,
  j: number,
  origin: number,
  steps: Float64Array,
): Float64Array {
  if (!normalisers) return steps;
  const bound = lowerBound(normalisers[j].kind);
  const inDomain = steps.map((value) => (value <= bound ? Number.NaN : value));
  const normalised = normalise(normalisers[j], inDomain, observed[j].subarray(0, origin));
  return normalised.map((value, h) => (steps[h] <= bound ? Number.NEGATIVE_INFINITY : value));
}

function fitSeries(
  targetNames: readonly string[],
  { id, times, targets }: Series,
  kind: Normalisation,
  season: number,
): readonly Normaliser[] {
  if (kind === "seasonal-difference" && times.length <= season) {
    const message = `${kind} needs series longer than a season of ${season}, got ${times.length} rows in series ${JSON.stringify(id)}`;
    throw new UserError([{ path: "normaliser", code: "data", message }]);
  }
  return targets.map((values, j) => {
    checkValues(kind, values, j, { id, targetNames });
    return fitNormaliser(kind, values, { season });
  });
}

function checkValues(
  kind: Normalisation,
  values: Float64Array,
  j: number,
  { id, targetNames }: SeriesNames,
): void {
  const bound = lowerBound(kind);
  const row = values.findIndex((value) => value <= bound);
  if (row < 0) return;
  const message = `${kind} needs values above ${bound}, got ${values[row]} in row ${row + 1} of ${targetNames[j]} in series ${JSON.stringify(id)}`;
  throw new UserError([{ path: "normaliser", code: "data", message }]);
}
