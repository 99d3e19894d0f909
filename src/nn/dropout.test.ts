// Tests of dropout: which entries are dropped, the expectation, and gradients.

import { expect, test } from "vitest";
import { checkGradients, evaluate, randomInput, weightedSum } from "../../test/support/gradients.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { dropout } from "./dropout.ts";

const size = 20_000;
const uniforms = { shape: [size], data: RandomStream.fromSeed(5).fillUniform(new Float32Array(size)) };

test("zeroes entries at the given rate and keeps the expectation", () => {
  const x = { shape: [size], data: new Float32Array(size).fill(3) };
  const { y } = evaluate(({ x, uniforms }) => ({ y: dropout(x, uniforms, 0.3) }), { x, uniforms });
  const dropped = y.filter((value) => value === 0).length / size;
  const mean = y.reduce((sum, value) => sum + value, 0) / size;
  const deviation = Math.sqrt((0.3 * 0.7) / size);
  expect(Math.abs(dropped - 0.3)).toBeLessThan(4 * deviation);
  expect(Math.abs(mean / 3 - 1)).toBeLessThan((4 * deviation) / 0.7);
  expect(y.every((value) => value === 0 || Math.abs(value - 3 / 0.7) < 1e-6)).toBe(true);
});

test("drops exactly the entries with a uniform number below the rate", () => {
  const { y } = evaluate(({ x, u }) => ({ y: dropout(x, u, 0.5) }), {
    x: { shape: [4], data: [1, 2, 3, 4] },
    u: { shape: [4], data: [0.1, 0.5, 0.9, 0.4999] },
  });
  expect([...y]).toEqual([0, 4, 6, 0]);
});

test("rate 0 is the identity", () => {
  evaluate(
    ({ x }) => {
      expect(dropout(x, x, 0)).toBe(x);
      return { x };
    },
    { x: randomInput([3], "x") },
  );
});

test("has the right gradients", () => {
  const u = { shape: [2, 4], data: [0.1, 0.8, 0.2, 0.9, 0.5, 0.3, 0.7, 0.05] };
  const { gradients } = checkGradients(
    ({ x, u }) => weightedSum(dropout(x, u, 0.4)),
    { x: randomInput([2, 4], "x") },
    { fixed: { u } },
  );
  u.data.forEach((value, i) => {
    expect(gradients.x[i] === 0).toBe(value < 0.4);
  });
});

test("rejects rates outside [0, 1) and uniform numbers of another shape", () => {
  const run = (rate: number, shape: number[]) =>
    evaluate(({ x, u }) => ({ y: dropout(x, u, rate) }), {
      x: randomInput([2, 3], "x"),
      u: randomInput(shape, "u"),
    });
  expect(() => run(1, [2, 3])).toThrow("dropout: rate must be in [0, 1), got 1");
  expect(() => run(-0.1, [2, 3])).toThrow("dropout: rate must be in [0, 1), got -0.1");
  expect(() => run(0.5, [3])).toThrow("dropout: uniforms must be [2, 3], got [3]");
});
