import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import {
  type Bins,
  binnedCdf,
  binnedMean,
  binnedQuantile,
  fitBins,
  isTail,
  laplaceQuantiles,
  quantileOfSamples,
  splitBins,
  splitLogits,
  tokenCount,
  tokenOf,
  valueInBin,
} from "./quantiser.ts";

const stream = RandomStream.fromSeed(3).split("quantiser");
const normals = Float64Array.from({ length: 20_000 }, () => stream.normal());
const bins = fitBins(normals, { bins: 32 });
const logits = Float64Array.from({ length: tokenCount(bins) }, () => stream.normal());

function softmax(values: Float64Array): Float64Array {
  const weights = values.map(Math.exp);
  const total = weights.reduce((sum, w) => sum + w);
  return weights.map((w) => w / total);
}

const probabilities = softmax(logits);

test("bins contain equal shares of the fitted values, and the tails their chosen share", () => {
  const counts = new Float64Array(tokenCount(bins));
  for (const x of normals) counts[tokenOf(bins, x)]++;
  expect(tokenCount(bins)).toBe(34);
  for (let k = 1; k <= 32; k++) expect(Math.abs(counts[k] / normals.length - 0.99 / 32)).toBeLessThan(1e-4);
  expect(counts[0] / normals.length).toBeCloseTo(0.005, 4);
  expect(counts[33] / normals.length).toBeCloseTo(0.005, 4);
});

test("a value sampled from a bin has the token of that bin", () => {
  for (let token = 0; token < tokenCount(bins); token++) {
    for (const u of [1e-6, 0.3, 0.999999]) expect(tokenOf(bins, valueInBin(bins, token, u))).toBe(token);
  }
  expect(isTail(bins, 0) && isTail(bins, 33) && !isTail(bins, 1) && !isTail(bins, 32)).toBe(true);
});

test("the quantile function inverts the distribution function, also in the tails", () => {
  for (const p of [1e-6, 0.001, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 0.999, 1 - 1e-6]) {
    expect(binnedCdf(bins, probabilities, binnedQuantile(bins, probabilities, p))).toBeCloseTo(p, 12);
  }
  const certain = new Float64Array(tokenCount(bins));
  certain[5] = 1;
  expect(binnedQuantile(bins, certain, 0.5)).toBeCloseTo((bins.edges[4] + bins.edges[5]) / 2, 12);
});

test("the mean is the integral of the quantiles", () => {
  const n = 200_000;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += binnedQuantile(bins, probabilities, (i + 0.5) / n);
  expect(sum / n).toBeCloseTo(binnedMean(bins, probabilities), 4);
});

test("sampled values follow the distribution function", () => {
  const samples = 40_000;
  let below = 0;
  for (let i = 0; i < samples; i++) {
    let token = 0;
    for (let u = stream.uniform(); u > probabilities[token]; token++) u -= probabilities[token];
    if (valueInBin(bins, token, stream.uniform()) <= 0.2) below++;
  }
  expect(Math.abs(below / samples - binnedCdf(bins, probabilities, 0.2))).toBeLessThan(
    4 * Math.sqrt(0.25 / samples),
  );
});

test("splitting every bin keeps the distribution: no divergence, and the same distribution function", () => {
  const finer = splitBins(bins);
  const fine = splitLogits(logits);
  expect(tokenCount(finer)).toBe(66);
  expect(fine.length).toBe(66);
  const split = softmax(fine);
  // KL divergence of the densities, which are constant within a bin; the tails are unchanged.
  const density = (b: Bins, p: Float64Array, k: number) => p[k] / (b.edges[k] - b.edges[k - 1]);
  let divergence = 0;
  for (let k = 1; k <= 64; k++) {
    const parent = Math.ceil(k / 2);
    divergence += split[k] * Math.log(density(finer, split, k) / density(bins, probabilities, parent));
  }
  divergence +=
    split[0] * Math.log(split[0] / probabilities[0]) + split[65] * Math.log(split[65] / probabilities[33]);
  expect(Math.abs(divergence)).toBeLessThan(1e-14);
  for (let x = -4; x <= 4; x += 0.01) {
    expect(Math.abs(binnedCdf(finer, split, x) - binnedCdf(bins, probabilities, x))).toBeLessThan(1e-14);
  }
});

test("a repeated value gets its own narrow bin, and constant values are accepted", () => {
  const withRepeats = normals.map((x, i) => (i % 2 === 0 ? 0 : x));
  const repeated = fitBins(withRepeats, { bins: 16 });
  const token = tokenOf(repeated, 0);
  expect(repeated.edges[token] - repeated.edges[token - 1]).toBeLessThan(1e-4);
  expect(repeated.edges.every((edge, k) => k === 0 || edge > repeated.edges[k - 1])).toBe(true);
  const constant = fitBins(new Float64Array(50).fill(7), { bins: 32 });
  expect(isTail(constant, tokenOf(constant, 7))).toBe(false);
  expect(valueInBin(constant, tokenOf(constant, 7), 0.5)).toBeCloseTo(7, 3);
  expect(tokenCount(fitBins(Float64Array.of(1, 2), { bins: 4 }))).toBeGreaterThanOrEqual(3);
});

test("rejects empty and non-finite values, a non-positive number of bins, and p outside (0, 1)", () => {
  expect(() => fitBins(new Float64Array(), { bins: 4 })).toThrow(
    "fitBins: there must be at least one value, got none",
  );
  expect(() => fitBins(Float64Array.of(1, NaN), { bins: 4 })).toThrow(
    "fitBins: values must be finite, got NaN",
  );
  expect(() => fitBins(normals, { bins: 0 })).toThrow("fitBins: bins must be a positive whole number, got 0");
  expect(() => binnedQuantile(bins, probabilities, 1)).toThrow("binnedQuantile: p must be in (0, 1), got 1");
});

test("a quantile of n samples is exceeded by a further sample with the complementary probability", () => {
  const sorted = [1, 2, 3, 4];
  expect([0.2, 0.4, 0.5, 0.8].map((p) => quantileOfSamples(sorted, p))).toEqual([1, 2, 2.5, 4]);
  expect(quantileOfSamples(sorted, 0.01)).toBe(1);
  expect(quantileOfSamples(sorted, 0.99)).toBe(4);
  expect(quantileOfSamples([7], 0.5)).toBe(7);
});

test("bins fitted to Laplace quantiles reproduce the Laplace distribution", () => {
  const laplace = fitBins(laplaceQuantiles(), { bins: 40 });
  const even = Array.from({ length: tokenCount(laplace) }, (_, k) =>
    isTail(laplace, k) ? 0.005 : 0.99 / 40,
  );
  for (const p of [1, 4, 10, 19].map((k) => 0.005 + (0.99 * k) / 40)) {
    expect(Math.abs(binnedQuantile(laplace, even, p) - Math.log(2 * p))).toBeLessThan(0.02);
    expect(Math.abs(binnedQuantile(laplace, even, 1 - p) + Math.log(2 * p))).toBeLessThan(0.02);
  }
});
