// Each mistake in the kernel of a history-dependent environment is reported in one sentence.

import { expect, test } from "vitest";
import { checkEnvironment } from "../check-environment.ts";
import { regimeEnvironment } from "../regime.ts";
import { sequenceEnvironment } from "../sequence.ts";

const regimes = [
  { stick: 0.1, share: 0.5 },
  { stick: 0.9, share: 0.5 },
];
const strings = regimeEnvironment({ alphabet: "AB", length: 3, regimes });
const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
const none = new Float64Array();
const kernelAfter = () => Float64Array.of(0.5, 0.5, 0.5, 0.5);

test("a correct kernel passes", () => {
  expect(() => checkEnvironment(strings)).not.toThrow();
});

test.each([
  [{ ...stopping, kernelAfter }, "kernelAfter is for environments without a stop, but hasStop is true"],
  [
    { ...strings, kernelAfter: () => none },
    "kernelAfter([], []) must return a Float64Array of 2 × 2 numbers, got 0",
  ],
  [
    { ...strings, kernelAfter: () => kernelAfter().map((p) => p / 2) },
    "kernelAfter([], []) must return probabilities that sum to 1, got 0.5 for action",
  ],
  [
    { ...strings, kernelAfter: () => Float64Array.of(2, -1, 2, -1) },
    "kernelAfter([], []) must return probabilities, got -1 for action",
  ],
  [
    // A kernel without noise.
    { ...strings, kernelAfter: () => Float64Array.of(1, 0, 0, 1) },
    "gives it probability 0",
  ],
  [
    {
      ...strings,
      kernelAfter: (actions: readonly number[]) => {
        if (actions.length === 2) throw new Error("too long");
        return kernelAfter();
      },
    },
    "throws: too long",
  ],
])("%#: a wrong kernel is reported", (broken, message) => {
  expect(() => checkEnvironment(broken)).toThrow(RangeError);
  expect(() => checkEnvironment(broken)).toThrow(message);
});
