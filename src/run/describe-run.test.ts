import { expect, test } from "vitest";
import { describeModes } from "./describe-run.ts";

const none = { expected: null, probability: null, targetProbability: null };

test("counts of modes name the number of samples, a perfect sampler, and the probability of the modes", () => {
  expect(
    describeModes({
      ...{ samples: 1000, circles: 44, recall: null, knownModes: null },
      localMaxima: {
        ...{ found: 0, of: 10, expected: 1.1234 },
        ...{ probability: 0.001081, targetProbability: 0.001125 },
      },
    }),
  ).toBe(
    [
      "modes in 1,000 samples: 44 circles among the best 100, 0 of 10 local maxima (a perfect sampler: 1.1)",
      "probability of the local maxima: 0.00108, target 0.00113",
    ].join("\n"),
  );
});

test("what is unknown is omitted", () => {
  expect(
    describeModes({
      ...{ samples: 1, circles: 1, recall: 0.5 },
      knownModes: { found: 1, of: 2, ...none, expected: 1234.5 },
      localMaxima: { found: 0, of: 3, ...none },
    }),
  ).toBe(
    "modes in 1 sample: 1 circle among the best 100, 1 of 2 known modes (a perfect sampler: 1,235), 0 of 3 local maxima",
  );
});
