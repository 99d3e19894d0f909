// The values that the tokens of a window stand for, in the units of the series. Conditions are written in these units,
// regardless of the normalisation of the model.

import { mean, variance } from "../../math/statistics.ts";
import type { EncodedSeries } from "../model/features.ts";
import { type LocationScale, standardise } from "../model/location-scale.ts";
import { type Bins, tokenCount, tokenOf, valueInBin } from "../model/quantiser.ts";
import { denormaliseSteps, normaliseSteps } from "../model/target-normalisation.ts";
import type { PathContext } from "./path-distribution.ts";

export interface TokenValues
  extends Pick<PathContext, "tokenMeans" | "tokenDeviations" | "shareBelow" | "valuesOf"> {
  /** The token of a value at a step; −1 if the value is NaN or cannot be standardised. */
  tokenOf(t: number, value: number): number;
  /**
   * Log density of a value within its bin, in the units of the model. It turns the probability of a bin into the density
   * of the value.
   */
  logDensity(t: number, value: number): number;
}

/** For the steps after the last row of a series. There is one location and scale per target. */
export function tokenValues(
  bins: Bins,
  series: EncodedSeries,
  scales: readonly LocationScale[],
): TokenValues {
  const [K, M, H] = [tokenCount(bins), scales.length, scales[0].location.length];
  const cutoff = series.rows;
  const positionOf = (t: number): [h: number, j: number] => [Math.floor(t / M), t % M];
  /** The expected path in the units of the series. */
  const expected = scales.map(({ location }, j) => denormaliseSteps(series, j, cutoff, location)); // M × [H]

  /** The first step that the value of step h depends on. */
  const firstStepOf = (h: number, j: number) =>
    series.normalisers?.[j].kind === "seasonal-difference" ? 0 : h;
  /** Converts a standardised number into the units of the series. */
  const fromStandard = (t: number, x: number) => {
    const [h, j] = positionOf(t);
    const { location, scale } = scales[j];
    const steps = location.slice(firstStepOf(h, j), h + 1);
    steps[steps.length - 1] = location[h] + scale * x;
    return denormaliseSteps(series, j, cutoff, steps)[steps.length - 1];
  };
  /** Converts a value of the series into a standardised number. */
  const toStandard = (t: number, value: number) => {
    const [h, j] = positionOf(t);
    const steps = expected[j].slice(firstStepOf(h, j), h + 1);
    steps[steps.length - 1] = value;
    return standardise(scales[j], h, normaliseSteps(series, j, cutoff, steps)[steps.length - 1]);
  };
  const moments = Array.from({ length: H * M * K }, (_, i) => {
    const [t, token] = [Math.floor(i / K), i % K];
    const [, j] = positionOf(t);
    const normaliser = series.normalisers?.[j];
    if (normaliser?.kind.startsWith("log"))
      return momentsByQuadrature((u) => fromStandard(t, valueInBin(bins, token, u)));
    const deviation = (normaliser?.scale ?? 1) * scales[j].scale * deviationInBin(bins, token);
    return { mean: fromStandard(t, meanInBin(bins, token)), deviation };
  });

  return {
    tokenMeans: Float64Array.from(moments, ({ mean }) => mean),
    tokenDeviations: Float64Array.from(moments, ({ deviation }) => deviation),
    shareBelow: (t, token, x) => shareBelowInBin(bins, token, toStandard(t, x)),
    tokenOf(t, value) {
      const x = toStandard(t, value);
      return Number.isNaN(x) ? -1 : tokenOf(bins, x);
    },
    logDensity: (t, value) =>
      logDensityInBin(bins, toStandard(t, value)) - Math.log(scales[positionOf(t)[1]].scale),
    valuesOf(tokens, uniform) {
      const path = new Float64Array(tokens.length); // [n]
      tokens.forEach((token, t) => {
        const [h, j] = positionOf(t);
        const { location, scale } = scales[j];
        path[t] = location[h] + scale * valueInBin(bins, token, uniform());
      });
      if (!series.normalisers) return path;
      for (let j = 0; j < M; j++) {
        const ofTarget = path.filter((_, t) => t % M === j); // [n / M]
        denormaliseSteps(series, j, cutoff, ofTarget).forEach((value, h) => {
          path[h * M + j] = value;
        });
      }
      return path;
    },
  };
}

/** Number of equally likely points in a bin at which a transformation is evaluated. */
const POINTS = 32;

/** Mean and standard deviation of a transformation of the numbers in a bin. Approximate, since the outer bins are unbounded. */
function momentsByQuadrature(valueAt: (uniform: number) => number): { mean: number; deviation: number } {
  const values = Array.from({ length: POINTS }, (_, i) => valueAt((i + 0.5) / POINTS));
  return { mean: mean(values), deviation: Math.sqrt(variance(values)) };
}

/** Mean of the numbers in the bin of a token. */
function meanInBin({ edges, tails }: Bins, token: number): number {
  const last = edges.length;
  if (token === 0) return edges[0] - tails[0];
  if (token === last) return edges[last - 1] + tails[1];
  return (edges[token - 1] + edges[token]) / 2;
}

/** Standard deviation of the numbers in the bin of a token. */
function deviationInBin({ edges, tails }: Bins, token: number): number {
  const last = edges.length;
  if (token === 0) return tails[0];
  return token === last ? tails[1] : (edges[token] - edges[token - 1]) / Math.sqrt(12);
}

/** Log density, at x, of the numbers in the bin of x. */
function logDensityInBin(bins: Bins, x: number): number {
  const { edges, tails } = bins;
  const token = tokenOf(bins, x);
  const last = edges.length;
  if (token === 0) return -Math.log(tails[0]) - (edges[0] - x) / tails[0];
  if (token === last) return -Math.log(tails[1]) - (x - edges[last - 1]) / tails[1];
  return -Math.log(edges[token] - edges[token - 1]);
}

/** Share of the numbers in the bin of a token that are below x. */
function shareBelowInBin({ edges, tails }: Bins, token: number, x: number): number {
  const last = edges.length;
  if (token === 0) return Math.min(1, Math.exp((x - edges[0]) / tails[0]));
  if (token === last) return Math.max(0, -Math.expm1((edges[last - 1] - x) / tails[1]));
  return Math.min(1, Math.max(0, (x - edges[token - 1]) / (edges[token] - edges[token - 1])));
}
