// Student's t against its closed forms and the tables of every textbook.

import { expect, test } from "vitest";
import { normalQuantile } from "./normal.ts";
import { studentQuantile } from "./student.ts";

test("one degree of freedom is Cauchy's law, and two have a closed form", () => {
  for (const q of [0.001, 0.025, 0.1, 0.3, 0.6, 0.9, 0.975, 0.9995]) {
    const cauchy = Math.tan(Math.PI * (q - 0.5));
    const two = ((2 * q - 1) * Math.SQRT2) / Math.sqrt(4 * q * (1 - q));
    expect(studentQuantile(q, 1) / cauchy).toBeCloseTo(1, 10);
    expect(studentQuantile(q, 2) / two).toBeCloseTo(1, 10);
  }
});

test("quantiles are those of the tables", () => {
  const table = [
    [3, 0.9, 1.6377],
    [3, 0.975, 3.1824],
    [4, 0.95, 2.1318],
    [5, 0.975, 2.5706],
    [10, 0.9, 1.3722],
    [29, 0.975, 2.0452],
  ];
  for (const [freedom, q, value] of table) {
    expect(studentQuantile(q, freedom)).toBeCloseTo(value, 4);
    expect(studentQuantile(1 - q, freedom)).toBeCloseTo(-value, 4);
  }
  expect(studentQuantile(0.5, 3)).toBe(0);
});

test("many degrees of freedom are none to speak of, and a part of one is refused", () => {
  expect(studentQuantile(0.9, 30)).toBe(normalQuantile(0.9));
  expect(studentQuantile(0.9, Number.POSITIVE_INFINITY)).toBe(normalQuantile(0.9));
  expect(() => studentQuantile(0.9, 0.5)).toThrow(
    "studentQuantile: the degrees of freedom must be a whole number above 0, got 0.5",
  );
});
