// Tests of activations and softmaxes: closed forms, derivatives, extreme inputs.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkGradients,
  evaluate,
  largestDifference,
  randomInput,
  weightedSum,
} from "../../test/support/gradients.ts";
import {
  type ActivationName,
  activationByName,
  activations,
  logSoftmax,
  logSumExp,
  maskedLogSoftmax,
  maskedSoftmax,
  softmax,
} from "./activations.ts";

const names = Object.keys(activations) as ActivationName[];

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

const closedForms: Record<ActivationName, (x: number) => number> = {
  relu: (x) => Math.max(0, x),
  gelu: (x) => x * normalCdf(x),
  tanh: Math.tanh,
  sigmoid,
  softplus: (x) => Math.log1p(Math.exp(x)),
  silu: (x) => x * sigmoid(x),
  logSigmoid: (x) => -Math.log1p(Math.exp(-x)),
  identity: (x) => x,
};

/** Computed by Simpson's rule, independently of erf. */
function normalCdf(x: number): number {
  const n = 2000;
  const density = (t: number) => Math.exp(-t * t * 0.5) / Math.sqrt(2 * Math.PI);
  let sum = density(0) + density(x);
  for (let i = 1; i < n; i++) sum += (i % 2 === 1 ? 4 : 2) * density((x * i) / n);
  return 0.5 + (sum * x) / n / 3;
}

const points = [-4, -2.5, -1, -0.25, 0, 0.125, 1, 3, 5];

describe.each(names)("%s", (name) => {
  const f = activations[name];

  test("equals its closed form", () => {
    const { y } = evaluate(({ x }) => ({ y: f(x) }), { x: { shape: [points.length], data: points } });
    expect(largestDifference(y, points.map(closedForms[name]))).toBeLessThan(2e-7);
  });

  test("has the derivative of its values", () => {
    checkGradients(({ x }) => weightedSum(f(x)), { x: randomInput([3, 4], "x", 2) }, { name });
  });

  test("and its derivative are finite in float32 for any finite input", () => {
    const data = [-3e38, -1e4, -200, -100, -90, 90, 100, 200, 1e4, 3e38];
    const { y, slope } = evaluate(
      ({ x }) => ({ y: f(x), slope: grad((x: np.Array) => np.sum(f(x)))(x) }),
      { x: { shape: [data.length], data } },
      "float32",
    );
    expect([...y, ...slope].every(Number.isFinite)).toBe(true);
  });
});

test("relu has derivative 0 at 0", () => {
  const { slope } = evaluate(({ x }) => ({ slope: grad((x: np.Array) => np.sum(activations.relu(x)))(x) }), {
    x: { shape: [3], data: [-1, 0, 1] },
  });
  expect([...slope]).toEqual([0, 0, 1]);
});

test("activations reach their limits for large inputs", () => {
  const { tanh, sigmoid, softplus, logSigmoid, silu } = evaluate(
    ({ x }) => ({
      tanh: activations.tanh(x),
      sigmoid: activations.sigmoid(x),
      softplus: activations.softplus(x),
      logSigmoid: activations.logSigmoid(x),
      silu: activations.silu(x),
    }),
    { x: { shape: [2], data: [-200, 200] } },
    "float32",
  );
  expect([...tanh]).toEqual([-1, 1]);
  expect([...sigmoid]).toEqual([0, 1]);
  expect([...softplus]).toEqual([0, 200]);
  expect([...logSigmoid]).toEqual([-200, 0]);
  expect([silu[0] + 0, silu[1]]).toEqual([0, 200]);
});

test("the error for an unknown activation lists all names", () => {
  expect(() => activationByName("mlp", "rleu")).toThrow(
    "mlp: activation must be one of relu, gelu, tanh, sigmoid, softplus, silu, logSigmoid, identity, got rleu",
  );
  expect(() => activationByName("mlp", "toString")).toThrow("got toString");
});

describe("softmaxes", () => {
  const x = randomInput([3, 5], "logits", 2);
  const rows = [0, 1, 2].map((r) => Array.from({ length: 5 }, (_, i) => x.data[r * 5 + i]));
  const sums = rows.map((row) => row.reduce((sum, value) => sum + Math.exp(value), 0));

  test("equal their definitions", () => {
    const result = evaluate(({ x }) => ({ p: softmax(x), logP: logSoftmax(x), sum: logSumExp(x) }), { x });
    const p = rows.flatMap((row, r) => row.map((value) => Math.exp(value) / sums[r]));
    expect(largestDifference(result.p, p)).toBeLessThan(1e-12);
    expect(largestDifference(result.logP, p.map(Math.log))).toBeLessThan(1e-12);
    expect(largestDifference(result.sum, sums.map(Math.log))).toBeLessThan(1e-12);
  });

  test("do not overflow", () => {
    const { logP, sum } = evaluate(
      ({ x }) => ({ logP: logSoftmax(x), sum: logSumExp(x) }),
      { x: { shape: [2, 2], data: [1000, 0, -1000, -1000] } },
      "float32",
    );
    expect([...logP]).toEqual([0, -1000, Math.fround(-Math.LN2), Math.fround(-Math.LN2)]);
    expect(sum[0]).toBe(1000);
    expect(sum[1]).toBeCloseTo(-1000 + Math.LN2, 3);
  });

  test.each([
    ["softmax", softmax],
    ["logSoftmax", logSoftmax],
    ["logSumExp", logSumExp],
  ])("%s has the derivative of its values", (name, f) => {
    checkGradients(({ x }) => weightedSum(f(x)), { x }, { name });
  });
});

describe("masked softmaxes", () => {
  const x = randomInput([3, 4], "masked", 2);
  const allowed = { shape: [3, 4], dtype: "bool" as const, data: [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0] };

  test("give all probability to the allowed entries", () => {
    const { p, logP } = evaluate(
      ({ x, allowed }) => ({ p: maskedSoftmax(x, allowed), logP: maskedLogSoftmax(x, allowed) }),
      { x, allowed },
      "float32",
    );
    const weights = [0, 2, 3].map((i) => Math.exp(x.data[i]));
    const sum = weights.reduce((a, b) => a + b);
    const expected = [weights[0] / sum, 0, weights[1] / sum, weights[2] / sum];
    expect(largestDifference(p.subarray(0, 4), expected)).toBeLessThan(1e-6);
    expect(largestDifference(logP.subarray(0, 4).map(Math.exp), expected)).toBeLessThan(1e-6);
    expect([...p.subarray(4, 8)]).toEqual([0, 0, 1, 0]);
    expect(logP[6]).toBe(0);
    for (const i of [1, 4, 5, 7]) {
      expect(logP[i]).toBeLessThan(-1e8);
      expect(Number.isFinite(logP[i])).toBe(true);
    }
    expect([...p.subarray(8)]).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  test("have the right gradients for allowed entries, and exactly zero for others", () => {
    const chosen = (f: typeof maskedLogSoftmax) => (inputs: Readonly<Record<string, np.Array>>) =>
      weightedSum(np.where(inputs.allowed, f(inputs.x, inputs.allowed), 0));
    for (const f of [maskedLogSoftmax, maskedSoftmax]) {
      const { gradients } = checkGradients(chosen(f), { x }, { fixed: { allowed } });
      for (const [i, isAllowed] of allowed.data.entries()) if (!isAllowed) expect(gradients.x[i]).toBe(0);
    }
  });

  test("have finite gradients in float32 even through masked entries", () => {
    const { slope } = evaluate(
      ({ x, allowed }) => ({ slope: grad((x: np.Array) => np.sum(maskedLogSoftmax(x, allowed)))(x) }),
      { x, allowed },
      "float32",
    );
    expect(slope.every(Number.isFinite)).toBe(true);
  });
});
