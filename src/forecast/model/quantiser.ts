// Numbers as tokens: bins that hold equal shares of the numbers seen in training, and an open bin at either end.
//
// Token 0 is the lower tail, tokens 1 to K are the bins between K + 1 rising edges, token K + 1 is the upper tail.
// Inside a bin a number is uniform, beyond the edges it falls off exponentially. So every row of token probabilities is
// a distribution over numbers, whose distribution function, quantiles and mean are known exactly.

import { checkSizes } from "../../nn/checks.ts";

export interface Bins {
  /** K + 1 rising edges. */
  readonly edges: Float64Array;
  /** Mean distance of what is drawn beyond the first and the last edge from it. */
  readonly tails: readonly [lower: number, upper: number];
}

export interface BinOptions {
  /** Bins between the tails, K; fewer where numbers repeat. */
  readonly bins: number;
  /** Share of the numbers in each tail. */
  readonly tail?: number;
}

/** Bins of equal shares; a number that fills whole bins by itself gets a narrow bin of its own. */
export function fitBins(numbers: Float64Array, { bins, tail = 0.005 }: BinOptions): Bins {
  checkSizes("fitBins", { bins });
  if (!(tail > 0 && tail < 0.5)) throw new RangeError(`fitBins: tail must be in (0, 0.5), got ${tail}`);
  const wrong = numbers.find((x) => !Number.isFinite(x));
  if (wrong !== undefined) throw new RangeError(`fitBins: numbers must be finite, got ${wrong}`);
  if (numbers.length === 0) throw new RangeError("fitBins: there must be at least one number, got none");
  const sorted = numbers.slice().sort();
  const at = Array.from({ length: bins + 1 }, (_, k) =>
    quantileOfSorted(sorted, tail + ((1 - 2 * tail) * k) / bins),
  );
  const span = Math.max(at[bins] - at[0], Math.abs(at[0]) * 1e-3, 1e-3);
  const half = span * NARROW;
  const edges: number[] = [];
  at.forEach((edge, k) => {
    const repeats = edge === at[k - 1] || edge === at[k + 1];
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
      tailLength(sorted, (x) => first - x) || width, //
      tailLength(sorted, (x) => x - last) || width,
    ],
  };
}

/** Numbers as a Laplace law has them whose mean size is 1, evenly spread: for bins where next to nothing was seen. */
export function laplaceNumbers(): Float64Array {
  return Float64Array.from({ length: 1000 }, (_, i) => {
    const [share, sign] = i < 500 ? [i + 0.5, -1] : [999.5 - i, 1];
    return -sign * Math.log(share / 500);
  }); // [1000]
}

/** Half the width of the bin of a number that repeats, as a share of the span of all. */
const NARROW = 1e-6;

/** How many tokens there are: the bins and two tails. */
export function tokensOf({ edges }: Bins): number {
  return edges.length + 1;
}

/** The token of a number. A number on an edge belongs to the bin above it. */
export function tokenOf({ edges }: Bins, x: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A number out of the bin of a token, by a uniform number in (0, 1). */
export function numberIn({ edges, tails }: Bins, token: number, uniform: number): number {
  const last = edges.length - 1;
  if (token === 0) return edges[0] + tails[0] * Math.log(uniform);
  if (token === last + 1) return edges[last] - tails[1] * Math.log(1 - uniform);
  return edges[token - 1] + uniform * (edges[token] - edges[token - 1]);
}

/** Whether a token is one of the two open bins. */
export function isTail(bins: Bins, token: number): boolean {
  return token === 0 || token === bins.edges.length;
}

/** Probability of at most x, where tokens have these probabilities. */
export function cdf(bins: Bins, law: ArrayLike<number>, x: number): number {
  const { edges, tails } = bins;
  const token = tokenOf(bins, x);
  let below = 0;
  for (let k = 0; k < token; k++) below += law[k];
  if (token === 0) return law[0] * Math.exp((x - edges[0]) / tails[0]);
  if (token === edges.length) return below - law[token] * Math.expm1((edges[token - 1] - x) / tails[1]);
  return below + (law[token] * (x - edges[token - 1])) / (edges[token] - edges[token - 1]);
}

/** The number below which a share p in (0, 1) of the law lies. */
export function quantile(bins: Bins, law: ArrayLike<number>, p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`quantile: p must be in (0, 1), got ${p}`);
  const last = bins.edges.length;
  let below = 0;
  for (let k = 0; k < last; k++) {
    // A token without probability has no number at which its share is reached.
    if (law[k] > 0 && below + law[k] >= p) return numberIn(bins, k, (p - below) / law[k]);
    below += law[k];
  }
  return law[last] > 0
    ? numberIn(bins, last, Math.min((p - below) / law[last], LARGEST_SHARE))
    : bins.edges[last - 1];
}

/** So that rounding of the sums never asks for a share of 1, which lies at infinity. */
const LARGEST_SHARE = 1 - 2 ** -40;

/** The mean of the law. */
export function mean({ edges, tails }: Bins, law: ArrayLike<number>): number {
  const last = edges.length;
  let sum = law[0] * (edges[0] - tails[0]) + law[last] * (edges[last - 1] + tails[1]);
  for (let k = 1; k < last; k++) sum += (law[k] * (edges[k - 1] + edges[k])) / 2;
  return sum;
}

/** Twice the bins: each is cut in the middle, the tails stay. */
export function splitBins({ edges, tails }: Bins): Bins {
  const finer = new Float64Array(2 * edges.length - 1);
  edges.forEach((edge, k) => {
    finer[2 * k] = edge;
    if (k + 1 < edges.length) finer[2 * k + 1] = (edge + edges[k + 1]) / 2;
  });
  return { edges: finer, tails };
}

/** The logits of the finer tokens: both halves of a bin get its logit less log 2, so the law stays what it was. */
export function splitLogits(logits: ArrayLike<number>): Float64Array {
  const last = logits.length - 1;
  const finer = new Float64Array(2 * (last - 1) + 2);
  finer[0] = logits[0];
  finer[finer.length - 1] = logits[last];
  for (let k = 1; k < last; k++) finer[2 * k - 1] = finer[2 * k] = logits[k] - Math.LN2;
  return finer;
}

/** The number below which a further draw lies with probability p, of sorted draws: n of them cut the line into n + 1 equal shares. */
export function quantileOfDraws(sorted: ArrayLike<number>, p: number): number {
  const last = sorted.length - 1;
  const place = Math.max(0, Math.min(last, p * (last + 2) - 1));
  const below = Math.floor(place);
  const above = Math.min(below + 1, last);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/** Between the numbers where p falls, in a line. */
export function quantileOfSorted(sorted: ArrayLike<number>, p: number): number {
  const place = p * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/** The mean of the exponential law whose median is that of the positive distances, which one odd number cannot move; 0 if none is. */
function tailLength(numbers: Float64Array, distance: (x: number) => number): number {
  const distances = numbers.map(distance).filter((d) => d > 0);
  return distances.length > 0 ? quantileOfSorted(distances.sort(), 0.5) / Math.LN2 : 0;
}
