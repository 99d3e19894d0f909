// The entropy ratio in float64: its range, its degenerate cases, its gradient, and its quantiles on both engines.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../../../test/support/difference.ts";
import {
  checkGradients,
  evaluate,
  type HostInput,
  hostInputs,
  specsOf,
  weightedSum,
} from "../../../../test/support/gradients.ts";
import { expectGradientsOnEngines, expectOutputsOnEngines } from "../../../../test/support/on-engines.ts";
import { RandomStream } from "../../../engine/index.ts";
import { ENTROPY_RATIO_ESTIMATORS } from "./choices.ts";
import {
  CLAMP_LEVEL,
  entropyRatio,
  meanRatio,
  normalisedEntropy,
  quantiles,
  ratioBetween,
  SMALLEST_ENTROPY,
} from "./ratio.ts";

const [N, A] = [24, 5];
const QUANTILE = 0.25;

/** Random policies from nearly deterministic to nearly uniform; some have one legal action, some rows have weight 0. */
function randomPolicies(seed: number): Record<"logits" | "allowed" | "weight", HostInput> {
  const stream = RandomStream.fromSeed(seed);
  const logits: number[] = [];
  const allowed: number[] = [];
  for (let row = 0; row < N; row++) {
    const scale = 10 ** (3 * stream.uniform() - 1.5);
    const legal = 1 + stream.integer(A);
    for (let a = 0; a < A; a++) {
      logits.push(scale * stream.normal());
      allowed.push(+((a + row) % A < legal));
    }
  }
  return {
    logits: { shape: [N, A], data: logits },
    allowed: { shape: [N, A], dtype: "bool", data: allowed },
    weight: { shape: [N], data: Array.from({ length: N }, () => +(stream.uniform() < 0.7)) },
  };
}

const scalar = (value: number): HostInput => ({ shape: [], data: [value] });
const column = (...data: number[]): HostInput => ({ shape: [data.length], data });

describe("the normalised entropy", () => {
  test("matches its definition", () => {
    const { logits, allowed } = randomPolicies(1);
    const { h } = evaluate((x) => ({ h: normalisedEntropy(x.logits, x.allowed) }), { logits, allowed });
    for (let row = 0; row < N; row++) {
      const legal = Array.from({ length: A }, (_, a) => row * A + a).filter((i) => allowed.data[i]);
      const weights = legal.map((i) => Math.exp(Math.fround(logits.data[i])));
      const sum = weights.reduce((a, b) => a + b);
      const entropy = weights.reduce((total, w) => total - (w > 0 ? (w / sum) * Math.log(w / sum) : 0), 0);
      expect(h[row]).toBeCloseTo(legal.length > 1 ? entropy / Math.log(legal.length) : 0, 9);
    }
  });

  test("is 0 for one legal action, and 1 for a uniform policy", () => {
    const { h } = evaluate((x) => ({ h: normalisedEntropy(x.logits, x.allowed) }), {
      logits: { shape: [2, 3], data: [5, -2, 1, 0.5, 7, 0.5] },
      allowed: { shape: [2, 3], dtype: "bool", data: [0, 1, 0, 1, 0, 1] },
    });
    expect(h[0]).toBeCloseTo(0, 15);
    expect(h[1]).toBeCloseTo(1, 12);
  });

  test("has correct gradients, also beside illegal actions and for a deterministic policy", async () => {
    const stream = RandomStream.fromSeed(4);
    const logits = { shape: [4, 3], data: Array.from({ length: 12 }, () => 2 * stream.normal()) };
    const allowed = { shape: [4, 3], dtype: "bool" as const, data: [1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1] };
    await expectGradientsOnEngines(
      checkGradients(
        (x) => weightedSum(normalisedEntropy(x.logits, x.allowed)),
        { logits },
        { fixed: { allowed } },
      ),
    );
    const { slope } = evaluate(
      (x) => ({ slope: grad((moved: np.Array) => np.sum(normalisedEntropy(moved, x.allowed)))(x.logits) }),
      {
        logits: { shape: [1, 3], data: [1e4, 0, -1e4] },
        allowed: { shape: [1, 3], dtype: "bool", data: [1, 1, 1] },
      },
      "float32",
    );
    expect([...slope]).toEqual([0, 0, 0]);
  });
});

describe.each(ENTROPY_RATIO_ESTIMATORS)("the ratio with the estimator %s", (estimator) => {
  const options = { estimator, quantile: QUANTILE };
  const ratioOf = ({ logits, allowed, weight, gamma }: Readonly<Record<string, np.Array>>) => {
    const entropy = normalisedEntropy(logits, allowed);
    const { logRatio, logShare, logRest } = entropyRatio(options, entropy, weight, gamma);
    return { entropy, logRatio, logShare, logRest, mean: meanRatio({ logRatio, logShare, logRest }, weight) };
  };

  test("is in [1, 1/γ], and r̃ in [γ, 1), for random policies and every γ", () => {
    const distinct = new Set<string>();
    for (let i = 1; i < 40; i++) {
      const gamma = i / 40;
      const found = evaluate(ratioOf, { ...randomPolicies(i), gamma: scalar(gamma) });
      found.logShare.forEach((logShare, row) => {
        expect(logShare).toBeGreaterThanOrEqual(Math.log(Math.fround(gamma)) - 1e-12);
        expect(logShare).toBeLessThan(0);
        expect(Math.exp(logShare) + Math.exp(found.logRest[row])).toBeCloseTo(1, 12);
        expect(found.logRatio[row]).toBeGreaterThanOrEqual(-1e-12);
        expect(Math.exp(found.logRatio[row])).toBeLessThanOrEqual(1 / Math.fround(gamma));
        distinct.add(found.logRatio[row].toFixed(3));
      });
      expect(found.mean[0]).toBeGreaterThanOrEqual(1 - 1e-12);
    }
    expect(distinct.size).toBeGreaterThan(20);
  });

  test("equals high / (γ high + (1 − γ) low)", () => {
    const inputs = { ...randomPolicies(7), gamma: scalar(0.25) };
    const { entropy, logRatio, mean } = evaluate(ratioOf, inputs);
    const counted = [...entropy].filter((_, row) => inputs.weight.data[row] === 1);
    const [low, high] = [QUANTILE, 1 - QUANTILE].map((level) => quantileByHand(counted, level));
    const pair = (h: number) =>
      ({ quantile: [high, low], clamp: [h, Math.min(h, CLAMP_LEVEL)], state: [Math.max(h, low), low] })[
        estimator
      ];
    const expected = [...entropy].map((h) => {
      const [top, bottom] = pair(h).map((x) => x + SMALLEST_ENTROPY);
      return top / (0.25 * top + 0.75 * bottom);
    });
    const found = [...entropy].map((_, row) => Math.exp(logRatio[estimator === "quantile" ? 0 : row]));
    expect(largestDifference(found, expected)).toBeLessThan(1e-6);
    const sum = expected.reduce((total, r, row) => total + r * inputs.weight.data[row], 0);
    expect(mean[0]).toBeCloseTo(sum / counted.length, 6);
  });

  test("is 1 if every state has one legal action, and finite if all weights are 0", () => {
    const oneLegal = {
      shape: [N, A],
      dtype: "bool" as const,
      data: Array.from({ length: N * A }, (_, i) => +(i % A === 2)),
    };
    const inputs = { ...randomPolicies(2), gamma: scalar(0.3) };
    const { logRatio } = evaluate(ratioOf, { ...inputs, allowed: oneLegal });
    for (const r of logRatio) expect(r).toBeCloseTo(0, 12);
    const none = evaluate(
      ratioOf,
      { ...inputs, weight: { shape: [N], data: new Float32Array(N) } },
      "float32",
    );
    for (const values of Object.values(none)) expect(values.every(Number.isFinite)).toBe(true);
    expect(none.mean[0]).toBe(0);
  });

  test("is 1 at γ = 1", () => {
    const { logRatio } = evaluate(ratioOf, { ...randomPolicies(3), gamma: scalar(1) }, "float32");
    for (const r of logRatio) expect(Math.abs(r)).toBeLessThan(3e-6);
  });

  test("has a gradient through the entropy of each state only, and both engines agree", async () => {
    const { weight, allowed, logits } = randomPolicies(5);
    const at = (moved: Readonly<Record<string, np.Array>>) => weightedSum(ratioOf(moved).logRatio);
    const inputs = { logits, allowed, weight, gamma: scalar(0.5) };
    const { slope } = evaluate(
      (x) => ({ slope: grad((y: np.Array) => at({ ...x, logits: y }))(x.logits) }),
      inputs,
    );
    expect(slope.some((x) => x !== 0)).toBe(estimator !== "quantile");
    await expectOutputsOnEngines((x) => ({ r: ratioOf(x).logRatio }), specsOf(inputs), hostInputs(inputs), {
      r: evaluate((x) => ({ r: ratioOf(x).logRatio }), inputs).r,
    });
  });
});

describe("the ratio of two entropies", () => {
  test("is 1 if both are 0, and near 1/γ if only the low one is 0", () => {
    const { r } = evaluate(
      ({ high, low, gamma }) => ({ r: np.exp(ratioBetween(high, low, gamma).logRatio) }),
      {
        high: column(0, 1, 0.5),
        low: column(0, 0, 0.5),
        gamma: scalar(0.5),
      },
    );
    expect(r[0]).toBeCloseTo(1, 12);
    expect(r[1]).toBeCloseTo(2, 5);
    expect(r[2]).toBeCloseTo(1, 12);
  });

  test.each([0.01, 0.25, 0.5, 0.75, 0.99])("has the gradient of −log(γ + (1 − γ)ρ) at γ = %f", (gamma) => {
    const inputs = {
      high: column(0.2, 0.9, 0.5, 1),
      low: column(0.1, 0.01, 0.5, 1e-3),
      gamma: scalar(gamma),
    };
    const slopes = (f: (high: np.Array, low: np.Array, level: np.Array) => np.Array) =>
      evaluate((x) => {
        const by = (high: np.Array, low: np.Array) => weightedSum(f(high, low, x.gamma));
        return {
          high: grad((moved: np.Array) => by(moved, x.low))(x.high),
          low: grad((moved: np.Array) => by(x.high, moved))(x.low),
        };
      }, inputs);
    const logRatio = slopes((high, low, level) => ratioBetween(high, low, level).logRatio);
    const logShare = slopes((high, low, level) => ratioBetween(high, low, level).logShare);
    const direct = slopes((high, low, level) => {
      const rho = np.divide(np.add(low, SMALLEST_ENTROPY), np.add(high, SMALLEST_ENTROPY));
      return np.negative(np.log(np.add(level, np.multiply(np.subtract(1, level), rho))));
    });
    for (const side of ["high", "low"] as const) {
      expect(largestDifference(logRatio[side], direct[side])).toBeLessThan(1e-6);
      expect(largestDifference(logShare[side], direct[side])).toBeLessThan(1e-6);
      expect(Math.max(...direct[side].map(Math.abs))).toBeGreaterThan(1e-3);
    }
  });
});

describe("quantiles", () => {
  const LEVELS = [0.05, 0.25, 0.5, 0.9];

  test("interpolate linearly between the values of weight 1, on both engines", async () => {
    const stream = RandomStream.fromSeed(6);
    for (const share of [0.02, 0.3, 1]) {
      const values = Array.from({ length: 200 }, () => Math.fround(stream.uniform()));
      const weight = values.map((_, i) => +(i === 3 || stream.uniform() < share));
      const counted = values.filter((_, i) => weight[i] === 1);
      const inputs = { values: column(...values), weight: column(...weight) };
      const f = (x: Readonly<Record<string, np.Array>>) => ({
        found: np.concatenate(quantiles(x.values, x.weight, LEVELS), 0),
      });
      const expected = LEVELS.map((level) => quantileByHand(counted, level));
      expect(largestDifference(evaluate(f, inputs).found, expected)).toBeLessThan(1e-6);
      await expectOutputsOnEngines(f, specsOf(inputs), hostInputs(inputs), { found: expected });
    }
  });
});

function quantileByHand(values: readonly number[], level: number): number {
  const ordered = [...values].sort((a, b) => a - b);
  const at = level * (ordered.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, ordered.length - 1);
  return ordered[below] + (at - below) * (ordered[above] - ordered[below]);
}
