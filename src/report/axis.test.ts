// Tests of the ticks and domains of axes for usual, few, equal, huge and missing values.

import { describe, expect, test } from "vitest";
import { extent, fraction, isPlottable, scaleOf, scaleType } from "./axis.ts";

const texts = (values: readonly number[], { log = false, count = 5, room = 0 } = {}) =>
  scaleOf({ label: "y" }, log ? "log" : "linear", values, { room, count }).ticks.map(({ text }) => text);

describe("a linear axis", () => {
  test("has ticks at multiples of 1, 2 or 5, with as many digits as needed", () => {
    expect(texts([0, 1])).toEqual(["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    expect(texts([-7, 0])).toEqual(["−6", "−4", "−2", "0"]);
    expect(texts([0, 16000], { count: 3.5 })).toEqual(["0", "5k", "10k", "15k"]);
    expect(texts([0, 2.5e6])).toEqual(["0", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"]);
    expect(texts([0, 2e-5])).toEqual(["0", "5·10⁻⁶", "10⁻⁵", "1.5·10⁻⁵", "2·10⁻⁵"]);
  });

  test("labels neighbouring ticks differently if they differ little", () => {
    expect(texts([1.19e-4, 1.21e-4], { count: 4 })).toEqual([
      ...["1.19·10⁻⁴", "1.195·10⁻⁴", "1.2·10⁻⁴", "1.205·10⁻⁴", "1.21·10⁻⁴"],
    ]);
    expect(new Set(texts([5e9, 5e9 + 1e6])).size).toBeGreaterThan(3);
  });

  test("has ticks at integers only with integerTicks", () => {
    const labels = (values: readonly number[], integerTicks: boolean) =>
      scaleOf({ label: "steps", integerTicks }, "linear", values, { room: 0, count: 8 }).ticks.map(
        ({ text }) => text,
      );
    expect(labels([1, 3], true)).toEqual(["1", "2", "3"]);
    expect(labels([1], true)).toEqual(["1"]);
    expect(labels([1, 3], false)).toContain("1.2");
    expect(labels([1, 48], true)).toEqual(labels([1, 48], false));
  });

  test("pads the data range, but not beyond an included value", () => {
    const options = { room: 0.1, count: 5 };
    expect(scaleOf({ label: "y" }, "linear", [0, 10], options).domain).toEqual([-1, 11]);
    expect(scaleOf({ label: "y", include: [0] }, "linear", [0, 10], options).domain).toEqual([0, 11]);
    expect(scaleOf({ label: "y", include: [0] }, "linear", [5, 10], options).domain).toEqual([0, 11]);
  });

  test("has a constant value at its centre, also if it is zero", () => {
    expect(scaleOf({ label: "y" }, "linear", [4, 4], { room: 0.1, count: 5 }).domain).toEqual([2, 6]);
    expect(scaleOf({ label: "y" }, "linear", [0], { room: 0.1, count: 5 }).domain).toEqual([-1, 1]);
  });

  test("has its unit in the title", () => {
    expect(scaleOf({ label: "time", unit: "s" }, "linear", [1], { room: 0, count: 5 }).title).toBe(
      "time (s)",
    );
  });
});

describe("a logarithmic axis", () => {
  test("has ticks at powers of ten, also at 2 and 5 times them if they are few, and evenly within one power", () => {
    expect(texts([0.005, 0.5], { log: true })).toEqual([
      "0.005",
      "0.01",
      "0.02",
      "0.05",
      "0.1",
      "0.2",
      "0.5",
    ]);
    expect(texts([1e-5, 1], { log: true })).toEqual(["10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"]);
    expect(texts([1e-12, 1], { log: true })).toEqual(["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"]);
    expect(texts([0.16, 0.18], { log: true })).toEqual(["0.160", "0.165", "0.170", "0.175", "0.180"]);
  });

  test("places equal ratios at equal distances", () => {
    const scale = scaleOf({ label: "y" }, "log", [0.01, 1], { room: 0, count: 5 });
    expect([0.01, 0.1, 1].map((value) => fraction(scale, value))).toEqual([0, expect.closeTo(0.5, 12), 1]);
  });

  test("is chosen automatically if all values are positive and differ by a large factor", () => {
    const type = (...values: number[]) => scaleType({ label: "y", scale: "auto" }, values);
    expect(type(0.01, 1)).toBe("log");
    expect(type(0.5, 1)).toBe("linear");
    expect(type(0, 1)).toBe("linear");
    expect(type(-1, 100)).toBe("linear");
    expect(type(0.01, 1, Number.NaN, Number.POSITIVE_INFINITY)).toBe("log");
    expect(type()).toBe("linear");
  });
});

test.each([
  [0, 5e-324],
  [1e-320, 1e-320],
  [1e99, -1e99],
  [1e16, 1e16 + 2],
  [1e-99, 1e99],
  [1, 1 + 1e-8],
  [-3e-7, 2e-7],
])("the axis of %d and %d has a few ticks inside its domain", (a, b) => {
  for (const type of ["linear", "log"] as const) {
    const values = [a, b].filter((value) => isPlottable(value, type));
    if (values.length === 0) continue;
    for (const room of [0, 0.12]) {
      const { domain, ticks } = scaleOf({ label: "y" }, type, values, { room, count: 5 });
      expect(domain[1]).toBeGreaterThan(domain[0]);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(12);
      const [least, most] = extent(ticks.map(({ value }) => value));
      const slack = 1e-6 * (domain[1] - domain[0]);
      expect(least).toBeGreaterThanOrEqual(domain[0] - slack);
      expect(most).toBeLessThanOrEqual(domain[1] + slack);
    }
  }
});

test("non-finite values cannot be plotted, nor zero on a logarithmic axis", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    expect(isPlottable(value, "linear")).toBe(false);
  }
  expect([isPlottable(0, "linear"), isPlottable(0, "log"), isPlottable(-1, "log")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("the extent of very many values can be computed; the extent of no values is NaN", () => {
  expect(extent(Array.from({ length: 300_000 }, (_, i) => i - 5))).toEqual([-5, 299_994]);
  expect(extent([])).toEqual([Number.NaN, Number.NaN]);
});
