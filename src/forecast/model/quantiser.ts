// Standardised values as tokens: bins that contain equal shares of the training values, and an open bin at either end.
//
// Token 0 is the lower tail, tokens 1 to K are the bins between K + 1 increasing edges, token K + 1 is the upper tail.
// A value is uniform within its bin and exponential in a tail. Token probabilities therefore define a distribution over
// real numbers, whose distribution function, quantiles and mean have closed forms.

import { quantileOfSorted, valueAt } from "../../math/statistics.ts";
import { checkSizes } from "../../nn/checks.ts";

/** The bins that turn standardised values into tokens. */
export interface Bins {
  /** K + 1 increasing edges. */
  readonly edges: Float64Array;
  /** Scales of the two exponential tails: the mean distance of a value from the first or last edge. */
  readonly tails: readonly [lower: number, upper: number];
}

/** Options of `fitBins`. */
export interface BinOptions {
  /** Requested number of bins between the tails, K. With repeated values there may be fewer bins. */
  readonly bins: number;
  /** Share of the values in each tail. Default: 0.005. */
  readonly tailShare?: number;
}

/** Bins that contain equal shares of the values. A value that fills an entire bin gets its own narrow bin. */
export function fitBins(values: Float64Array, { bins, tailShare = 0.005 }: BinOptions): Bins {
  checkSizes("fitBins", { bins });
  if (!(tailShare > 0 && tailShare < 0.5))
    throw new RangeError(`fitBins: tailShare must be in (0, 0.5), got ${tailShare}`);
  const wrong = values.find((x) => !Number.isFinite(x));
  if (wrong !== undefined) throw new RangeError(`fitBins: values must be finite, got ${wrong}`);
  if (values.length === 0) throw new RangeError("fitBins: there must be at least one value, got none");
  const sorted = values.slice().sort();
  const quantiles = Array.from({ length: bins + 1 }, (_, k) =>
    quantileOfSorted(sorted, tailShare + ((1 - 2 * tailShare) * k) / bins),
  );
  const span = Math.max(quantiles[bins] - quantiles[0], Math.abs(quantiles[0]) * 1e-3, 1e-3);
  const half = span * NARROW;
  const edges: number[] = [];
  quantiles.forEach((edge, k) => {
    const repeats = edge === quantiles[k - 1] || edge === quantiles[k + 1];
    const around = repeats ? [edge - half, edge + half] : [edge];
    for (const next of around) {
      if (edges.length === 0 || next > edges[edges.length - 1] + half) edges.push(next);
    }
  });
  if (edges.length === 1) edges.push(edges[0] + 2 * half);
  const [first, last] = [edges[0], edges[edges.length - 1]];
  const width = (last - first) / (edges.length - 1);
  return {
    edges: Float64Array.from(edges),
    tails: [
      tailScale(sorted, (x) => first - x) || width, //
      tailScale(sorted, (x) => x - last) || width,
    ],
  };
}

/** 1000 evenly spaced quantiles of the Laplace distribution with mean absolute value 1, for bins without enough data. */
export function laplaceQuantiles(): Float64Array {
  return Float64Array.from({ length: 1000 }, (_, i) => {
    const [rank, sign] = i < 500 ? [i + 0.5, -1] : [999.5 - i, 1];
    return -sign * Math.log(rank / 500);
  }); // [1000]
}

/** Half the width of the bin of a repeated value, relative to the span of all values. */
const NARROW = 1e-6;

/** Number of tokens: the bins and two tails. */
export function tokenCount({ edges }: Bins): number {
  return edges.length + 1;
}

/** The token of a value. A value on an edge belongs to the bin above the edge. */
export function tokenOf({ edges }: Bins, x: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The value at quantile `uniform`, in (0, 1), of the distribution within the bin of a token. */
export function valueInBin({ edges, tails }: Bins, token: number, uniform: number): number {
  const last = edges.length - 1;
  if (token === 0) return edges[0] + tails[0] * Math.log(uniform);
  if (token === last + 1) return edges[last] - tails[1] * Math.log(1 - uniform);
  return edges[token - 1] + uniform * (edges[token] - edges[token - 1]);
}

/** Whether a token is one of the two tails. */
export function isTail(bins: Bins, token: number): boolean {
  return token === 0 || token === bins.edges.length;
}

/** Distribution function at x, from the probabilities of the tokens. */
export function binnedCdf(bins: Bins, probabilities: ArrayLike<number>, x: number): number {
  const { edges, tails } = bins;
  const token = tokenOf(bins, x);
  let below = 0;
  for (let k = 0; k < token; k++) below += probabilities[k];
  const p = probabilities[token];
  if (token === 0) return p * Math.exp((x - edges[0]) / tails[0]);
  if (token === edges.length) return below - p * Math.expm1((edges[token - 1] - x) / tails[1]);
  return below + (p * (x - edges[token - 1])) / (edges[token] - edges[token - 1]);
}

/** Quantile at p in (0, 1), from the probabilities of the tokens. */
export function binnedQuantile(bins: Bins, probabilities: ArrayLike<number>, p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`binnedQuantile: p must be in (0, 1), got ${p}`);
  const last = bins.edges.length;
  let below = 0;
  for (let k = 0; k < last; k++) {
    // Tokens of probability 0 contain no quantile.
    if (probabilities[k] > 0 && below + probabilities[k] >= p)
      return valueInBin(bins, k, (p - below) / probabilities[k]);
    below += probabilities[k];
  }
  return probabilities[last] > 0
    ? valueInBin(bins, last, Math.min((p - below) / probabilities[last], LARGEST_UNIFORM))
    : bins.edges[last - 1];
}

/**
 * Upper bound of the quantile within a bin. At 1 the upper tail is infinite, and rounding errors of the sums could
 * reach 1.
 */
const LARGEST_UNIFORM = 1 - 2 ** -40;

/** Mean, from the probabilities of the tokens. */
export function binnedMean({ edges, tails }: Bins, probabilities: ArrayLike<number>): number {
  const last = edges.length;
  let sum = probabilities[0] * (edges[0] - tails[0]) + probabilities[last] * (edges[last - 1] + tails[1]);
  for (let k = 1; k < last; k++) sum += (probabilities[k] * (edges[k - 1] + edges[k])) / 2;
  return sum;
}

/** Twice as many bins: each is cut in the middle. The tails stay the same. */
export function splitBins({ edges, tails }: Bins): Bins {
  const finer = new Float64Array(2 * edges.length - 1);
  edges.forEach((edge, k) => {
    finer[2 * k] = edge;
    if (k + 1 < edges.length) finer[2 * k + 1] = (edge + edges[k + 1]) / 2;
  });
  return { edges: finer, tails };
}

/** Logits of the tokens after `splitBins`: each half of a bin gets its logit − log 2, so the distribution stays the same. */
export function splitLogits(logits: ArrayLike<number>): Float64Array {
  const last = logits.length - 1;
  const finer = new Float64Array(2 * (last - 1) + 2);
  finer[0] = logits[0];
  finer[finer.length - 1] = logits[last];
  for (let k = 1; k < last; k++) finer[2 * k - 1] = finer[2 * k] = logits[k] - Math.LN2;
  return finer;
}

/**
 * Predictive quantile from n sorted samples: a further sample lies below it with probability p, since n samples divide
 * the line into n + 1 equally likely intervals. Interpolates linearly between samples.
 */
export function quantileOfSamples(sorted: ArrayLike<number>, p: number): number {
  const last = sorted.length - 1;
  return valueAt(sorted, Math.max(0, Math.min(last, p * (last + 2) - 1)));
}

/**
 * Scale of an exponential distribution with the median of the positive distances; 0 if no distance is positive. Unlike
 * the mean, the median is robust to outliers.
 */
function tailScale(sorted: Float64Array, distance: (x: number) => number): number {
  const distances = sorted.map(distance).filter((d) => d > 0);
  return distances.length > 0 ? quantileOfSorted(distances.sort(), 0.5) / Math.LN2 : 0;
}
