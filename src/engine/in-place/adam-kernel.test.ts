// Tests of the WebAssembly functions against the formulas in float64.

import { expect, test } from "vitest";
import { RandomStream } from "../random-stream.ts";
import { adamKernel } from "./adam-kernel.ts";

const SIZE = 64;
const BYTES = 4 * SIZE;
const NUMBERS = { beta1: 0.9, beta2: 0.999, gradientScale: 0.5, step: 0.01, epsilon: 1e-6 };

/** Vectors in a memory: parameters, m, v, gradient and scales. */
function vectors() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const stream = RandomStream.fromSeed(1);
  const vector = (i: number) => new Float32Array(memory.buffer, i * BYTES, SIZE);
  const [p, m, v, g, scales] = [0, 1, 2, 3, 4].map(vector);
  for (let i = 0; i < SIZE; i++) {
    [p[i], m[i], v[i], g[i]] = [stream.normal(), stream.normal(), stream.uniform(), stream.normal()];
    scales[i] = stream.uniform();
  }
  return { kernel: adamKernel(memory), p, m, v, g, scales };
}

test.each([false, true])("an update is Adam, element by element, with scales of the rate: %s", (scaled) => {
  const { kernel, p, m, v, g, scales } = vectors();
  const { beta1, beta2, gradientScale, step, epsilon } = NUMBERS;
  const expected = Array.from(p, (parameter, i) => {
    const slope = g[i] * gradientScale;
    const mean = beta1 * m[i] + slope;
    const square = beta2 * v[i] + slope ** 2;
    const move = (step * (scaled ? scales[i] : 1) * mean) / (Math.sqrt(square) + epsilon);
    return { mean, square, parameter: parameter - move };
  });
  kernel.update(
    { parameters: 0, m: BYTES, v: 2 * BYTES, gradient: 3 * BYTES, ...(scaled && { rateScale: 4 * BYTES }) },
    BYTES,
    NUMBERS,
  );
  expected.forEach(({ mean, square, parameter }, i) => {
    expect(m[i]).toBeCloseTo(mean, 6);
    expect(v[i]).toBeCloseTo(square, 6);
    expect(p[i]).toBeCloseTo(parameter, 6);
  });
});

test("an update of a part leaves the rest as it is", () => {
  const { kernel, p } = vectors();
  const before = p.slice();
  kernel.update({ parameters: 0, m: BYTES, v: 2 * BYTES, gradient: 3 * BYTES }, 16, NUMBERS);
  expect(p.subarray(0, 4).every((x, i) => x !== before[i])).toBe(true);
  expect(p.subarray(4)).toEqual(before.subarray(4));
});

test("moments that decay become 0 instead of denormal", () => {
  const { kernel, p, m, v, g } = vectors();
  m.fill(1);
  v.fill(1);
  g.fill(0);
  for (let i = 0; i < 1000; i++) {
    kernel.update({ parameters: 0, m: BYTES, v: 2 * BYTES, gradient: 3 * BYTES }, BYTES, NUMBERS);
  }
  expect([...m]).toEqual(Array(SIZE).fill(0));
  expect(v[0]).toBeCloseTo(0.999 ** 1000, 5);
  expect(p.every(Number.isFinite)).toBe(true);
});

test("the sum of squares is exact to float64", () => {
  const { kernel, g } = vectors();
  g[0] = 4096; // in float32, the sum would lose the small squares
  const expected = g.reduce((sum, x) => sum + Math.fround(x * x), 0);
  expect(kernel.sumOfSquares(3 * BYTES, BYTES)).toBeCloseTo(expected, 8);
});
