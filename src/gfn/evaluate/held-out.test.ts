// Metrics of held-out objects: exact values where the policy is known, and the split of known objects.

import { describe, expect, test } from "vitest";
import { fitWith } from "../../trained/fit.ts";
import { NO_STORAGE } from "../../trained/trained.ts";
import { longSequenceEnvironment } from "../environment/sequence.ts";
import { heldOutMetrics, importanceSampleSize, type LogPair, splitHeldOut } from "./held-out.ts";

/** All strings of three letters, with rewards that differ. */
const LETTERS = "AB";
const strings = ["AAA", "AAB", "ABA", "ABB", "BAA", "BAB", "BBA", "BBB"];
const logRewards = strings.map((_, i) => Math.log(1 + i));
const logZ = Math.log(36);

function pairsOf(logProbability: (logReward: number, i: number) => number): LogPair[] {
  return logRewards.map((logReward, i) => ({ logReward, logProbability: logProbability(logReward, i) }));
}

describe("the metrics of held-out objects", () => {
  test("are perfect for a perfect policy, also on a part of the objects", () => {
    for (const pairs of [pairsOf((log) => log - logZ), pairsOf((log) => log - logZ).slice(2, 7)]) {
      const metrics = heldOutMetrics(pairs);
      expect(metrics).toMatchObject({ objects: pairs.length, unreachable: 0 });
      expect(metrics.spearman).toBeCloseTo(1, 12);
      expect(metrics.pearson).toBeCloseTo(1, 12);
      expect(metrics.slope).toBeCloseTo(1, 12);
      expect(metrics.effectiveSampleSize).toBeCloseTo(pairs.length, 9);
    }
  });

  test("have slope 1/2 and a smaller sample size for a policy in proportion to the root of the reward", () => {
    const metrics = heldOutMetrics(pairsOf((log) => log / 2 - 3));
    expect(metrics.spearman).toBeCloseTo(1, 12);
    expect(metrics.slope).toBeCloseTo(0.5, 12);
    // The weights are the roots of 1 to 8.
    const roots = strings.map((_, i) => Math.sqrt(1 + i));
    const sum = roots.reduce((a, b) => a + b);
    expect(metrics.effectiveSampleSize).toBeCloseTo(sum ** 2 / 36, 9);
  });

  test("show a policy that prefers bad objects, and one that is uniform", () => {
    expect(heldOutMetrics(pairsOf((log) => -log)).spearman).toBeCloseTo(-1, 12);
    expect(heldOutMetrics(pairsOf(() => Math.log(1 / 8)))).toMatchObject({ spearman: null, slope: 0 });
  });

  test("count unreachable objects and leave them out", () => {
    const pairs = pairsOf((log, i) => (i === 3 ? Number.NEGATIVE_INFINITY : log - logZ));
    const metrics = heldOutMetrics(pairs);
    expect(metrics).toMatchObject({ objects: 8, unreachable: 1 });
    expect(metrics.slope).toBeCloseTo(1, 12);
    expect(metrics.effectiveSampleSize).toBeCloseTo(7, 9);
    expect(heldOutMetrics([pairs[3]])).toEqual({
      ...{ objects: 1, unreachable: 1, spearman: null, pearson: null, slope: null },
      ...{ meanLogProbability: null, effectiveSampleSize: 0 },
    });
  });
});

test("the effective sample size of samples is their number for a perfect policy, and its closed form for a uniform one", () => {
  const perfect = pairsOf((log) => log - logZ);
  const drawn = [0, 7, 7, 3, 5, 7, 6, 6, 1, 4];
  expect(importanceSampleSize(drawn.map((i) => perfect[i]))).toBeCloseTo(drawn.length, 9);
  // Each string once under the uniform policy: (Σ R)² / Σ R² with R = 1 … 8.
  expect(importanceSampleSize(pairsOf(() => Math.log(1 / 8)))).toBeCloseTo(36 ** 2 / 204, 9);
});

describe("the split of known objects", () => {
  const objects = Array.from({ length: 2000 }, (_, i) => i.toString(2).padStart(11, "0"));

  test("keeps every object in one part, about the given share of them held out", () => {
    const { known, heldOut } = splitHeldOut(objects, 0.2);
    expect([...known, ...heldOut].sort()).toEqual(objects);
    expect(heldOut.length).toBeGreaterThan(320);
    expect(heldOut.length).toBeLessThan(480);
    expect(splitHeldOut(objects, 0).heldOut).toEqual([]);
    expect(splitHeldOut(objects, 1).known).toEqual([]);
  });

  test("depends neither on the order nor on other objects", () => {
    const all = new Set(splitHeldOut(objects, 0.2).heldOut);
    const some = objects.slice(300, 900).reverse();
    expect(splitHeldOut([...some, ...some], 0.2).heldOut).toEqual(some.filter((object) => all.has(object)));
  });

  test("refuses a share outside of [0, 1]", () => {
    expect(() => splitHeldOut(objects, 2)).toThrow("splitHeldOut: the share must be in [0, 1], got 2");
  });
});

test("an evaluation of a run without an enumeration tells a trained policy from an untrained one", async () => {
  const environment = longSequenceEnvironment({ alphabet: LETTERS, length: 3, stick: 0 });
  const scores = (texts: readonly string[]) => texts.map((text) => (1 + strings.indexOf(text)) / 8);
  const trained = await fitWith(NO_STORAGE)({
    ...{ environment, scores, heldOutObjects: [...strings, "AAA"], samples: 200, batch: 64 },
    ...{ hidden: [32], iterations: 400, learningRate: { from: 1e-2, to: 1e-4 } },
  });
  const evaluations = trained.events.flatMap((event) =>
    event.kind === "evaluation" && !event.exact ? [event] : [],
  );
  const [before, after] = evaluations;
  const again = await trained.evaluateHeldOut(strings);
  await expect(trained.evaluateHeldOut(["ABX"])).rejects.toThrow("heldOut: ");
  await trained.dispose();
  expect(after.heldOut).toEqual(again);
  expect(after.heldOut).toMatchObject({ objects: 8, unreachable: 0 });
  expect(after.heldOut?.slope).toBeGreaterThan(0.9);
  expect(after.heldOut?.spearman).toBeGreaterThan(0.95);
  expect(after.heldOut?.effectiveSampleSize).toBeGreaterThan(7.8);
  expect(after.sampled.effectiveSampleSize).toBeGreaterThan(190);
  expect(before.heldOut?.slope).toBeLessThan(0.8);
  expect(before.sampled.effectiveSampleSize).toBeLessThan(185);
});
