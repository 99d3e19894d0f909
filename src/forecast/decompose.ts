// A series taken apart into trend, seasons and what is left, to look at: MSTL, of STL one season after the other.
//
// The MSTL of augurs, which a baseline is made of, does not give its parts out.

import { loess } from "./loess.ts";
import { advisedTrendWindow, nextOdd, stl } from "./stl.ts";

export interface Decomposition {
  readonly trend: Float64Array; // [T]
  /** Shortest first; those that the series does not have twice are left out. */
  readonly seasons: readonly SeasonPart[];
  /** What is left: the values less trend and seasons, NaN where a value is missing. */
  readonly residual: Float64Array; // [T]
  /** 1 − var(residual) / var(trend + residual), from 0 to 1; null of a constant, and of a series too short to say. */
  readonly trendStrength: number | null;
  /** One sentence per season or strength that was left out. */
  readonly notes: readonly string[];
}

export interface SeasonPart {
  readonly season: number;
  readonly values: Float64Array; // [T]
  /** 1 − var(residual) / var(season + residual), from 0 to 1; null of a constant, and of a series too short to say. */
  readonly strength: number | null;
}

/** Takes values apart by seasons of so many steps; values may have gaps, at which trend and seasons are still told. */
export function decompose(values: Float64Array, seasons: readonly number[]): Decomposition {
  if (!values.some(Number.isFinite)) {
    throw new RangeError(`decompose: a value must be observed, got none in ${values.length}`);
  }
  for (const season of seasons) {
    if (!Number.isInteger(season) || season < 1) {
      throw new RangeError(`decompose: a season must be a whole number above 0, got ${season}`);
    }
  }
  // A season of one step is none.
  const wanted = [...new Set(seasons)].filter((season) => season > 1).sort((a, b) => a - b);
  const usable = wanted.filter((season) => values.length >= 2 * season);
  const notes = wanted
    .filter((season) => !usable.includes(season))
    .map(
      (season) =>
        `the season of ${season} is left out, as it needs ${2 * season} values and there are ${values.length}`,
    );
  const { trend, parts } = takeApart(values, usable);
  const observed = values.filter(Number.isFinite).length;
  const strength = (what: string, season: number, part: Float64Array) => {
    const needed = Math.max(LEAST_VALUES, LEAST_SEASONS * season);
    if (observed >= needed) return strengthOf(part, residual, values);
    notes.push(`the strength of ${what} is left out, as it needs ${needed} values and there are ${observed}`);
    return null;
  };
  const residual = values.map((value, t) => parts.reduce((left, part) => left - part[t], value - trend[t]));
  return {
    trend,
    seasons: usable.map((season, i) => ({
      season,
      values: parts[i],
      strength: strength(`the season of ${season}`, season, parts[i]),
    })),
    residual,
    trendStrength: strength("the trend", usable.at(-1) ?? 1, trend),
    notes,
  };
}

/** Of fewer values or seasons next to nothing is left beside the parts, whatever the values are. */
const [LEAST_VALUES, LEAST_SEASONS] = [16, 3];

function takeApart(
  values: Float64Array,
  seasons: readonly number[],
): { trend: Float64Array; parts: Float64Array[] } {
  const parts = seasons.map(() => new Float64Array(values.length));
  // Without a season nothing says how smooth a trend is: a fifth of the series.
  let trend =
    seasons.length === 0 ? loess(values, nextOdd(Math.max(3, values.length / 5))) : new Float64Array();
  // One season is found at once; several are found in the light of each other.
  for (let round = 0; round < Math.min(2, seasons.length); round++) {
    seasons.forEach((season, i) => {
      const rest = values.map((value, t) =>
        parts.reduce((left, part, j) => (j === i ? left : left - part[t]), value),
      );
      // Longer seasons are seen less often, and are held steadier.
      const seasonWindow = 11 + 4 * i;
      const trendWindow = advisedTrendWindow(season, seasonWindow);
      const found = stl(rest, { season, seasonWindow, trendWindow });
      parts[i] = Float64Array.from(found.season);
      trend = found.trend;
    });
  }
  return { trend, parts };
}

/** How much of the variance of a part and the residual together is the part's. */
function strengthOf(part: Float64Array, residual: Float64Array, values: Float64Array): number | null {
  const observed = Array.from(values.keys()).filter((t) => Number.isFinite(values[t]));
  const scale = observed.reduce((most, t) => Math.max(most, Math.abs(values[t])), 0);
  const together = variance(observed.map((t) => part[t] + residual[t]));
  // What rounding leaves of a constant is no variance.
  if (together <= (1e-10 * scale) ** 2) return null;
  return Math.max(0, 1 - variance(observed.map((t) => residual[t])) / together);
}

function variance(values: readonly number[]): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}
