// Decomposes a series into trend, seasons and residual for reports: MSTL, which applies STL to one season after the other.
//
// The MSTL implementation of augurs, which the baseline uses, does not expose its components.

import { variance } from "../../math/statistics.ts";
import { loess } from "./loess.ts";
import { nextOdd, recommendedTrendWindow, stl } from "./stl.ts";

/** A series as the sum of trend, seasons and residual. */
export interface Decomposition {
  readonly trend: Float64Array; // [T]
  /** Shortest first. Seasons longer than half the series are skipped. */
  readonly seasons: readonly SeasonalComponent[];
  /** Values minus trend and seasons; NaN where a value is missing. */
  readonly residual: Float64Array; // [T]
  /** 1 − var(residual) / var(trend + residual), from 0 to 1; null if the series is constant or too short. */
  readonly trendStrength: number | null;
  /** One sentence per season or strength that was skipped. */
  readonly notes: readonly string[];
}

export interface SeasonalComponent {
  readonly season: number;
  readonly values: Float64Array; // [T]
  /** 1 − var(residual) / var(season + residual), from 0 to 1; null if the series is constant or too short. */
  readonly strength: number | null;
}

/** Decomposes values with the given seasons, in steps. Trend and seasons also have values in gaps. */
export function decompose(values: Float64Array, seasons: readonly number[]): Decomposition {
  if (!values.some(Number.isFinite)) {
    throw new RangeError(`decompose: at least one value must be observed, got none in ${values.length}`);
  }
  for (const season of seasons) {
    if (!Number.isInteger(season) || season < 1) {
      throw new RangeError(`decompose: a season must be a whole number above 0, got ${season}`);
    }
  }
  // A season of one step means no season.
  const requested = [...new Set(seasons)].filter((season) => season > 1).sort((a, b) => a - b);
  const usable = requested.filter((season) => values.length >= 2 * season);
  const notes = requested
    .filter((season) => !usable.includes(season))
    .map(
      (season) =>
        `the season of ${season} is skipped, because it needs ${2 * season} values and there are ${values.length}`,
    );
  const { trend, parts } = components(values, usable);
  const observed = values.filter(Number.isFinite).length;
  const strength = (name: string, season: number, part: Float64Array) => {
    const needed = Math.max(MIN_VALUES, MIN_SEASONS * season);
    if (observed >= needed) return strengthOf(part, residual, values);
    notes.push(
      `the strength of ${name} is skipped, because it needs ${needed} values and there are ${observed}`,
    );
    return null;
  };
  const residual = values.map((value, t) => parts.reduce((rest, part) => rest - part[t], value - trend[t]));
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

/** With fewer values or seasons the residual is close to zero for any series, so a strength has no meaning. */
const [MIN_VALUES, MIN_SEASONS] = [16, 3];

function components(
  values: Float64Array,
  seasons: readonly number[],
): { trend: Float64Array; parts: Float64Array[] } {
  const parts = seasons.map(() => new Float64Array(values.length));
  // Without a season, the trend window is a fifth of the series.
  let trend =
    seasons.length === 0 ? loess(values, nextOdd(Math.max(3, values.length / 5))) : new Float64Array();
  // Several seasons are estimated in two rounds, because each depends on the others.
  for (let round = 0; round < Math.min(2, seasons.length); round++) {
    seasons.forEach((season, i) => {
      const rest = values.map((value, t) =>
        parts.reduce((rest, part, j) => (j === i ? rest : rest - part[t]), value),
      );
      // Longer seasons occur less often in the series, so they are smoothed over more of them.
      const seasonWindow = 11 + 4 * i;
      const trendWindow = recommendedTrendWindow(season, seasonWindow);
      const result = stl(rest, { season, seasonWindow, trendWindow });
      parts[i] = Float64Array.from(result.season);
      trend = result.trend;
    });
  }
  return { trend, parts };
}

/** Strength of a component: 1 − var(residual) / var(component + residual), at least 0. */
function strengthOf(part: Float64Array, residual: Float64Array, values: Float64Array): number | null {
  const observed = Array.from(values.keys()).filter((t) => Number.isFinite(values[t]));
  const scale = observed.reduce((max, t) => Math.max(max, Math.abs(values[t])), 0);
  const total = variance(observed.map((t) => part[t] + residual[t]));
  // The rounding error of a constant series does not count as variance.
  if (total <= (1e-10 * scale) ** 2) return null;
  return Math.max(0, 1 - variance(observed.map((t) => residual[t])) / total);
}
