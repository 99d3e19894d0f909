// Values brought to a common size, and back. What is fitted is plain data, from the rows given and no others.

/** Those that shift and scale all values alike. */
export const AFFINE_NORMALISATIONS = ["mean", "standard", "min-max", "robust"] as const;
export const NORMALISATIONS = [...AFFINE_NORMALISATIONS, "seasonal-difference", "log", "log1p"] as const;
export type AffineNormalisation = (typeof AFFINE_NORMALISATIONS)[number];
export type Normalisation = (typeof NORMALISATIONS)[number];

/**
 * y becomes (f(y) − shift) / scale. A seasonal difference takes as shift the last value known at the same place of the
 * season, or else, before the first row, the last one known at all.
 */
export interface Normaliser {
  readonly kind: Normalisation;
  readonly shift: number;
  /** Above 0, 1 where all values are the same. */
  readonly scale: number;
  /** Steps, for a seasonal difference; else 1. */
  readonly season: number;
}

/** Below this share of the largest value, a spread is a rounding error of a constant. */
const NO_SPREAD = 1e-12;

/** Fits a normaliser; missing values are left out. */
export function fitNormaliser(kind: Normalisation, values: Float64Array, { season = 1 } = {}): Normaliser {
  const there = values.filter((value) => !Number.isNaN(value));
  const largest = there.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const make = (shift: number, scale: number): Normaliser => ({
    kind,
    shift,
    scale: scale > NO_SPREAD * largest ? scale : 1,
    season: kind === "seasonal-difference" ? season : 1,
  });
  if (there.length === 0) return make(0, 1);
  switch (kind) {
    case "mean":
      return make(0, meanOf(there.map(Math.abs)));
    case "standard": {
      const mean = meanOf(there);
      return make(mean, Math.sqrt(meanOf(there.map((value) => (value - mean) ** 2))));
    }
    case "min-max": {
      const [least, most] = [there.reduce((a, b) => Math.min(a, b)), there.reduce((a, b) => Math.max(a, b))];
      return make(least, most - least);
    }
    case "robust": {
      const sorted = there.sort();
      return make(quantile(sorted, 0.5), quantile(sorted, 0.75) - quantile(sorted, 0.25));
    }
    case "seasonal-difference": {
      if (!(Number.isSafeInteger(season) && season >= 1 && season < values.length)) {
        throw new RangeError(
          `seasonal-difference: season must be at least 1 and shorter than the ${values.length} values, got ${season}`,
        );
      }
      const differences = seasonalDifferences(values, season, new Float64Array(0));
      const sizes = differences.filter((value) => !Number.isNaN(value)).map(Math.abs);
      return make(0, sizes.length === 0 ? 1 : meanOf(sizes));
    }
    case "log":
    case "log1p":
      for (const value of there) checkLog(kind, value);
      return make(0, 1);
    default:
      return kind satisfies never;
  }
}

/** Normalised values; a seasonal difference needs the values before, else its first season is NaN. */
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

/** Back from `normalise`; a seasonal difference needs the season of values before. */
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
      `seasonal-difference: the ${season} values before are needed to go back, got ${before.length}`,
    );
  }
  const last = lastSeason(before, season); // [season]
  return values.map((value, i) => {
    // Where nothing was ever seen there is nothing to go on from but 0.
    const back = value * scale + (last[i % season] || 0);
    if (!Number.isNaN(back)) last[i % season] = back;
    return back;
  });
}

/** What values must be above to be normalised. */
export function lowerBound(kind: Normalisation): number {
  if (kind === "log") return 0;
  return kind === "log1p" ? -1 : Number.NEGATIVE_INFINITY;
}

function checkLog(kind: "log" | "log1p", value: number): void {
  const least = lowerBound(kind);
  if (value <= least) throw new RangeError(`${kind}: values must be above ${least}, got ${value}`);
}

/** Values less the last one known at the same place of the season; NaN where either is not known. */
function seasonalDifferences(values: Float64Array, season: number, before: Float64Array): Float64Array {
  const last = lastSeason(before, season); // [season]
  return values.map((value, i) => {
    const difference = value - last[i % season];
    if (!Number.isNaN(value)) last[i % season] = value;
    return difference;
  });
}

/** The last value known at each place of the season that follows, else the last known at all, else NaN, [season]. */
function lastSeason(before: Float64Array, season: number): Float64Array {
  const isKnown = (value: number) => !Number.isNaN(value);
  const latest = before.findLast(isKnown) ?? Number.NaN;
  return Float64Array.from({ length: season }, (_, place) => {
    let row = before.length - season + place;
    while (row >= 0 && !isKnown(before[row])) row -= season;
    return row >= 0 ? before[row] : latest;
  });
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A quantile of sorted values, between the two nearest in proportion. */
function quantile(sorted: Float64Array, level: number): number {
  const place = level * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}
