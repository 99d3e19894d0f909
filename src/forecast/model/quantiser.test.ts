import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import {
  type Bins,
  cdf,
  fitBins,
  isTail,
  laplaceNumbers,
  mean,
  numberIn,
  quantile,
  quantileOfDraws,
  splitBins,
  splitLogits,
  tokenOf,
  tokensOf,
} from "./quantiser.ts";

const stream = RandomStream.fromSeed(3).split("quantiser");
const normals = Float64Array.from({ length: 20_000 }, () => stream.normal());
const bins = fitBins(normals, { bins: 32 });
const logits = Float64Array.from({ length: tokensOf(bins) }, () => stream.normal());

function softmax(values: Float64Array): Float64Array {
  const weights = values.map(Math.exp);
  const total = weights.reduce((sum, w) => sum + w);
  return weights.map((w) => w / total);
}

const law = softmax(logits);

test("bins hold equal shares of what they were fitted to, and the tails what was asked for", () => {
  const counts = new Float64Array(tokensOf(bins));
  for (const x of normals) counts[tokenOf(bins, x)]++;
  expect(tokensOf(bins)).toBe(34);
  for (let k = 1; k <= 32; k++) expect(Math.abs(counts[k] / normals.length - 0.99 / 32)).toBeLessThan(1e-4);
  expect(counts[0] / normals.length).toBeCloseTo(0.005, 4);
  expect(counts[33] / normals.length).toBeCloseTo(0.005, 4);
});

test("a number drawn out of a bin has the token of the bin", () => {
  for (let token = 0; token < tokensOf(bins); token++) {
    for (const u of [1e-6, 0.3, 0.999999]) expect(tokenOf(bins, numberIn(bins, token, u))).toBe(token);
  }
  expect(isTail(bins, 0) && isTail(bins, 33) && !isTail(bins, 1) && !isTail(bins, 32)).toBe(true);
});

test("quantiles undo the distribution function, in the tails too", () => {
  for (const p of [1e-6, 0.001, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 0.999, 1 - 1e-6]) {
    expect(cdf(bins, law, quantile(bins, law, p))).toBeCloseTo(p, 12);
  }
  const sure = new Float64Array(tokensOf(bins));
  sure[5] = 1;
  expect(quantile(bins, sure, 0.5)).toBeCloseTo((bins.edges[4] + bins.edges[5]) / 2, 12);
});

test("the mean is the integral of the quantiles", () => {
  const n = 200_000;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += quantile(bins, law, (i + 0.5) / n);
  expect(sum / n).toBeCloseTo(mean(bins, law), 4);
});

test("drawn numbers follow the distribution function", () => {
  const draws = 40_000;
  let below = 0;
  for (let i = 0; i < draws; i++) {
    let token = 0;
    for (let u = stream.uniform(); u > law[token]; token++) u -= law[token];
    if (numberIn(bins, token, stream.uniform()) <= 0.2) below++;
  }
  expect(Math.abs(below / draws - cdf(bins, law, 0.2))).toBeLessThan(4 * Math.sqrt(0.25 / draws));
});

test("splitting every bin leaves the law as it is: no divergence, and the same distribution function", () => {
  const finer = splitBins(bins);
  const fine = splitLogits(logits);
  expect(tokensOf(finer)).toBe(66);
  expect(fine.length).toBe(66);
  const split = softmax(fine);
  // Of densities: inside a bin they are constant, and both tails are what they were.
  const density = (b: Bins, p: Float64Array, k: number) => p[k] / (b.edges[k] - b.edges[k - 1]);
  let divergence = 0;
  for (let k = 1; k <= 64; k++) {
    const parent = Math.ceil(k / 2);
    divergence += split[k] * Math.log(density(finer, split, k) / density(bins, law, parent));
  }
  divergence += split[0] * Math.log(split[0] / law[0]) + split[65] * Math.log(split[65] / law[33]);
  expect(Math.abs(divergence)).toBeLessThan(1e-14);
  for (let x = -4; x <= 4; x += 0.01) {
    expect(Math.abs(cdf(finer, split, x) - cdf(bins, law, x))).toBeLessThan(1e-14);
  }
});

test("numbers that repeat get a narrow bin of their own, and constants do no harm", () => {
  const halfZero = normals.map((x, i) => (i % 2 === 0 ? 0 : x));
  const atom = fitBins(halfZero, { bins: 16 });
  const token = tokenOf(atom, 0);
  expect(atom.edges[token] - atom.edges[token - 1]).toBeLessThan(1e-4);
  expect(atom.edges.every((edge, k) => k === 0 || edge > atom.edges[k - 1])).toBe(true);
  const constant = fitBins(new Float64Array(50).fill(7), { bins: 32 });
  expect(isTail(constant, tokenOf(constant, 7))).toBe(false);
  expect(numberIn(constant, tokenOf(constant, 7), 0.5)).toBeCloseTo(7, 3);
  expect(tokensOf(fitBins(Float64Array.of(1, 2), { bins: 4 }))).toBeGreaterThanOrEqual(3);
});

test("refuses what is no number, in one sentence", () => {
  expect(() => fitBins(new Float64Array(), { bins: 4 })).toThrow(
    "fitBins: there must be at least one number, got none",
  );
  expect(() => fitBins(Float64Array.of(1, NaN), { bins: 4 })).toThrow(
    "fitBins: numbers must be finite, got NaN",
  );
  expect(() => fitBins(normals, { bins: 0 })).toThrow("fitBins: bins must be a positive whole number, got 0");
  expect(() => quantile(bins, law, 1)).toThrow("quantile: p must be in (0, 1), got 1");
});

test("quantiles of draws leave out of n + 1 draws the one that they promise", () => {
  const sorted = [1, 2, 3, 4];
  expect([0.2, 0.4, 0.5, 0.8].map((p) => quantileOfDraws(sorted, p))).toEqual([1, 2, 2.5, 4]);
  expect(quantileOfDraws(sorted, 0.01)).toBe(1);
  expect(quantileOfDraws(sorted, 0.99)).toBe(4);
  expect(quantileOfDraws([7], 0.5)).toBe(7);
});

test("bins of a Laplace law have its quantiles", () => {
  const own = fitBins(laplaceNumbers(), { bins: 40 });
  const even = Array.from({ length: tokensOf(own) }, (_, k) => (isTail(own, k) ? 0.005 : 0.99 / 40));
  for (const p of [1, 4, 10, 19].map((k) => 0.005 + (0.99 * k) / 40)) {
    expect(Math.abs(quantile(own, even, p) - Math.log(2 * p))).toBeLessThan(0.02);
    expect(Math.abs(quantile(own, even, 1 - p) + Math.log(2 * p))).toBeLessThan(0.02);
  }
});
