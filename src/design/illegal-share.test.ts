// The share of illegal strings among samples, beside the best reachable policy and the least of any policy.

import { expect, test } from "vitest";
import { constrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import type { ScoredSample, Trained } from "../trained/trained.ts";
import { illegalShare, illegalShareText } from "./illegal-share.ts";

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
  const found = await illegalShare(trained, environment("free"), null);
  if (!found) throw new Error("there must be a share");
  const { share, standardError, samples, limit, legal, least } = found;
  expect([share, samples, limit, legal]).toEqual([0.25, 1000, null, 1]);
  expect(standardError).toBeCloseTo(Math.sqrt((0.25 * 0.75) / 999), 12);
  // Both letters must stay A, and each becomes B with probability 0.1.
  expect(least).toBeCloseTo(1 - 0.9 ** 2, 12);
  expect(illegalShareText(found)).toBe(
    "Illegal strings under free noise: 0.2500 ± 0.0137 of 1,000 samples; that of the best reachable policy needs the scores of all 1 legal strings; the least of any policy is 0.1900.",
  );
});

test("beside the best reachable policy, if every legal string has a score", async () => {
  // Legal are AA and BA: the second letter must be A, and becomes B with probability 0.1 under every policy.
  const space = { tokens: ["A", "B"], length: { min: 2, max: 2 } };
  const free = constrainedSequenceEnvironment({
    space,
    constraints: [{ kind: "template", pattern: [[0, 1], [0]], open: false }],
    noise: { kind: "stick", stick: 0.2, mode: "free" },
  });
  const rewards = Float64Array.of(1, 1e-4, 0.5, 1e-4);
  const found = await illegalShare(trained, free, rewards);
  expect(found?.limit).toBeCloseTo(0.1, 9);
  expect(found && illegalShareText(found)).toContain(
    "that of the best reachable policy is 0.1000; the least",
  );
});

test("if noise keeps within the constraints there is none", async () => {
  expect(await illegalShare(trained, environment("within"), null)).toBeNull();
});
