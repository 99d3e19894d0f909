import { expect, test } from "vitest";
import { visibleRows } from "./visible-rows.ts";

const WINDOW = { count: 1000, rowHeight: 34, height: 600 };

test("the rows of the window are there at every position, and all heights add up", () => {
  for (let top = 0; top <= 1000 * 34 - 600; top += 119) {
    const { from, to, before, after } = visibleRows({ ...WINDOW, top });
    expect(from * 34).toBeLessThanOrEqual(top);
    expect(to * 34).toBeGreaterThanOrEqual(top + 600);
    expect(to - from).toBeLessThan(50);
    expect(before + (to - from) * 34 + after).toBe(1000 * 34);
  }
});

test("short tables are whole", () => {
  expect(visibleRows({ ...WINDOW, count: 3, top: 0 })).toEqual({ from: 0, to: 3, before: 0, after: 0 });
  expect(visibleRows({ ...WINDOW, count: 0, top: 0 })).toEqual({ from: 0, to: 0, before: 0, after: 0 });
});

test("a table that became shorter than its scroll position shows its end", () => {
  const { from, to, after } = visibleRows({ ...WINDOW, count: 40, top: 20_000 });
  expect(to).toBe(40);
  expect(from).toBeLessThanOrEqual(40 - Math.ceil(600 / 34));
  expect(after).toBe(0);
});
