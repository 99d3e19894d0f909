import { expect, test } from "vitest";
import { FILL_METHODS, fillGaps } from "./fill-gaps.ts";

const _ = Number.NaN;
const gappy = Float64Array.of(_, 1, 2, _, _, 8, 9, _);

test.each([
  ["none", [_, 1, 2, _, _, 8, 9, _]],
  ["zero", [0, 1, 2, 0, 0, 8, 9, 0]],
  ["forward", [_, 1, 2, 2, 2, 8, 9, 9]],
  ["linear", [_, 1, 2, 4, 6, 8, 9, 9]],
  // The season has two steps: 1 and 2 fill the gap, 8 fills the end.
  ["seasonal", [_, 1, 2, 1, 2, 8, 9, 8]],
] as const)("%s fills the gaps and records the observed values", (how, expected) => {
  const { values, observed } = fillGaps(gappy, how, 2);
  expect([...values]).toEqual(expected);
  expect([...observed]).toEqual([0, 1, 1, 0, 0, 1, 1, 0]);
});

test("a season longer than the series falls back to the last value", () => {
  expect([...fillGaps(gappy, "seasonal", 50).values]).toEqual([_, 1, 2, 2, 2, 8, 9, 9]);
});

test("the input is not changed, and a series without values stays missing except with zero", () => {
  for (const how of FILL_METHODS) {
    const given = Float64Array.of(_, _, _);
    expect([...fillGaps(given, how).values]).toEqual(how === "zero" ? [0, 0, 0] : [_, _, _]);
    expect([...given]).toEqual([_, _, _]);
  }
});
