// Tests of Adam and AdamW against the formulas of the papers.

import { describe, expect, test } from "vitest";
import { evaluate, largestDifference, randomInput } from "../../../test/support/gradients.ts";
import { type AdamOptions, adam, adamW, type Optimiser } from "./adam.ts";

const SIZE = 5;
const STEPS = 5;
const start = randomInput([SIZE], "params");
const gradients = Array.from({ length: STEPS }, (_, t) => randomInput([SIZE], `gradient ${t}`));

/** Parameters after each of several traced updates. */
function run({ init, update }: Optimiser, precision: "float32" | "float64" = "float64"): Float64Array[] {
  const { m, v, step } = init(SIZE);
  let state: Record<"params" | "m" | "v" | "step", Float64Array> = {
    params: Float64Array.from(start.data),
    m: Float64Array.from(m),
    v: Float64Array.from(v),
    step: Float64Array.from(step),
  };
  return gradients.map((gradient) => {
    state = evaluate(
      ({ params, m, v, step, gradient }) => {
        const result = update(params, gradient, { m, v, step });
        return { params: result.params, ...result.state };
      },
      {
        params: { shape: [SIZE], data: state.params },
        m: { shape: [SIZE], data: state.m },
        v: { shape: [SIZE], data: state.v },
        step: { shape: [], dtype: "int32", data: state.step },
        gradient,
      },
      precision,
    );
    return state.params;
  });
}

/** Adam as in the paper, computed per parameter. */
function reference(options: AdamOptions, decoupled: boolean, rateAt: (step: number) => number): number[][] {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decayMask, rateScale } = options;
  const params = Array.from(start.data);
  const m = new Array<number>(SIZE).fill(0);
  const v = new Array<number>(SIZE).fill(0);
  return gradients.map((gradient, t) => {
    for (let i = 0; i < SIZE; i++) {
      const rate = rateAt(t) * (rateScale?.[i] ?? 1);
      const decay = weightDecay * (decayMask?.[i] ?? 1) * params[i];
      const g = gradient.data[i] + (decoupled ? 0 : decay);
      m[i] = beta1 * m[i] + (1 - beta1) * g;
      v[i] = beta2 * v[i] + (1 - beta2) * g * g;
      const mean = m[i] / (1 - beta1 ** (t + 1));
      const square = v[i] / (1 - beta2 ** (t + 1));
      params[i] -= rate * (mean / (Math.sqrt(square) + epsilon) + (decoupled ? decay : 0));
    }
    return [...params];
  });
}

const decayMask = Float32Array.of(1, 0, 1, 0, 1);
const rateScale = Float32Array.of(1, 10, 0.5, 1, 0);
const cases: [name: string, options: Omit<AdamOptions, "learningRate">][] = [
  ["defaults", {}],
  ["other betas and a large epsilon", { beta1: 0.5, beta2: 0.75, epsilon: 0.125 }],
  ["no momentum", { beta1: 0, beta2: 0.9 }],
  ["weight decay", { weightDecay: 0.25 }],
  ["weight decay with a mask", { weightDecay: 0.25, decayMask }],
  ["learning-rate scales", { rateScale }],
  ["all options", { weightDecay: 0.25, decayMask, rateScale, beta1: 0.75 }],
];

describe.each([
  ["adam", adam, false],
  ["adamW", adamW, true],
] as const)("%s", (_, make, decoupled) => {
  test.each(cases)("equals the paper's formula over five steps: %s", (_, options) => {
    const found = run(make({ learningRate: 0.125, ...options }));
    const expected = reference({ learningRate: 0.125, ...options }, decoupled, () => 0.125);
    // Constants such as 0.999 are rounded to float32, which causes differences of about 1e-5.
    found.forEach((params, t) => {
      expect(largestDifference(params, expected[t])).toBeLessThan(2e-5 * (t + 1));
    });
  });

  test("equals the paper's formula in float32 too", () => {
    const found = run(make({ learningRate: 0.125 }), "float32");
    const expected = reference({ learningRate: 0.125 }, decoupled, () => 0.125);
    found.forEach((params, t) => {
      expect(largestDifference(params, expected[t])).toBeLessThan(3e-5 * (t + 1));
    });
  });

  test("takes a scalar array as learning rate", () => {
    const inputs = {
      params: start,
      gradient: gradients[0],
      zero: { shape: [SIZE], data: new Array(SIZE).fill(0) },
      step: { shape: [], dtype: "int32" as const, data: [0] },
      rate: { shape: [], data: [0.25] },
    };
    const updated = (learningRate?: number) =>
      evaluate(({ params, gradient, zero, step, rate }) => {
        const optimiser = make({ learningRate: learningRate ?? rate, weightDecay: 0.25 });
        return { params: optimiser.update(params, gradient, { m: zero, v: zero, step }).params };
      }, inputs).params;
    expect(updated()).toEqual(updated(0.25));
  });
});

test("adamW equals the formula to 1e-7 if all constants are exact in float32", () => {
  const options = { learningRate: 0.125, beta1: 0.5, beta2: 0.75, epsilon: 2 ** -20, weightDecay: 0.25 };
  expect(largestDifference(run(adamW(options))[4], reference(options, true, () => 0.125)[4])).toBeLessThan(
    1e-7,
  );
});

test("with a zero gradient, weight decay scales parameters in adamW and is a full Adam step in adam", () => {
  const options = { learningRate: 0.01, weightDecay: 0.1 };
  const still = (make: typeof adam) =>
    evaluate(
      ({ params, zero, step }) => ({
        params: make(options).update(params, zero, { m: zero, v: zero, step }).params,
      }),
      {
        params: { shape: [2], data: [1, -2] },
        zero: { shape: [2], data: [0, 0] },
        step: { shape: [], dtype: "int32", data: [0] },
      },
    ).params;
  expect(largestDifference(still(adamW), [0.999, -1.998])).toBeLessThan(1e-6);
  expect(largestDifference(still(adam), [0.99, -1.99])).toBeLessThan(1e-6);
});

test("a zero gradient changes no parameter and gives no NaN", () => {
  const { params, v } = evaluate(
    ({ params, zero, step }) => {
      const result = adam({ learningRate: 0.1 }).update(params, zero, { m: zero, v: zero, step });
      return { params: result.params, v: result.state.v };
    },
    {
      params: { shape: [2], data: [1, -2] },
      zero: { shape: [2], data: [0, 0] },
      step: { shape: [], dtype: "int32", data: [0] },
    },
    "float32",
  );
  expect([...params, ...v]).toEqual([1, -2, 0, 0]);
});

test("after many steps the bias correction is 1 and numbers are finite", () => {
  const { params } = evaluate(
    ({ params, one, step }) => ({
      params: adam({ learningRate: 0.1 }).update(params, one, { m: one, v: one, step }).params,
    }),
    {
      params: { shape: [1], data: [0] },
      one: { shape: [1], data: [1] },
      step: { shape: [], dtype: "int32", data: [2_000_000] },
    },
    "float32",
  );
  const m = 0.1 * (0.9 * 1 + 1);
  const v = 0.001 * (0.999 * 1 + 1);
  expect(params[0]).toBeCloseTo(-0.1 * (m / Math.sqrt(v)), 5);
});

test("rejects invalid options and vectors of other lengths", () => {
  expect(() => adam({ learningRate: -1 })).toThrow("adam: learningRate must be in [0, Infinity), got -1");
  expect(() => adamW({ learningRate: 1, beta1: 1 })).toThrow("adamW: beta1 must be in [0, 1), got 1");
  expect(() => adam({ learningRate: 1, beta2: Number.NaN })).toThrow(
    "adam: beta2 must be in [0, 1), got NaN",
  );
  expect(() => adam({ learningRate: 1, epsilon: 0 })).toThrow("adam: epsilon must be positive, got 0");
  expect(() => adam({ learningRate: 1, weightDecay: -0.1 })).toThrow(
    "adam: weightDecay must be in [0, Infinity)",
  );
  expect(() => adam({ learningRate: 1 }).init(0)).toThrow(
    "adam: size must be a positive whole number, got 0",
  );
  const run = (options: AdamOptions, length: number) =>
    evaluate(
      ({ params, gradient, step }) => ({
        y: adam(options).update(params, gradient, { m: params, v: params, step }).params,
      }),
      {
        params: { shape: [3], data: [1, 2, 3] },
        gradient: randomInput([length], "gradient"),
        step: { shape: [], dtype: "int32", data: [0] },
      },
    );
  expect(() => run({ learningRate: 1 }, 2)).toThrow("adam: gradient must be [3], got [2]");
  expect(() => run({ learningRate: 1, decayMask: new Float32Array(4) }, 3)).toThrow(
    "adam: decayMask must be [3], got [4]",
  );
});
