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

test("a long gradient is scaled to the largest norm, keeping its direction", () => {
  const { gradient, norm } = clip([3, -4, 12], 6.5);
  expect(norm[0]).toBe(13);
  expect([...gradient]).toEqual([1.5, -2, 6]);
});

test("a short gradient stays exactly as it is", () => {
  const { gradient, norm } = clip([0.3, -0.1], 6.5);
  expect([...gradient]).toEqual([Math.fround(0.3), Math.fround(-0.1)]);
  expect(norm[0]).toBeCloseTo(Math.hypot(0.3, 0.1), 6);
});

test("a zero gradient stays zero", () => {
  const { gradient, norm } = clip([0, 0, 0], 1);
  expect([...gradient]).toEqual([0, 0, 0]);
  expect(norm[0]).toBe(0);
});

test("a gradient that is not finite shows in the norm", () => {
  expect(clip([1, Number.NaN], 1).norm[0]).toBeNaN();
  expect(clip([1, Infinity], 1).norm[0]).toBe(Infinity);
});

test("refuses a largest norm that is not positive", () => {
  expect(() => clip([1], 0)).toThrow("clipByGlobalNorm: maxNorm must be positive, got 0");
});
