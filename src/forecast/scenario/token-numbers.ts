// What tokens of a window stand for, as numbers of its series: in the units that conditions are written in, whatever the
// model reads.

import { type Centring, differenceFrom } from "../model/centring.ts";
import type { ReadSeries } from "../model/features.ts";
import { normalisedSteps, restored } from "../model/normalised.ts";
import { type Bins, numberIn, tokenOf, tokensOf } from "../model/quantiser.ts";
import type { LawContext } from "./law.ts";

export interface TokenNumbers extends Pick<LawContext, "values" | "spreads" | "below" | "numbers"> {
  /** The token of a number at a step, or −1 if it is NaN or nothing before says in what unit it is. */
  token(t: number, value: number): number;
  /**
   * log of the density within its bin of a number that has a token, as the model reads numbers: what turns the probability
   * of a bin into that of the number.
   */
  logDensity(t: number, value: number): number;
}

/** Of the steps after the last row of a series; a centring per target. */
export function tokenNumbers(bins: Bins, series: ReadSeries, centrings: readonly Centring[]): TokenNumbers {
  const [K, M, H] = [tokensOf(bins), centrings.length, centrings[0].centre.length];
  const origin = series.rows;
  const placeOf = (t: number): [h: number, j: number] => [Math.floor(t / M), t % M];
  /** Paths along what is expected, as numbers of the series. */
  const expected = centrings.map(({ centre }, j) => restored(series, j, origin, centre)); // M × [H]

  /** The first step that the number of step h hangs on. */
  const firstOf = (h: number, j: number) => (series.normalisers?.[j].kind === "seasonal-difference" ? 0 : h);
  /** A number that the bins hold as one of the series. */
  const numberOf = (t: number, x: number) => {
    const [h, j] = placeOf(t);
    const { centre, scale } = centrings[j];
    const steps = centre.slice(firstOf(h, j), h + 1);
    steps[steps.length - 1] = centre[h] + scale * x;
    return restored(series, j, origin, steps)[steps.length - 1];
  };
  /** And back. */
  const binNumberOf = (t: number, value: number) => {
    const [h, j] = placeOf(t);
    const steps = expected[j].slice(firstOf(h, j), h + 1);
    steps[steps.length - 1] = value;
    return differenceFrom(centrings[j], h, normalisedSteps(series, j, origin, steps)[steps.length - 1]);
  };
  const moments = Array.from({ length: H * M * K }, (_, i) => {
    const [t, token] = [Math.floor(i / K), i % K];
    const [, j] = placeOf(t);
    const normaliser = series.normalisers?.[j];
    if (normaliser?.kind.startsWith("log"))
      return curvedMoments((u) => numberOf(t, numberIn(bins, token, u)));
    const spread = (normaliser?.scale ?? 1) * centrings[j].scale * spreadIn(bins, token);
    return { mean: numberOf(t, meanIn(bins, token)), spread };
  });

  return {
    values: Float64Array.from(moments, ({ mean }) => mean),
    spreads: Float64Array.from(moments, ({ spread }) => spread),
    below: (t, token, x) => belowIn(bins, token, binNumberOf(t, x)),
    token(t, value) {
      const x = binNumberOf(t, value);
      return Number.isNaN(x) ? -1 : tokenOf(bins, x);
    },
    logDensity: (t, value) =>
      logDensityIn(bins, binNumberOf(t, value)) - Math.log(centrings[placeOf(t)[1]].scale),
    numbers(tokens, uniform) {
      const path = new Float64Array(tokens.length); // [n]
      tokens.forEach((token, t) => {
        const [h, j] = placeOf(t);
        const { centre, scale } = centrings[j];
        path[t] = centre[h] + scale * numberIn(bins, token, uniform());
      });
      if (!series.normalisers) return path;
      for (let j = 0; j < M; j++) {
        const own = path.filter((_, t) => t % M === j); // [n / M]
        restored(series, j, origin, own).forEach((value, h) => {
          path[h * M + j] = value;
        });
      }
      return path;
    },
  };
}

/** Places in a bin at which a curve is looked at, each for an equal share of its numbers. */
const SHARES = 32;

/** Mean and standard deviation of what a curve makes of the numbers of a bin; about, as a tail has no end. */
function curvedMoments(numberAt: (uniform: number) => number): { mean: number; spread: number } {
  const numbers = Array.from({ length: SHARES }, (_, i) => numberAt((i + 0.5) / SHARES));
  const mean = numbers.reduce((sum, x) => sum + x, 0) / SHARES;
  const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / SHARES;
  return { mean, spread: Math.sqrt(variance) };
}

/** Mean of the numbers in the bin of a token. */
function meanIn({ edges, tails }: Bins, token: number): number {
  const last = edges.length;
  if (token === 0) return edges[0] - tails[0];
  if (token === last) return edges[last - 1] + tails[1];
  return (edges[token - 1] + edges[token]) / 2;
}

/** Their standard deviation. */
function spreadIn({ edges, tails }: Bins, token: number): number {
  const last = edges.length;
  if (token === 0) return tails[0];
  return token === last ? tails[1] : (edges[token] - edges[token - 1]) / Math.sqrt(12);
}

/** log of their density at x. */
function logDensityIn(bins: Bins, x: number): number {
  const { edges, tails } = bins;
  const token = tokenOf(bins, x);
  const last = edges.length;
  if (token === 0) return -Math.log(tails[0]) - (edges[0] - x) / tails[0];
  if (token === last) return -Math.log(tails[1]) - (x - edges[last - 1]) / tails[1];
  return -Math.log(edges[token] - edges[token - 1]);
}

/** Share of them below x. */
function belowIn({ edges, tails }: Bins, token: number, x: number): number {
  const last = edges.length;
  if (token === 0) return Math.min(1, Math.exp((x - edges[0]) / tails[0]));
  if (token === last) return Math.max(0, -Math.expm1((edges[last - 1] - x) / tails[1]));
  return Math.min(1, Math.max(0, (x - edges[token - 1]) / (edges[token] - edges[token - 1])));
}
