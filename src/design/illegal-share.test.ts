// The share of illegal strings among samples, beside the least of any policy.

import { expect, test } from "vitest";
import { constrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import type { ScoredSample, Trained } from "../trained/trained.ts";
import { illegalShare } from "./illegal-share.ts";

const environment = (mode: "within" | "free") =>
  constrainedSequenceEnvironment({
    space: { tokens: ["A", "B"], length: { min: 2, max: 2 } },
    constraints: [{ kind: "forbid", motif: [1] }],
    noise: { kind: "stick", stick: 0.2, mode },
  });
/** A model whose samples are AA and, one in four, AB. */
const trained: Pick<Trained, "sample"> = {
  sample: async (count) =>
    Array.from({ length: count }, (_, i) => ({ object: i % 4 === 0 ? "AB" : "AA" }) as ScoredSample),
};

test("under free noise it is the share among the samples, with its standard error", async () => {
  const { share, standardError, samples, least } = (await illegalShare(trained, environment("free"))) ?? {};
  expect([share, samples]).toEqual([0.25, 1000]);
  expect(standardError).toBeCloseTo(Math.sqrt((0.25 * 0.75) / 999), 12);
  // Both letters must stay A, and each becomes B with probability 0.1.
  expect(least).toBeCloseTo(1 - 0.9 ** 2, 12);
});

test("if noise keeps within the constraints there is none", async () => {
  expect(await illegalShare(trained, environment("within"))).toBeNull();
});
