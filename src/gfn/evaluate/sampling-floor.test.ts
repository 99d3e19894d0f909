import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards } from "../../math/distances.ts";
import { meanDeviation, sampledTotalVariation, samplingFloor } from "./sampling-floor.ts";

/** E|X/n − p| by a sum over all values of X. */
function bruteDeviation(n: number, p: number): number {
  let probability = (1 - p) ** n;
  let sum = 0;
  for (let x = 0; x <= n; x++) {
    sum += probability * Math.abs(x / n - p);
    probability *= ((n - x) / (x + 1)) * (p / (1 - p));
  }
  return sum;
}

describe("the sampling floor", () => {
  test.each([
    [1, 0.5],
    [1, 0.01],
    [7, 0.3],
    [20, 0.25],
    [20, 0.999],
    [400, 0.1],
    [400, 1e-5],
  ])("has the exact mean deviation for %i samples and probability %f", (n, p) => {
    expect(meanDeviation(n, p)).toBeCloseTo(bruteDeviation(n, p), 12);
  });

  test("is 0 for probabilities 0 and 1", () => {
    expect(samplingFloor(Float64Array.of(0, 1), 10)).toBe(0);
  });

  test("of a fair coin with one and two throws", () => {
    const coin = Float64Array.of(0.5, 0.5);
    expect(samplingFloor(coin, 1)).toBeCloseTo(0.5, 12);
    expect(samplingFloor(coin, 2)).toBeCloseTo(0.25, 12);
  });

  test("approaches the normal approximation for many samples", () => {
    const target = new Float64Array(256).fill(1 / 256);
    const normal = 0.5 * Math.sqrt((2 * 256) / (Math.PI * 1e6));
    expect(samplingFloor(target, 1e6) / normal).toBeCloseTo(1, 2);
  });

  test("is the mean total variation of a perfect sampler", () => {
    const weights = Float64Array.from({ length: 20 }, (_, i) => (i + 1) ** 2);
    const { target } = normaliseRewards(weights);
    const stream = RandomStream.fromSeed(3);
    const draw = () => {
      let u = (stream.bits() + 0.5) / 2 ** 32;
      for (let i = 0; i < target.length; i++) {
        u -= target[i];
        if (u < 0) return i;
      }
      return target.length - 1;
    };
    let sum = 0;
    for (let repeat = 0; repeat < 400; repeat++) {
      sum += sampledTotalVariation(Int32Array.from({ length: 50 }, draw), target).tv;
    }
    expect(sum / 400).toBeCloseTo(samplingFloor(target, 50), 2);
  });
});

test("sampledTotalVariation returns the floor and the number of samples", () => {
  const result = sampledTotalVariation([0, 0, 0, 1], Float64Array.of(0.5, 0.5));
  expect(result.tv).toBeCloseTo(0.25, 12);
  expect(result.samples).toBe(4);
  expect(result.floor).toBeCloseTo(0.1875, 12); // E|X/4 − ½| = (2·½ + 8·¼) / 16
});

test("invalid terminals and empty samples are refused", () => {
  const target = Float64Array.of(0.5, 0.5);
  expect(() => sampledTotalVariation([0, 2], target)).toThrow(
    "terminals must be from 0 to 1, got 2 for sample 1",
  );
  expect(() => sampledTotalVariation([], target)).toThrow("there must be at least one sample, got none");
  expect(() => samplingFloor(target, 0)).toThrow("samples must be a positive whole number, got 0");
});
