// Tests of the measured tables against reference numbers from an independent computation. The package does not contain
// the files of these tables; the tests are skipped if the files are missing.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { enumerateSequences } from "../../gfn/environment/sequence-states.ts";
import { largestExpectedReward } from "../../gfn/evaluate/exact.ts";
import { limitByWaterFilling } from "../../gfn/evaluate/limit.ts";
import { samplingFloor } from "../../gfn/evaluate/sampling-floor.ts";
import {
  entropy,
  expectation,
  klDivergence,
  normaliseRewards,
  spearman,
  totalVariation,
} from "../../math/distances.ts";
import { sequenceAt } from "./eight-mers.ts";
import { readBindingTable } from "./read-binding-table.ts";
import { SURROGATE, surrogateTable } from "./surrogate.ts";

const folder = fileURLToPath(new URL("../../../../shared/data/tfbind", import.meta.url));
const SIX6 = `${folder}/SIX6_REF_R1_8mers.txt`;
const CRX = `${folder}/CRX_REF_R1_8mers.txt`;
const reason = (file: string) => (existsSync(file) ? "" : ` (skipped: ${file} is missing)`);

describe.skipIf(!existsSync(SIX6))(`the measured table of SIX6${reason(SIX6)}`, () => {
  let scores: Float64Array;
  let target: Float64Array;
  let logZ: number;
  beforeAll(async () => {
    scores = await readBindingTable(SIX6);
    ({ target, logZ } = normaliseRewards(scores.map((score) => score ** 3)));
  });

  test("has cubes that sum to 9504.89, and a target of entropy 10.5913", () => {
    expect(Math.exp(logZ)).toBeCloseTo(9504.89, 2);
    expect(entropy(target)).toBeCloseTo(10.5913, 4);
  });

  test("has a target at total variation 0.40344 and KL 0.49903 from the uniform distribution", () => {
    const uniform = new Float64Array(65536).fill(1 / 65536);
    expect(totalVariation(target, uniform)).toBeCloseTo(0.40344, 5);
    expect(klDivergence(target, uniform)).toBeCloseTo(0.49903, 5);
  });

  test("has its highest value at AGGTATCA and TGATACCT, and the median 0.4393", () => {
    const best = [...scores.keys()].filter((index) => scores[index] === 1).map(sequenceAt);
    expect(best).toEqual(["AGGTATCA", "TGATACCT"]);
    expect(scores.toSorted()[32768]).toBeCloseTo(0.4393, 4);
  });

  test.each([
    [0.1, 0.0002, 0.0004, 0.969, 5.5],
    [0.25, 0.002, 0.0053, 0.913, 22.4],
    [0.5, 0.0178, 0.0459, 0.779, 57.9],
    [0.75, 0.098, 0.1641, 0.618, 88.3],
  ])(
    "has at stick %f the limit KL %f and TV %f, the largest mean score %f, and %f % infeasible prefixes",
    (stick, kl, tv, largest, infeasible) => {
      const enumeration = enumerateSequences({ alphabetSize: 4, length: 8, variable: false }, stick);
      const limit = limitByWaterFilling(enumeration, target, stick);
      expect(limit.kl).toBeCloseTo(kl, 4);
      expect(limit.tv).toBeCloseTo(tv, 4);
      expect(largestExpectedReward(enumeration, scores)).toBeCloseTo(largest, 3);
      expect(100 * infeasibleShare(target, stick)).toBeCloseTo(infeasible, 1);
      expect(expectation(target, scores)).toBeCloseTo(0.647, 3);
    },
  );

  // The reference values come from single simulations, so only two digits are compared.
  test.each([
    [10_000, 0.727],
    [100_000, 0.281],
    [200_000, 0.198],
    [1_000_000, 0.089],
  ])("has with %i samples the sampling floor %f", (samples, floor) => {
    expect(samplingFloor(target, samples)).toBeCloseTo(floor, 2);
  });

  test("agrees with the surrogate as its label states", () => {
    const surrogate = surrogateTable();
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    let [residual, total] = [0, 0];
    for (let i = 0; i < scores.length; i++) {
      residual += (scores[i] - surrogate[i]) ** 2;
      total += (scores[i] - mean) ** 2;
    }
    expect(1 - residual / total).toBeCloseTo(SURROGATE.r2, 3);
    expect(spearman(scores, surrogate)).toBeCloseTo(SURROGATE.spearman, 3);
  });
});

describe.skipIf(!existsSync(CRX))(`the measured table of CRX${reason(CRX)}`, () => {
  test("is scaled to [0, 1] like that of SIX6", async () => {
    const scores = await readBindingTable(CRX);
    expect(scores).toHaveLength(65536);
    expect(scores.reduce((a, b) => Math.min(a, b))).toBe(0);
    expect(scores.reduce((a, b) => Math.max(a, b))).toBe(1);
  });
});

/**
 * Fraction of prefixes that have a child whose share of the target is smaller than its probability from noise alone.
 */
function infeasibleShare(target: Float64Array, stick: number): number {
  let [nodes, infeasible] = [0, 0];
  for (let masses = target; masses.length > 1; ) {
    const parents = new Float64Array(masses.length / 4);
    for (let node = 0; node < parents.length; node++) {
      const children = masses.subarray(4 * node, 4 * node + 4);
      parents[node] = children.reduce((a, b) => a + b, 0);
      nodes++;
      if (children.some((mass) => mass < (stick / 4) * parents[node])) infeasible++;
    }
    masses = parents;
  }
  return infeasible / nodes;
}
