import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards, spearman } from "../../math/distances.ts";
import { distributionMetrics } from "./distribution-metrics.ts";

const reward = Float64Array.of(1, 2, 4, 1);
const { target } = normaliseRewards(reward);

describe("metrics", () => {
  test("of the target itself are ideal", () => {
    const { tv, kl, pearson, spearman, expectedReward } = distributionMetrics(target, reward, target);
    expect([tv, kl]).toEqual([0, 0]);
    expect(pearson).toBeCloseTo(1, 12);
    expect(spearman).toBeCloseTo(1, 12);
    expect(expectedReward).toBeCloseTo((1 + 4 + 16 + 1) / 8, 12);
  });

  test("of another distribution agree with values computed by hand", () => {
    const metrics = distributionMetrics(target, reward, Float64Array.of(1 / 2, 1 / 4, 1 / 8, 1 / 8));
    expect(metrics.tv).toBeCloseTo(3 / 8, 12);
    expect(metrics.kl).toBeCloseTo((1 / 2) * Math.log(4) - (1 / 8) * Math.log(4), 12);
    // log p and log R in units of log 2: −1, −2, −3, −3 and 0, 1, 2, 0.
    expect(metrics.pearson).toBeCloseTo(-1.25 / 2.75, 12);
    // Ranks 3, 2, ½, ½ and ½, 2, 3, ½.
    expect(metrics.spearman).toBeCloseTo(-1.75 / 4.5, 12);
    expect(metrics.expectedReward).toBeCloseTo(1 / 2 + 1 / 2 + 1 / 2 + 1 / 8, 12);
  });

  test("exclude objects of probability 0 from the correlations only", () => {
    const metrics = distributionMetrics(target, reward, Float64Array.of(1 / 7, 2 / 7, 4 / 7, 0));
    expect(metrics.pearson).toBeCloseTo(1, 12);
    expect(metrics.spearman).toBeCloseTo(1, 12);
    expect(metrics.tv).toBeCloseTo(1 / 8, 12);
    expect(metrics.kl).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    ["a constant policy", reward, Float64Array.of(0.25, 0.25, 0.25, 0.25)],
    ["a constant reward", Float64Array.of(0.3, 0.3, 0.3, 0.3), target],
    ["a single object of positive probability", reward, Float64Array.of(0, 1, 0, 0)],
    ["a policy that varies by rounding only", reward, Float64Array.of(0.1 + 0.2, 0.3, 0.3, 0.3)],
  ])("have null correlations for %s", (_, rewards, p) => {
    const metrics = distributionMetrics(normaliseRewards(rewards).target, rewards, p);
    expect(metrics).toMatchObject({ pearson: null, spearman: null });
  });

  test("treat values that differ by rounding as ties", () => {
    const stream = RandomStream.fromSeed(1);
    const levels = Float64Array.from({ length: 300 }, () => 1 + stream.integer(3));
    const rounded = normaliseRewards(levels).target.map((p) => p * (1 + 1e-15 * stream.normal()));
    expect(distributionMetrics(normaliseRewards(levels).target, levels, rounded).spearman).toBeCloseTo(1, 12);
    expect(spearman(levels, rounded)).toBeLessThan(0.99);
  });
});

test("ranks count the values below, and ties as one half", () => {
  const stream = RandomStream.fromSeed(2);
  const draw = () => Float64Array.from({ length: 200 }, () => stream.integer(40) - 20);
  const [x, y] = [draw(), draw()];
  const ranks = (values: Float64Array) =>
    values.map((value) => values.reduce((sum, v) => sum + (v < value ? 1 : v === value ? 0.5 : 0), 0));
  const [a, b] = [ranks(x), ranks(y)];
  const covariance = (u: Float64Array, v: Float64Array) =>
    u.reduce((sum, value, i) => sum + (value - 100) * (v[i] - 100), 0); // such ranks have mean n / 2
  const expected = covariance(a, b) / Math.sqrt(covariance(a, a) * covariance(b, b));
  expect(spearman(x, y)).toBeCloseTo(expected, 12);
});
