// Tests of initialisers: moments, limits, orthogonality, column blocks.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import {
  columnBlocks,
  constant,
  fans,
  glorotNormal,
  glorotUniform,
  heNormal,
  heUniform,
  type Initialiser,
  normal,
  ones,
  orthogonal,
  uniform,
  zeros,
} from "./init.ts";

const stream = () => RandomStream.fromSeed(11);

function moments(values: Float32Array) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
  return {
    mean,
    deviation: Math.sqrt(variance),
    largest: values.reduce((m, x) => Math.max(m, Math.abs(x)), 0),
  };
}

test("fanIn and fanOut are the extents of the last two axes, times the extents of the leading axes", () => {
  expect(fans([5, 7])).toEqual({ fanIn: 5, fanOut: 7 });
  expect(fans([3, 5, 7])).toEqual({ fanIn: 15, fanOut: 21 });
  expect(fans([4])).toEqual({ fanIn: 4, fanOut: 4 });
});

test("constants fill the shape", () => {
  expect(zeros([2, 2], stream())).toEqual(new Float32Array(4));
  expect(ones([3], stream())).toEqual(Float32Array.of(1, 1, 1));
  expect(constant(-0.5)([2], stream())).toEqual(Float32Array.of(-0.5, -0.5));
});

const shape = [60, 180];
const root3 = Math.sqrt(3);
const cases: [name: string, init: Initialiser, deviation: number, limit: number][] = [
  ["uniform", uniform(0.3), 0.3 / root3, 0.3],
  ["normal", normal(0.3), 0.3, Infinity],
  ["glorotUniform", glorotUniform, Math.sqrt(2 / 240), Math.sqrt(6 / 240)],
  ["glorotNormal", glorotNormal, Math.sqrt(2 / 240), Infinity],
  ["heUniform", heUniform, Math.sqrt(2 / 60), Math.sqrt(6 / 60)],
  ["heNormal", heNormal, Math.sqrt(2 / 60), Infinity],
];

test.each(cases)("%s has the right standard deviation and limit", (_, init, deviation, limit) => {
  const { mean, deviation: found, largest } = moments(init(shape, stream()));
  const count = 60 * 180;
  expect(Math.abs(mean)).toBeLessThan((4 * deviation) / Math.sqrt(count));
  expect(Math.abs(found / deviation - 1)).toBeLessThan(0.03);
  expect(largest).toBeLessThanOrEqual(limit);
  if (limit < Infinity) expect(largest).toBeGreaterThan(0.99 * limit);
  else expect(largest).toBeGreaterThan(3 * deviation);
});

describe("orthogonal", () => {
  test.each([
    [6, 6],
    [9, 4],
    [4, 9],
  ])("%i x %i has orthonormal columns, or rows if there are more columns", (rows, columns) => {
    const weight = orthogonal(2)([rows, columns], stream());
    const tall = rows >= columns;
    const [count, length] = tall ? [columns, rows] : [rows, columns];
    const at = (k: number, i: number) => (tall ? weight[i * columns + k] : weight[k * columns + i]);
    for (let a = 0; a < count; a++) {
      for (let b = 0; b < count; b++) {
        let product = 0;
        for (let i = 0; i < length; i++) product += at(a, i) * at(b, i);
        expect(product).toBeCloseTo(a === b ? 4 : 0, 5);
      }
    }
  });

  test("rejects a vector", () => {
    expect(() => orthogonal()([4], stream())).toThrow(
      "orthogonal: the shape must have at least two axes, got [4]",
    );
  });
});

describe("columnBlocks", () => {
  test("each block is initialised with the shape of the block", () => {
    const weight = columnBlocks(orthogonal(), 3)([4, 12], stream());
    for (let block = 0; block < 3; block++) {
      const expected = orthogonal()([4, 4], stream().split(`block ${block}`));
      for (let i = 0; i < 16; i++)
        expect(weight[Math.floor(i / 4) * 12 + block * 4 + (i % 4)]).toBe(expected[i]);
    }
  });

  test("rejects a number of columns that is not a multiple of the blocks", () => {
    expect(() => columnBlocks(zeros, 3)([4, 8], stream())).toThrow(
      "columnBlocks: the last axis must be a multiple of 3, got [4, 8]",
    );
  });
});
