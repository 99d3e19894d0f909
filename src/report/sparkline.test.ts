// Tests of sparklines, character by character.

import { expect, test } from "vitest";
import { sparkline } from "./sparkline.ts";

test("heights increase with the values, and the line ends with minimum and maximum", () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe("▁▂▃▄▅▆▇█ min 0 max 7");
  expect(sparkline([0.3834, 0.1, 0.0057])).toBe("█▂▁ min 0.0057 max 0.383");
});

test("a long series is shown as means of neighbours, and the line never exceeds the width", () => {
  const values = Array.from({ length: 1000 }, (_, i) => i);
  for (const width of [1, 5, 20, 21, 22, 40, 200])
    expect([...sparkline(values, { width })]).toHaveLength(width);
  expect(sparkline(values, { width: 4 })).toBe("▁▃▆█");
  expect(sparkline([0, 0, 8, 8], { width: 2 })).toBe("▁█");
});

test("non-finite values are gaps and are ignored", () => {
  const values = [0, Number.NaN, Number.POSITIVE_INFINITY, 1, Number.NEGATIVE_INFINITY];
  expect(sparkline(values)).toBe("▁··█· min 0 max 1");
  expect(sparkline([Number.NaN])).toBe("no data");
  expect(sparkline([])).toBe("no data");
  expect(sparkline([], { width: 3 })).toBe("no ");
});

test("a constant has one height, and the largest numbers do not overflow", () => {
  expect(sparkline([2, 2, 2])).toBe("▄▄▄ min 2 max 2");
  expect(sparkline([-Number.MAX_VALUE, 0, Number.MAX_VALUE])).toBe("▁▅█ min -1.8e+308 max 1.8e+308");
});

test("an invalid width is refused", () => {
  expect(() => sparkline([1], { width: 0 })).toThrow("sparkline: width must be a positive integer, got 0");
});
