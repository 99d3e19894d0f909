import { expect, test } from "vitest";
import { FILLS, fill } from "./fill.ts";

const _ = Number.NaN;
const gappy = Float64Array.of(_, 1, 2, _, _, 8, 9, _);

test.each([
  ["none", [_, 1, 2, _, _, 8, 9, _]],
  ["zero", [0, 1, 2, 0, 0, 8, 9, 0]],
  ["forward", [_, 1, 2, 2, 2, 8, 9, 9]],
  ["linear", [_, 1, 2, 4, 6, 8, 9, 9]],
  // One season of two steps before: 1 and 2 stand for the gap, 8 for the end.
  ["seasonal", [_, 1, 2, 1, 2, 8, 9, 8]],
] as const)("%s fills as it says, and keeps which values were there", (how, expected) => {
  const { values, observed } = fill(gappy, how, 2);
  expect([...values]).toEqual(expected);
  expect([...observed]).toEqual([0, 1, 1, 0, 0, 1, 1, 0]);
});

test("a season longer than the series falls back to the last value", () => {
  expect([...fill(gappy, "seasonal", 50).values]).toEqual([_, 1, 2, 2, 2, 8, 9, 9]);
});

test("what is given is never changed, and all missing stays so but for zeros", () => {
  for (const how of FILLS) {
    const given = Float64Array.of(_, _, _);
    expect([...fill(given, how).values]).toEqual(how === "zero" ? [0, 0, 0] : [_, _, _]);
    expect([...given]).toEqual([_, _, _]);
  }
});
