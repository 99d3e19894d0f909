// Tests of sinusoidal and learned positional encodings.

import { describe, expect, test } from "vitest";
import {
  checkModuleGradients,
  evaluate,
  largestDifference,
  randomInput,
} from "../../test/support/gradients.ts";
import { learnedPositions, sinusoidalPositions, sinusoidalTable } from "./positional.ts";

const x = randomInput([2, 5, 6], "x");

describe("the sinusoidal encoding", () => {
  test("equals its formula", () => {
    const table = sinusoidalTable(40, 6);
    for (const t of [0, 1, 7, 39]) {
      for (let i = 0; i < 3; i++) {
        expect(table[t * 6 + 2 * i]).toBeCloseTo(Math.sin(t / 10000 ** (i / 3)), 6);
        expect(table[t * 6 + 2 * i + 1]).toBeCloseTo(Math.cos(t / 10000 ** (i / 3)), 6);
      }
    }
  });

  test("is added to every sequence of the batch", () => {
    const { y } = evaluate(({ x }) => ({ y: sinusoidalPositions(6).apply({}, x) }), { x });
    const table = sinusoidalTable(5, 6);
    expect(
      largestDifference(
        y,
        Array.from(x.data, (value, k) => value + table[k % 30]),
      ),
    ).toBeLessThan(1e-12);
  });

  test("rejects an odd width and inputs of the wrong shape", () => {
    expect(() => sinusoidalPositions(5)).toThrow("sinusoidalPositions: width must be even, got 5");
    expect(() => sinusoidalTable(0, 4)).toThrow(
      "sinusoidalTable: length must be a positive whole number, got 0",
    );
    expect(() => evaluate(({ x }) => ({ y: sinusoidalPositions(4).apply({}, x) }), { x })).toThrow(
      "sinusoidalPositions: x must be [B, T, 4], got [2, 5, 6]",
    );
  });
});

describe("the learned encoding", () => {
  test("adds the first rows of the table", () => {
    const table = randomInput([9, 6], "table");
    const { y } = evaluate(({ x, table }) => ({ y: learnedPositions(9, 6).apply({ table }, x) }), {
      x,
      table,
    });
    const expected = Array.from(x.data, (value, k) => value + table.data[k % 30]);
    expect(largestDifference(y, expected)).toBeLessThan(1e-12);
  });

  test.each([5, 9])("has the right gradients with a maximum length of %i", (maxLength) => {
    const module = learnedPositions(maxLength, 6);
    checkModuleGradients(module, (params, { x }) => module.apply(params, x), { x });
  });

  test("rejects sequences beyond the maximum length", () => {
    expect(() =>
      evaluate(({ x, table }) => ({ y: learnedPositions(4, 6).apply({ table }, x) }), {
        x,
        table: randomInput([4, 6], "table"),
      }),
    ).toThrow("learnedPositions: T must be at most 4, got [2, 5, 6]");
  });
});
