// Each way in which a kernel after histories can be wrong is named in one sentence.

import { expect, test } from "vitest";
import { checkEnvironment } from "../check-environment.ts";
import { regimeEnvironment } from "../environments/regime.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";

const regimes = [
  { stick: 0.1, share: 0.5 },
  { stick: 0.9, share: 0.5 },
];
const strings = regimeEnvironment({ alphabet: "AB", length: 3, regimes });
const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
const none = new Float64Array();
const kernelAfter = () => Float64Array.of(0.5, 0.5, 0.5, 0.5);

test("a kernel that is right passes", () => {
  expect(() => checkEnvironment(strings)).not.toThrow();
});

test.each([
  [{ ...stopping, kernelAfter }, "kernelAfter is for environments without a stop, but stops is true"],
  [
    { ...strings, kernelAfter: () => none },
    "kernelAfter([], []) must give a Float64Array of 2 × 2 numbers, got 0",
  ],
  [
    { ...strings, kernelAfter: () => kernelAfter().map((p) => p / 2) },
    "kernelAfter([], []) must give probabilities that sum to 1, got 0.5 for action",
  ],
  [
    { ...strings, kernelAfter: () => Float64Array.of(2, -1, 2, -1) },
    "kernelAfter([], []) must give probabilities, got -1 for action",
  ],
  [
    // As if nothing ever went wrong.
    { ...strings, kernelAfter: () => Float64Array.of(1, 0, 0, 1) },
    "gives it probability 0",
  ],
  [
    {
      ...strings,
      kernelAfter: (intended: readonly number[]) => {
        if (intended.length === 2) throw new Error("too long");
        return kernelAfter();
      },
    },
    "throws: too long",
  ],
])("%#: a kernel that is wrong is named", (broken, message) => {
  expect(() => checkEnvironment(broken)).toThrow(RangeError);
  expect(() => checkEnvironment(broken)).toThrow(message);
});
