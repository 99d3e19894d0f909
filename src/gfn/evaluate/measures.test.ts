import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { normalise, spearman } from "./distances.ts";
import { measuresOf } from "./measures.ts";

const reward = Float64Array.of(1, 2, 4, 1);
const { target } = normalise(reward);

describe("measures", () => {
  test("of the target itself are perfect", () => {
    const { tv, kl, pearson, spearman, expectedReward } = measuresOf(target, reward, target);
    expect([tv, kl]).toEqual([0, 0]);
    expect(pearson).toBeCloseTo(1, 12);
    expect(spearman).toBeCloseTo(1, 12);
    expect(expectedReward).toBeCloseTo((1 + 4 + 16 + 1) / 8, 12);
  });

  test("of another distribution are those worked out by hand", () => {
    const measures = measuresOf(target, reward, Float64Array.of(1 / 2, 1 / 4, 1 / 8, 1 / 8));
    expect(measures.tv).toBeCloseTo(3 / 8, 12);
    expect(measures.kl).toBeCloseTo((1 / 2) * Math.log(4) - (1 / 8) * Math.log(4), 12);
    // log p and log R in units of log 2: −1, −2, −3, −3 and 0, 1, 2, 0.
    expect(measures.pearson).toBeCloseTo(-1.25 / 2.75, 12);
    // Ranks 3, 2, ½, ½ and ½, 2, 3, ½.
    expect(measures.spearman).toBeCloseTo(-1.75 / 4.5, 12);
    expect(measures.expectedReward).toBeCloseTo(1 / 2 + 1 / 2 + 1 / 2 + 1 / 8, 12);
  });

  test("leave out of correlations what is never reached, and only there", () => {
    const measures = measuresOf(target, reward, Float64Array.of(1 / 7, 2 / 7, 4 / 7, 0));
    expect(measures.pearson).toBeCloseTo(1, 12);
    expect(measures.spearman).toBeCloseTo(1, 12);
    expect(measures.tv).toBeCloseTo(1 / 8, 12);
    expect(measures.kl).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    ["a constant policy", reward, Float64Array.of(0.25, 0.25, 0.25, 0.25)],
    ["a constant reward", Float64Array.of(0.3, 0.3, 0.3, 0.3), target],
    ["a single object that is reached", reward, Float64Array.of(0, 1, 0, 0)],
    ["a policy that varies by rounding only", reward, Float64Array.of(0.1 + 0.2, 0.3, 0.3, 0.3)],
  ])("have no correlations for %s", (_, rewards, p) => {
    const measures = measuresOf(normalise(rewards).target, rewards, p);
    expect(measures).toMatchObject({ pearson: null, spearman: null });
  });

  test("see ties that rounding broke", () => {
    const stream = RandomStream.fromSeed(1);
    const levels = Float64Array.from({ length: 300 }, () => 1 + stream.integer(3));
    const rounded = normalise(levels).target.map((p) => p * (1 + 1e-15 * stream.normal()));
    expect(measuresOf(normalise(levels).target, levels, rounded).spearman).toBeCloseTo(1, 12);
    expect(spearman(levels, rounded)).toBeLessThan(0.99);
  });
});

test("ranks are the mean number of those below, ties counting half", () => {
  const stream = RandomStream.fromSeed(2);
  const draw = () => Float64Array.from({ length: 200 }, () => stream.integer(40) - 20);
  const [x, y] = [draw(), draw()];
  const ranks = (values: Float64Array) =>
    values.map((value) => values.reduce((sum, v) => sum + (v < value ? 1 : v === value ? 0.5 : 0), 0));
  const [a, b] = [ranks(x), ranks(y)];
  const covariance = (u: Float64Array, v: Float64Array) =>
    u.reduce((sum, value, i) => sum + (value - 100) * (v[i] - 100), 0); // ranks counted so have mean n / 2
  const expected = covariance(a, b) / Math.sqrt(covariance(a, a) * covariance(b, b));
  expect(spearman(x, y)).toBeCloseTo(expected, 12);
});
