// Tests of gradient clipping.

import { expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { clipByGlobalNorm } from "./clip.ts";

function clip(data: number[], maxNorm: number) {
  return evaluate(
    ({ gradient }) => ({ ...clipByGlobalNorm(gradient, maxNorm) }),
    {
      gradient: { shape: [data.length], data },
    },
    "float32",
  );
}

test("a gradient above the largest norm is scaled to it and keeps its direction", () => {
  const { gradient, norm } = clip([3, -4, 12], 6.5);
  expect(norm[0]).toBe(13);
  expect([...gradient]).toEqual([1.5, -2, 6]);
});

test("a gradient below the largest norm is unchanged", () => {
  const { gradient, norm } = clip([0.3, -0.1], 6.5);
  expect([...gradient]).toEqual([Math.fround(0.3), Math.fround(-0.1)]);
  expect(norm[0]).toBeCloseTo(Math.hypot(0.3, 0.1), 6);
});

test("a zero gradient stays zero", () => {
  const { gradient, norm } = clip([0, 0, 0], 1);
  expect([...gradient]).toEqual([0, 0, 0]);
  expect(norm[0]).toBe(0);
});

test("a non-finite gradient has a non-finite norm", () => {
  expect(clip([1, Number.NaN], 1).norm[0]).toBeNaN();
  expect(clip([1, Infinity], 1).norm[0]).toBe(Infinity);
});

test("rejects a largest norm that is not positive", () => {
  expect(() => clip([1], 0)).toThrow("clipByGlobalNorm: maxNorm must be positive, got 0");
});
