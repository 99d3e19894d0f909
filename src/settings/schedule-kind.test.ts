import { expect, test } from "vitest";
import { problemOf } from "./kinds.ts";
import { schedule } from "./schedule-kind.ts";

const share = schedule({ from: 0, to: 1 });

test.each([
  [2, "must be a number in [0, 1], or a schedule from one such number to another, got 2"],
  ["0.5", 'must be a number in [0, 1], or a schedule from one such number to another, got "0.5"'],
  [{ from: -1, to: 0 }, "must be a schedule whose from is a number in [0, 1], got -1"],
  [{ from: 0, to: 1.5 }, "must be a schedule whose to is a number in [0, 1], got 1.5"],
  [{ from: 1, to: 0, until: 0 }, "must be a schedule whose until is in (0, 1], got 0"],
  [{ from: 1, to: 0, until: 1.1 }, "must be a schedule whose until is in (0, 1], got 1.1"],
  [
    { from: 1, to: 0, shape: "exponential" },
    "must be a schedule between positive numbers if it is exponential, got 1 and 0",
  ],
])("%j is refused", (value, message) => {
  expect(problemOf(share, value)).toBe(message);
});

test.each([0, 1, { from: 1, to: 0 }, { from: 1, to: 0.1, shape: "exponential" }])("%j is valid", (value) => {
  expect(problemOf(share, value)).toBeNull();
});
