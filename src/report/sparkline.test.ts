// Sparklines, letter by letter.

import { expect, test } from "vitest";
import { sparkline } from "./sparkline.ts";

test("heights follow the values, with the least and the largest named", () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe("▁▂▃▄▅▆▇█ min 0 max 7");
  expect(sparkline([0.3834, 0.1, 0.0057])).toBe("█▂▁ min 0.0057 max 0.383");
});

test("a long series is shown as means of neighbours, and the line is never too long", () => {
  const values = Array.from({ length: 1000 }, (_, i) => i);
  for (const width of [1, 5, 20, 21, 22, 40, 200])
    expect([...sparkline(values, { width })]).toHaveLength(width);
  expect(sparkline(values, { width: 4 })).toBe("▁▃▆█");
  expect(sparkline([0, 0, 8, 8], { width: 2 })).toBe("▁█");
});

test("what is not finite leaves a gap and does not count", () => {
  const values = [0, Number.NaN, Number.POSITIVE_INFINITY, 1, Number.NEGATIVE_INFINITY];
  expect(sparkline(values)).toBe("▁··█· min 0 max 1");
  expect(sparkline([Number.NaN])).toBe("no data");
  expect(sparkline([])).toBe("no data");
  expect(sparkline([], { width: 3 })).toBe("no ");
});

test("a constant is level, and the largest numbers do not overflow", () => {
  expect(sparkline([2, 2, 2])).toBe("▄▄▄ min 2 max 2");
  expect(sparkline([-Number.MAX_VALUE, 0, Number.MAX_VALUE])).toBe("▁▅█ min -1.8e+308 max 1.8e+308");
});

test("a width that is none is refused", () => {
  expect(() => sparkline([1], { width: 0 })).toThrow(
    "sparkline: width must be a whole number from 1 on, got 0",
  );
});
