// Tests of attention against loops over positions, of masks, and of gradients.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  type HostInput,
  largestDifference,
  randomInput,
} from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { causalMask, crossAttention, selfAttention } from "./attention.ts";
import { layout } from "./params.ts";

const [B, T, S, D, H, C] = [2, 4, 3, 6, 2, 5];
const x = randomInput([B, T, D], "x");
const context = randomInput([B, S, C], "context");

type Lookup = (b: number, t: number, d: number) => number;

/**
 * Attention computed by loops. The functions look up entries of queries, keys and values, whose heads are side by side.
 */
function attendByLoops(query: Lookup, key: Lookup, value: Lookup, keys: number, allowed: Lookup): number[] {
  const width = D / H;
  const result: number[] = [];
  for (let b = 0; b < B; b++) {
    for (let t = 0; t < T; t++) {
      for (let d = 0; d < D; d++) {
        const head = Math.floor(d / width);
        const weights = Array.from({ length: keys }, (_, s) => {
          let score = 0;
          for (let i = head * width; i < (head + 1) * width; i++) score += query(b, t, i) * key(b, s, i);
          return allowed(b, t, s) ? Math.exp(score / Math.sqrt(width)) : 0;
        });
        const sum = weights.reduce((a, c) => a + c, 0);
        result.push(weights.reduce((mixed, w, s) => mixed + (w / sum) * value(b, s, d), 0));
      }
    }
  }
  return result;
}

/** Rows of an array times a weight matrix plus bias. */
function project(rows: ArrayLike<number>, weight: Float32Array, bias: Float32Array): number[] {
  const outputs = bias.length;
  const inputs = weight.length / outputs;
  return Array.from({ length: (rows.length / inputs) * outputs }, (_, k) => {
    const row = Math.floor(k / outputs);
    let sum = bias[k % outputs];
    for (let i = 0; i < inputs; i++) sum += rows[row * inputs + i] * weight[i * outputs + (k % outputs)];
    return sum;
  });
}

const seeded = (seed: number) => RandomStream.fromSeed(seed);
const mask = (data: number[], shape: number[]): HostInput => ({ shape, dtype: "bool", data });
const keyAllowed = mask([1, 1, 0, 1, 1, 0, 1, 1], [B, T]);

function runSelf(causal: boolean, input: HostInput, allowed?: HostInput): Float64Array {
  const module = selfAttention({ width: D, heads: H, causal });
  const params = layout(module.params);
  const flat = randomInput([params.size], "flat", 0.5);
  const { y } = evaluate(
    ({ flat, x, keyAllowed }) => ({ y: module.apply(params.split(flat), x, { keyAllowed }) }),
    { flat, x: input, ...(allowed && { keyAllowed: allowed }) },
  );
  return y;
}

describe("selfAttention", () => {
  test.each([
    ["no mask", false, false],
    ["a causal mask", true, false],
    ["a key mask", false, true],
    ["both masks", true, true],
  ])("equals attention by loops with %s", (_, causal, padded) => {
    const params = layout(selfAttention({ width: D, heads: H }).params);
    const { queryKeyValue, output } = params.view(
      Float32Array.from(randomInput([params.size], "flat", 0.5).data),
    );
    const rows = project(x.data, queryKeyValue.weight, queryKeyValue.bias!);
    const part =
      (p: number): Lookup =>
      (b, t, d) =>
        rows[(b * T + t) * 3 * D + p * D + d];
    const allowed: Lookup = (b, t, s) =>
      +((!causal || s <= t) && (!padded || keyAllowed.data[b * T + s] === 1));
    const mixed = attendByLoops(part(0), part(1), part(2), T, allowed);
    const expected = project(mixed, output.weight, output.bias!);
    const y = runSelf(causal, x, padded ? keyAllowed : undefined);
    expect(largestDifference(y, expected)).toBeLessThan(1e-7);
  });

  test("with a causal mask does not let a later token change an earlier output", () => {
    const changed = {
      ...x,
      data: Array.from(x.data, (value, k) => (Math.floor(k / D) % T === 2 ? value + 1 : value)),
    };
    const before = runSelf(true, x);
    const after = runSelf(true, changed);
    for (let k = 0; k < B * T * D; k++) {
      const t = Math.floor(k / D) % T;
      expect(before[k] === after[k]).toBe(t < 2);
    }
  });

  test("does not let a masked key change the output of another position", () => {
    const masked = (k: number) => keyAllowed.data[Math.floor(k / D)] === 0;
    const changed = { ...x, data: Array.from(x.data, (value, k) => (masked(k) ? value - 3 : value)) };
    const before = runSelf(false, x, keyAllowed);
    const after = runSelf(false, changed, keyAllowed);
    for (let k = 0; k < B * T * D; k++) expect(before[k] === after[k]).toBe(!masked(k));
  });

  test.each([false, true])("has the right gradients, causal: %s", (causal) => {
    const module = selfAttention({ width: D, heads: H, causal });
    checkModuleGradients(
      module,
      (params, { x, keyAllowed }) => module.apply(params, x, { keyAllowed }),
      { x },
      {
        fixed: { keyAllowed },
        coordinates: 24,
      },
    );
  });

  test("initialises queries, keys and values as separate matrices", () => {
    const { queryKeyValue } = selfAttention({ width: D, heads: H }).params;
    const limit = Math.sqrt(6 / (2 * D));
    const params = layout(queryKeyValue);
    const streams = Array.from({ length: 20 }, (_, i) => i);
    const largest = Math.max(...streams.map((seed) => Math.max(...params.init(seeded(seed)))));
    expect(largest).toBeLessThanOrEqual(limit);
    expect(largest).toBeGreaterThan(0.95 * limit);
  });

  test("rejects heads that do not divide the width, and inputs of the wrong shape", () => {
    expect(() => selfAttention({ width: 6, heads: 4 })).toThrow(
      "selfAttention: heads must divide the width 6, got 4",
    );
    expect(() => runSelf(false, randomInput([T, D], "x"))).toThrow(
      "selfAttention: x must be [B, T, 6], got [4, 6]",
    );
    expect(() => runSelf(false, x, mask([1, 1, 1], [1, 3]))).toThrow(
      "selfAttention: keyAllowed must be [2, 4], got [1, 3]",
    );
  });
});

describe("crossAttention", () => {
  const module = crossAttention({ width: D, heads: H, contextWidth: C });
  const params = layout(module.params);
  const contextAllowed = mask([1, 0, 1, 1, 1, 1], [B, S]);

  test.each([false, true])("equals attention by loops, masked: %s", (masked) => {
    const flat = randomInput([params.size], "flat", 0.5);
    const { y } = evaluate(
      ({ flat, x, context, keyAllowed }) => ({
        y: module.apply(params.split(flat), x, context, masked ? { keyAllowed } : undefined),
      }),
      { flat, x, context, keyAllowed: contextAllowed },
    );
    const { query, keyValue, output } = params.view(Float32Array.from(flat.data));
    const queries = project(x.data, query.weight, query.bias!);
    const rows = project(context.data, keyValue.weight, keyValue.bias!);
    const part =
      (p: number): Lookup =>
      (b, s, d) =>
        rows[(b * S + s) * 2 * D + p * D + d];
    const mixed = attendByLoops(
      (b, t, d) => queries[(b * T + t) * D + d],
      part(0),
      part(1),
      S,
      (b, _, s) => (masked ? contextAllowed.data[b * S + s] : 1),
    );
    expect(largestDifference(y, project(mixed, output.weight, output.bias!))).toBeLessThan(1e-7);
  });

  test("has the right gradients", () => {
    checkModuleGradients(
      module,
      (params, { x, context, keyAllowed }) => module.apply(params, x, context, { keyAllowed }),
      { x, context },
      { fixed: { keyAllowed: contextAllowed }, coordinates: 24 },
    );
  });

  test("rejects a context with another batch size", () => {
    expect(() =>
      evaluate(({ flat, x, context }) => ({ y: module.apply(params.split(flat), x, context) }), {
        flat: randomInput([params.size], "flat"),
        x,
        context: randomInput([1, S, C], "context"),
      }),
    ).toThrow("crossAttention: context must be [2, S, 5], got [1, 3, 5]");
  });
});

test("causalMask allows the position itself and earlier ones", () => {
  const { allowed } = evaluate(({ x }) => ({ allowed: np.where(causalMask(3), x, 0) }), {
    x: { shape: [3, 3], data: new Array(9).fill(1) },
  });
  expect([...allowed]).toEqual([1, 0, 0, 1, 1, 0, 1, 1, 1]);
});

test("causalMask with a number of queries has only the rows of the last positions", () => {
  const { allowed } = evaluate(({ x }) => ({ allowed: np.where(causalMask(3, 2), x, 0) }), {
    x: { shape: [2, 3], data: new Array(6).fill(1) },
  });
  expect([...allowed]).toEqual([1, 1, 0, 1, 1, 1]);
});
