// Tests of GRU and LSTM against loops over time, of single steps, and of gradients.

import type { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  largestDifference,
  randomInput,
} from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { layout } from "./params.ts";
import { gru, lstm } from "./recurrent.ts";

const [B, T, I, H] = [2, 9, 3, 4];
const x = randomInput([B, T, I], "x");
const h0 = randomInput([B, H], "h0");
const c0 = randomInput([B, H], "c0");

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));

/** Output o of a linear layer applied to one row. */
function affine(
  row: readonly number[],
  weight: ArrayLike<number>,
  bias: ArrayLike<number> | undefined,
  o: number,
) {
  const outputs = weight.length / row.length;
  return row.reduce((sum, value, i) => sum + value * weight[i * outputs + o], bias?.[o] ?? 0);
}

const row = (data: ArrayLike<number>, start: number, length: number) =>
  Array.from({ length }, (_, i) => data[start + i]);

describe("gru", () => {
  const module = gru({ inputs: I, width: H });
  const params = layout(module.params);
  const flat = randomInput([params.size], "flat", 0.5);

  test.each([false, true])("agrees with loops, given an initial state: %s", (given) => {
    const { states, last } = evaluate(
      ({ flat, x, h0 }) => {
        const { states, last } = module.apply(params.split(flat), x, given ? h0 : undefined);
        return { states, last };
      },
      { flat, x, h0 },
    );
    const { input, hidden } = params.view(Float32Array.from(flat.data));
    const expected: number[] = [];
    for (let b = 0; b < B; b++) {
      let h = given ? row(h0.data, b * H, H) : new Array<number>(H).fill(0);
      for (let t = 0; t < T; t++) {
        const now = row(x.data, (b * T + t) * I, I);
        const before = h;
        const fromX = (o: number) => affine(now, input.weight, input.bias, o);
        const fromH = (o: number) => affine(before, hidden.weight, hidden.bias, o);
        h = before.map((old, j) => {
          const reset = sigmoid(fromX(j) + fromH(j));
          const update = sigmoid(fromX(H + j) + fromH(H + j));
          const candidate = Math.tanh(fromX(2 * H + j) + reset * fromH(2 * H + j));
          return (1 - update) * candidate + update * old;
        });
        expected.push(...h);
      }
    }
    expect(largestDifference(states, expected)).toBeLessThan(1e-12);
    const ends = [0, 1].flatMap((b) => expected.slice((b * T + T - 1) * H, (b + 1) * T * H));
    expect(largestDifference(last, ends)).toBeLessThan(1e-12);
  });

  test("single steps give the same states as a whole sequence", () => {
    const first = { shape: [B, I], data: [0, 1].flatMap((b) => row(x.data, b * T * I, I)) };
    const { states, stepped } = evaluate(
      ({ flat, x, first }) => {
        const arrays = params.split(flat);
        return {
          states: module.apply(arrays, x).states,
          stepped: module.step(arrays, first, module.initial(B)),
        };
      },
      { flat, x, first },
    );
    const expected = [0, 1].flatMap((b) => row(states, b * T * H, H));
    expect(largestDifference(stepped, expected)).toBeLessThan(1e-12);
  });

  test("has the right gradients", () => {
    checkModuleGradients(
      module,
      (params, { x, h0 }) => module.apply(params, x, h0).states,
      {
        x: randomInput([B, 4, I], "short"),
        h0,
      },
      { coordinates: 24 },
    );
  });
});

describe("lstm", () => {
  const module = lstm({ inputs: I, width: H });
  const params = layout(module.params);
  const flat = randomInput([params.size], "flat", 0.5);

  test.each([false, true])("agrees with loops, given an initial state: %s", (given) => {
    const { states, hidden, cell } = evaluate(
      ({ flat, x, h0, c0 }) => {
        const start = given ? { hidden: h0, cell: c0 } : undefined;
        const { states, last } = module.apply(params.split(flat), x, start);
        return { states, ...last };
      },
      { flat, x, h0, c0 },
    );
    const weights = params.view(Float32Array.from(flat.data));
    const expected: number[] = [];
    const cells: number[] = [];
    for (let b = 0; b < B; b++) {
      let h = given ? row(h0.data, b * H, H) : new Array<number>(H).fill(0);
      let c = given ? row(c0.data, b * H, H) : new Array<number>(H).fill(0);
      for (let t = 0; t < T; t++) {
        const now = row(x.data, (b * T + t) * I, I);
        const before = h;
        const gate = (o: number) =>
          affine(now, weights.input.weight, weights.input.bias, o) +
          affine(before, weights.hidden.weight, undefined, o);
        c = c.map((old, j) => sigmoid(gate(H + j)) * old + sigmoid(gate(j)) * Math.tanh(gate(3 * H + j)));
        h = c.map((value, j) => sigmoid(gate(2 * H + j)) * Math.tanh(value));
        expected.push(...h);
      }
      cells.push(...c);
    }
    expect(largestDifference(states, expected)).toBeLessThan(1e-12);
    expect(largestDifference(cell, cells)).toBeLessThan(1e-12);
    const ends = [0, 1].flatMap((b) => expected.slice((b * T + T - 1) * H, (b + 1) * T * H));
    expect(largestDifference(hidden, ends)).toBeLessThan(1e-12);
  });

  test("single steps give the same states as a whole sequence", () => {
    const first = { shape: [B, I], data: [0, 1].flatMap((b) => row(x.data, b * T * I, I)) };
    const { states, hidden } = evaluate(
      ({ flat, x, first }) => {
        const arrays = params.split(flat);
        return {
          states: module.apply(arrays, x).states,
          hidden: module.step(arrays, first, module.initial(B)).hidden,
        };
      },
      { flat, x, first },
    );
    expect(
      largestDifference(
        hidden,
        [0, 1].flatMap((b) => row(states, b * T * H, H)),
      ),
    ).toBeLessThan(1e-12);
  });

  test("has the right gradients", () => {
    const both = (
      params: Parameters<typeof module.apply>[0],
      { x, h0, c0 }: Readonly<Record<string, np.Array>>,
    ) => module.apply(params, x, { hidden: h0, cell: c0 }).states;
    checkModuleGradients(module, both, { x: randomInput([B, 4, I], "short"), h0, c0 }, { coordinates: 24 });
  });

  test("initialises the bias of the forget gate to 1 and the others to 0", () => {
    const { input } = params.view(params.init(RandomStream.fromSeed(0)));
    expect([...input.bias!]).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  });
});

test("invalid sizes and inputs of the wrong shape are rejected", () => {
  expect(() => gru({ inputs: 0, width: 2 })).toThrow("gru: inputs must be a positive whole number, got 0");
  expect(() => lstm({ inputs: 1, width: -2 })).toThrow("lstm: width must be a positive whole number, got -2");
  const module = gru({ inputs: 2, width: 2 });
  const params = layout(module.params);
  expect(() =>
    evaluate(({ flat, x }) => ({ y: module.apply(params.split(flat), x).last }), {
      flat: randomInput([params.size], "flat"),
      x,
    }),
  ).toThrow("gru: x must be [B, T, 2], got [2, 9, 3]");
});
