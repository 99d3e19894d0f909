// Tests of random streams: reproducible, independent of each other, with the right distributions.

import { describe, expect, test } from "vitest";
import { RandomStream } from "./random-stream.ts";

const draw = (stream: RandomStream, count = 8) => Array.from({ length: count }, () => stream.bits());
const root = (seed = 1) => RandomStream.fromSeed(seed);

function moments(count: number, next: () => number): { mean: number; variance: number; fourth: number } {
  const numbers = Float64Array.from({ length: count }, next);
  const mean = numbers.reduce((sum, x) => sum + x, 0) / count;
  const central = (power: number) => numbers.reduce((sum, x) => sum + (x - mean) ** power, 0) / count;
  return { mean, variance: central(2), fourth: central(4) };
}

/** Pearson's chi-square statistic of equally likely cells, in standard deviations from its mean. */
function chiSquareDeviation(counts: readonly number[]): number {
  const expected = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  const statistic = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  const freedom = counts.length - 1;
  return (statistic - freedom) / Math.sqrt(2 * freedom);
}

function tally(cells: number, draws: number, next: () => number): number[] {
  const counts = new Array<number>(cells).fill(0);
  for (let k = 0; k < draws; k++) counts[next()]++;
  return counts;
}

describe("seeds", () => {
  test("the same seed gives the same numbers, another seed different ones", () => {
    expect(draw(root(7))).toEqual(draw(root(7)));
    const seeds = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];
    const streams = seeds.map((seed) => draw(root(seed)).join());
    expect(new Set(streams).size).toBe(seeds.length);
  });

  test("the numbers of a seed are fixed", () => {
    expect(draw(root(0), 4)).toMatchInlineSnapshot(`
      [
        1366505901,
        1300710185,
        2217336794,
        394610518,
      ]
    `);
    expect(draw(root(42).split("policy"), 4)).toMatchInlineSnapshot(`
      [
        1432873239,
        1577045380,
        1175376463,
        2368654362,
      ]
    `);
  });

  test("the generator is xoshiro128**", () => {
    const stream = RandomStream.restore({ key: [0, 0], words: [1, 2, 3, 4] });
    expect(draw(stream, 4)).toEqual([11520, 0, 5927040, 70819200]);
  });

  test.each([-1, 0.5, 2 ** 53, Number.NaN, Infinity])("%d is rejected as a seed", (seed) => {
    expect(() => root(seed)).toThrow(
      new RangeError(`RandomStream: seed must be a whole number from 0 to 2^53 - 1, got ${seed}`),
    );
  });
});

describe("named streams", () => {
  test("do not depend on the use of other streams", () => {
    const [fresh, used] = [root(), root()];
    draw(used, 100);
    draw(used.split("evaluation"), 50);
    expect(draw(used.split("policy"))).toEqual(draw(fresh.split("policy")));
  });

  test("differ for different names and paths", () => {
    const names = [
      "",
      "a",
      "b",
      "ab",
      "ba",
      "aa",
      "a b",
      "A",
      "é",
      "policy",
      "policy.m",
      "policy.v",
      "\u{1f600}",
    ];
    const streams = names.map((name) => root().split(name));
    const nested = [root().split("a").split("b"), root().split("b").split("a"), root().split("a").split("")];
    const all = [root(), ...streams, ...nested].map((stream) => draw(stream).join());
    expect(new Set(all).size).toBe(all.length);
  });

  test("are uncorrelated, even for neighbouring names", () => {
    const count = 20_000;
    const [a, b] = ["0", "1"].map((name) => root().split(name));
    const product = Array.from({ length: count }, () => (a.uniform() - 0.5) * (b.uniform() - 0.5));
    const correlation = (12 * product.reduce((sum, x) => sum + x, 0)) / count;
    expect(Math.abs(correlation)).toBeLessThan(4 / Math.sqrt(count));
  });

  test("have uniformly distributed first draws", () => {
    let stream = 0;
    const counts = tally(16, 4000, () => root().split(`stream ${stream++}`).integer(16));
    expect(Math.abs(chiSquareDeviation(counts))).toBeLessThan(4);
  });
});

describe("uniform numbers", () => {
  test("lie strictly between 0 and 1 and are float32", () => {
    const stream = root();
    for (let k = 0; k < 50_000; k++) {
      const u = stream.uniform();
      if (!(u > 0 && u < 1 && Math.fround(u) === u)) expect.fail(`got ${u}`);
    }
  });

  test("lie strictly between 0 and 1 for the smallest and largest bits", () => {
    const withBits = (bits: number) => Object.assign(root(), { bits: () => bits }).uniform();
    for (const u of [withBits(0), withBits(2 ** 32 - 1)]) {
      expect(u > 0 && u < 1).toBe(true);
      expect(Math.fround(u)).toBe(u);
      expect(Number.isFinite(Math.log(-Math.log(u)))).toBe(true);
    }
  });

  test("have mean 1/2 and variance 1/12", () => {
    const stream = root(3);
    const count = 100_000;
    const { mean, variance } = moments(count, () => stream.uniform());
    expect(Math.abs(mean - 1 / 2)).toBeLessThan(4 * Math.sqrt(1 / 12 / count));
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(4 * Math.sqrt(1 / 180 / count));
  });

  test("are uniformly distributed, also in pairs", () => {
    const stream = root(4);
    const cells = tally(64, 64_000, () => Math.floor(stream.uniform() * 64));
    expect(Math.abs(chiSquareDeviation(cells))).toBeLessThan(4);
    const pairs = tally(
      64,
      64_000,
      () => Math.floor(stream.uniform() * 8) * 8 + Math.floor(stream.uniform() * 8),
    );
    expect(Math.abs(chiSquareDeviation(pairs))).toBeLessThan(4);
  });

  test("fill an array in the order of the draws", () => {
    const [a, b] = [root(), root()];
    const array = new Float32Array(5);
    expect(a.fillUniform(array)).toBe(array);
    expect([...array]).toEqual(Array.from({ length: 5 }, () => b.uniform()));
  });
});

describe("integers", () => {
  test.each([1, 2, 7, 10, 100])("below %i are unbiased", (n) => {
    const stream = root(5);
    const counts = tally(n, 2000 * Math.min(n, 30), () => stream.integer(n));
    if (n > 1) expect(Math.abs(chiSquareDeviation(counts))).toBeLessThan(4);
    else expect(counts).toEqual([2000]);
  });

  test("are unbiased if 2^32 is not a multiple of n", () => {
    // Without rejection sampling, remainders would be in the lower half with probability 5/8.
    const n = 3 * 2 ** 30;
    const stream = root(6);
    const low = tally(2, 30_000, () => (stream.integer(n) < n / 2 ? 0 : 1));
    expect(Math.abs(chiSquareDeviation(low))).toBeLessThan(4);
  });

  test("cover all 32 bits", () => {
    expect(root().integer(2 ** 32)).toBe(root().bits());
  });

  test.each([0, -3, 1.5, 2 ** 32 + 1, Number.NaN])("below %d are rejected", (n) => {
    expect(() => root().integer(n)).toThrow(
      new RangeError(`RandomStream.integer: n must be a whole number from 1 to 2^32, got ${n}`),
    );
  });
});

test("normal numbers have the moments of the standard normal distribution", () => {
  const stream = root(8);
  const count = 100_000;
  const { mean, variance, fourth } = moments(count, () => stream.normal());
  expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(count));
  expect(Math.abs(variance - 1)).toBeLessThan(4 * Math.sqrt(2 / count));
  expect(Math.abs(fourth - 3)).toBeLessThan(4 * Math.sqrt(96 / count));
});

describe("saved streams", () => {
  test("continue exactly from the saved state, through JSON", () => {
    const stream = root(9).split("policy");
    draw(stream, 17);
    const saved = JSON.parse(JSON.stringify(stream.save()));
    const next = draw(stream);
    const restored = RandomStream.restore(saved);
    expect(draw(restored)).toEqual(next);
  });

  test("split into the same streams after restoring", () => {
    const stream = root(9);
    draw(stream, 3);
    const restored = RandomStream.restore(stream.save());
    expect(draw(restored.split("a"))).toEqual(draw(stream.split("a")));
  });

  test("are not changed by saving or splitting", () => {
    const [a, b] = [root(), root()];
    a.save();
    a.split("child").bits();
    expect(draw(a)).toEqual(draw(b));
  });
});
