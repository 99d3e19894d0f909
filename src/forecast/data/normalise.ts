// Normalises values and inverts the normalisation. A fitted normaliser is plain data and depends only on the values it
// was fitted on.

import { mean, quantileOfSorted, variance } from "../../math/statistics.ts";

/** Normalisations with the same shift and scale for all values. */
export const AFFINE_NORMALISATIONS = ["mean", "standard", "min-max", "robust"] as const;
/** Names of the normalisations. */
export const NORMALISATIONS = [...AFFINE_NORMALISATIONS, "seasonal-difference", "log", "log1p"] as const;
/** A normalisation with the same shift and scale for all values. */
export type AffineNormalisation = (typeof AFFINE_NORMALISATIONS)[number];
/** The name of a normalisation. */
export type Normalisation = (typeof NORMALISATIONS)[number];

/**
 * Maps y to (f(y) − shift) / scale. A seasonal difference subtracts the last observed value of the same phase of the
 * season; if there is none before the first row, the last observed value.
 */
export interface Normaliser {
  readonly kind: Normalisation;
  readonly shift: number;
  /** Above 0; 1 if all values are equal. */
  readonly scale: number;
  /** Steps of the season for a seasonal difference; otherwise 1. */
  readonly season: number;
}

/** A scale below this fraction of the largest magnitude is the rounding error of constant values. */
const MIN_RELATIVE_SCALE = 1e-12;

/** Fits a normaliser to the observed values. */
export function fitNormaliser(kind: Normalisation, values: Float64Array, { season = 1 } = {}): Normaliser {
  const observed = values.filter((value) => !Number.isNaN(value));
  const largest = observed.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const make = (shift: number, scale: number): Normaliser => ({
    kind,
    shift,
    scale: scale > MIN_RELATIVE_SCALE * largest ? scale : 1,
    season: kind === "seasonal-difference" ? season : 1,
  });
  if (observed.length === 0) return make(0, 1);
  switch (kind) {
    case "mean":
      return make(0, mean(observed.map(Math.abs)));
    case "standard": {
      return make(mean(observed), Math.sqrt(variance(observed)));
    }
    case "min-max": {
      const [min, max] = [
        observed.reduce((a, b) => Math.min(a, b)),
        observed.reduce((a, b) => Math.max(a, b)),
      ];
      return make(min, max - min);
    }
    case "robust": {
      const sorted = observed.sort();
      return make(
        quantileOfSorted(sorted, 0.5),
        quantileOfSorted(sorted, 0.75) - quantileOfSorted(sorted, 0.25),
      );
    }
    case "seasonal-difference": {
      if (!(Number.isSafeInteger(season) && season >= 1 && season < values.length)) {
        throw new RangeError(
          `seasonal-difference: season must be at least 1 and shorter than the ${values.length} values, got ${season}`,
        );
      }
      const differences = seasonalDifferences(values, season, new Float64Array(0));
      const sizes = differences.filter((value) => !Number.isNaN(value)).map(Math.abs);
      return make(0, sizes.length === 0 ? 1 : mean(sizes));
    }
    case "log":
    case "log1p":
      for (const value of observed) checkLog(kind, value);
      return make(0, 1);
    default:
      return kind satisfies never;
  }
}

/** Normalised values. Without the values `before`, the first season of a seasonal difference is NaN. */
export function normalise(
  { kind, shift, scale, season }: Normaliser,
  values: Float64Array,
  before: Float64Array = new Float64Array(0),
): Float64Array {
  if (kind === "log" || kind === "log1p") {
    for (const value of values) checkLog(kind, value);
    return values.map(kind === "log" ? Math.log : Math.log1p);
  }
  if (kind !== "seasonal-difference") return values.map((value) => (value - shift) / scale);
  return seasonalDifferences(values, season, before).map((difference) => difference / scale);
}

/** The inverse of `normalise`. A seasonal difference needs at least one season of values `before`. */
export function denormalise(
  { kind, shift, scale, season }: Normaliser,
  values: Float64Array,
  before: Float64Array = new Float64Array(0),
): Float64Array {
  if (kind === "log") return values.map(Math.exp);
  if (kind === "log1p") return values.map(Math.expm1);
  if (kind !== "seasonal-difference") return values.map((value) => value * scale + shift);
  if (before.length < season) {
    throw new RangeError(
      `seasonal-difference: the inverse needs the ${season} values before, got ${before.length}`,
    );
  }
  const last = lastSeason(before, season); // [season]
  return values.map((value, i) => {
    // A phase without any observed value starts from 0.
    const original = value * scale + (last[i % season] || 0);
    if (!Number.isNaN(original)) last[i % season] = original;
    return original;
  });
}

/** Exclusive lower bound of the values that a normalisation accepts. */
export function lowerBound(kind: Normalisation): number {
  if (kind === "log") return 0;
  return kind === "log1p" ? -1 : Number.NEGATIVE_INFINITY;
}

function checkLog(kind: "log" | "log1p", value: number): void {
  const bound = lowerBound(kind);
  if (value <= bound) throw new RangeError(`${kind}: values must be above ${bound}, got ${value}`);
}

/** Each value minus the last observed value of its phase of the season; NaN if either is missing. */
function seasonalDifferences(values: Float64Array, season: number, before: Float64Array): Float64Array {
  const last = lastSeason(before, season); // [season]
  return values.map((value, i) => {
    const difference = value - last[i % season];
    if (!Number.isNaN(value)) last[i % season] = value;
    return difference;
  });
}

/**
 * For each step of the following season, the last observed value of its phase; if there is none, the last observed
 * value of any phase, or NaN: [season].
 */
function lastSeason(before: Float64Array, season: number): Float64Array {
  const isObserved = (value: number) => !Number.isNaN(value);
  const latest = before.findLast(isObserved) ?? Number.NaN;
  return Float64Array.from({ length: season }, (_, phase) => {
    let row = before.length - season + phase;
    while (row >= 0 && !isObserved(before[row])) row -= season;
    return row >= 0 ? before[row] : latest;
  });
}
