// Tests of Student's t distribution against its closed forms and textbook tables.

import { expect, test } from "vitest";
import { normalQuantile } from "./normal-distribution.ts";
import { studentTQuantile } from "./student-t.ts";

test("with one degree of freedom it is the Cauchy distribution, and with two it equals its closed form", () => {
  for (const q of [0.001, 0.025, 0.1, 0.3, 0.6, 0.9, 0.975, 0.9995]) {
    const cauchy = Math.tan(Math.PI * (q - 0.5));
    const two = ((2 * q - 1) * Math.SQRT2) / Math.sqrt(4 * q * (1 - q));
    expect(studentTQuantile(q, 1) / cauchy).toBeCloseTo(1, 10);
    expect(studentTQuantile(q, 2) / two).toBeCloseTo(1, 10);
  }
});

test("quantiles equal those of textbook tables", () => {
  const table = [
    [3, 0.9, 1.6377],
    [3, 0.975, 3.1824],
    [4, 0.95, 2.1318],
    [5, 0.975, 2.5706],
    [10, 0.9, 1.3722],
    [29, 0.975, 2.0452],
  ];
  for (const [freedom, q, value] of table) {
    expect(studentTQuantile(q, freedom)).toBeCloseTo(value, 4);
    expect(studentTQuantile(1 - q, freedom)).toBeCloseTo(-value, 4);
  }
  expect(studentTQuantile(0.5, 3)).toBe(0);
});

test("with many degrees of freedom it is the normal distribution, and fractional degrees are rejected", () => {
  expect(studentTQuantile(0.9, 30)).toBe(normalQuantile(0.9));
  expect(studentTQuantile(0.9, Number.POSITIVE_INFINITY)).toBe(normalQuantile(0.9));
  expect(() => studentTQuantile(0.9, 0.5)).toThrow(
    "studentTQuantile: the degrees of freedom must be a whole number above 0, got 0.5",
  );
});
