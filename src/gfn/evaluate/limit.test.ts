// Tests of the limit by expectation maximisation and by water-filling, against each other and against random policies.

import { describe, expect, test } from "vitest";
import { SMALL_ENUMERATIONS } from "../../../test/support/small-enumerations.ts";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { klDivergence, normaliseRewards } from "../../math/distances.ts";
import { DEFAULT_GRID_REWARD, enumerateGrid, gridRewards } from "../environment/hypergrid-states.ts";
import { enumerateSequences } from "../environment/sequence-states.ts";
import { largestExpectedReward, visitation } from "./exact.ts";
import {
  type Limit,
  limitByExpectationMaximisation,
  limitByWaterFilling,
  limitOf,
  waterFill,
} from "./limit.ts";

describe.each(Object.entries(SMALL_ENUMERATIONS))("of %s, the limit", (_, enumeration) => {
  test("is 0 for a target that some policy reaches", () => {
    const target = visitation(enumeration, randomPolicy(enumeration, RandomStream.fromSeed(4))).terminals;
    const limit = limitByExpectationMaximisation(enumeration, target);
    expect(limit.kl).toBeLessThan(1e-6);
    expect(limit.tv).toBeLessThan(1e-3);
  });
});

/** Expects a search result whose distance from the closed form is within its gap. */
function expectWithinGap(search: Limit, closed: Limit): void {
  expect(search.gap).toBeLessThanOrEqual(1e-7);
  expect(search.kl).toBeGreaterThan(closed.kl - 1e-12);
  expect(search.kl - search.gap).toBeLessThan(closed.kl + 1e-12);
}

describe("the limit", () => {
  test.each([0.1, 0.5, 0.75])(
    "by expectation maximisation agrees with water-filling on fixed strings at stick %f",
    (stick) => {
      const enumeration = enumerateSequences({ alphabetSize: 4, length: 3, variable: false }, stick);
      const { target } = normaliseRewards(rewards(enumeration.terminals, 5));
      const closed = limitByWaterFilling(enumeration, target, stick);
      const search = limitByExpectationMaximisation(enumeration, target);
      expect(closed.kl).toBeGreaterThan(1e-4);
      expectWithinGap(search, closed);
      expect(search.tv).toBeCloseTo(closed.tv, 3);
    },
  );

  test.each([0.25, 0.75])(
    "by expectation maximisation agrees with water-filling on strings with a stop at stick %f",
    (stick) => {
      const enumeration = enumerateSequences({ alphabetSize: 3, length: 3, variable: true }, stick);
      const { target } = normaliseRewards(rewards(enumeration.terminals, 6));
      const closed = limitByWaterFilling(enumeration, target, stick);
      const search = limitByExpectationMaximisation(enumeration, target);
      expect(closed.kl).toBeGreaterThan(1e-5);
      expectWithinGap(search, closed);
    },
  );

  test("of the 8 × 8 grid has reference values at stick 0.25, 0.5 and 0.75", () => {
    const space = { dimensions: 2, side: 8 };
    const { target } = normaliseRewards(gridRewards(space, DEFAULT_GRID_REWARD));
    const at = (stick: number) => limitByExpectationMaximisation(enumerateGrid(space, stick), target);
    expect(at(0.25).kl).toBeLessThan(1e-7);
    expect(at(0.5).kl).toBeCloseTo(0.0058, 4);
    expect(at(0.5).tv).toBeCloseTo(0.0496, 3);
    expect(at(0.75).kl).toBeCloseTo(0.2066, 4);
    expect(at(0.75).tv).toBeCloseTo(0.2663, 3);
  });

  test.each([0.25, 0.5, 0.75])("of the 8 × 8 × 8 grid is found in few steps at stick %f", (stick) => {
    const space = { dimensions: 3, side: 8 };
    const { target } = normaliseRewards(gridRewards(space, DEFAULT_GRID_REWARD));
    const { gap } = limitByExpectationMaximisation(enumerateGrid(space, stick), target, { maxSteps: 300 });
    expect(gap).toBeLessThanOrEqual(1e-7);
  });

  test.each([1 - 1e-9, 1 - 1e-14, 1 - 2 ** -53])(
    "approaches the uniform distribution at stick %d",
    (stick) => {
      const enumeration = enumerateSequences({ alphabetSize: 3, length: 3, variable: false }, stick);
      const { target } = normaliseRewards(Float64Array.from({ length: 27 }, (_, i) => 1 + (i % 7)));
      const { kl, terminals } = limitByWaterFilling(enumeration, target, stick);
      expect(terminals.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      expect(kl).toBeCloseTo(klDivergence(target, new Float64Array(27).fill(1 / 27)), 7);
    },
  );

  test("never increases during the search, and its gap is a valid bound", () => {
    const enumeration = enumerateSequences({ alphabetSize: 3, length: 3, variable: true }, 0.5);
    const { target } = normaliseRewards(rewards(enumeration.terminals, 8));
    const { kl: closed } = limitByWaterFilling(enumeration, target, 0.5);
    let last = Number.POSITIVE_INFINITY;
    for (let maxSteps = 0; maxSteps < 60; maxSteps++) {
      const { kl, gap, terminals } = limitByExpectationMaximisation(enumeration, target, {
        tolerance: 0,
        maxSteps,
      });
      expect(kl).toBeLessThanOrEqual(last + 1e-14);
      expect(kl - closed).toBeLessThanOrEqual(gap + 1e-14);
      const ratio = target.map((p, t) => p / terminals[t]);
      expect(gap).toBeCloseTo(Math.log(largestExpectedReward(enumeration, ratio)), 12);
      last = kl;
    }
    expect(last).toBeCloseTo(closed, 4);
  });

  test("has at most the KL of any policy", () => {
    const enumeration = enumerateGrid({ dimensions: 2, side: 4 }, 0.5);
    const { target } = normaliseRewards(rewards(enumeration.terminals, 7));
    const { kl } = limitByExpectationMaximisation(enumeration, target);
    for (let seed = 0; seed < 20; seed++) {
      const { terminals } = visitation(enumeration, randomPolicy(enumeration, RandomStream.fromSeed(seed)));
      expect(klDivergence(target, terminals)).toBeGreaterThan(kl);
    }
  });

  test.each([
    [[0.7, 0.2, 0.1, 0], 0.1, [0.7 * (0.8 / 0.9), 0.2 * (0.8 / 0.9), 0.1, 0.1]],
    [[0.25, 0.25, 0.25, 0.25], 0.2, [0.25, 0.25, 0.25, 0.25]],
    [[1, 0, 0, 0], 0.25, [0.25, 0.25, 0.25, 0.25]],
  ])("water-fills %j with floor %f", (shares, floor, expected) => {
    waterFill(shares, floor).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 12);
    });
  });
});

function rewards(count: number, seed: number): Float64Array {
  const stream = RandomStream.fromSeed(seed);
  return Float64Array.from({ length: count }, () => Math.exp(2 * stream.normal()));
}

describe("limitOf uses", () => {
  const sticky = enumerateSequences({ alphabetSize: 3, length: 3, variable: false }, 0.5);
  const stream = RandomStream.fromSeed(6);
  const uneven = normaliseRewards(
    Float64Array.from({ length: 27 }, () => Math.exp(2 * stream.normal())),
  ).target;

  test("water-filling for stick noise on a tree", () => {
    const { kl, gap } = limitOf({ tree: true, stick: 0.5 }, sticky, uneven);
    expect(gap).toBe(0);
    expect(kl).toBe(limitByWaterFilling(sticky, uneven, 0.5).kl);
  });

  test("expectation maximisation for another kernel on a tree", () => {
    // The last letter has no noise, so that the limit is lower than with noise on all letters.
    const probabilities = sticky.probabilities.slice();
    for (let row = 4 * 3; row < 13 * 3; row++) {
      for (let i = sticky.offsets[row]; i < sticky.offsets[row + 1]; i++) {
        probabilities[i] = +(sticky.outcome[i] === row % 3);
      }
    }
    const other = { ...sticky, probabilities };
    const { kl } = limitOf({ tree: true, stick: 0.5 }, other, uneven);
    expect(kl).toBeCloseTo(limitByExpectationMaximisation(other, uneven, { tolerance: 1e-12 }).kl, 6);
    expect(kl).toBeLessThan(limitByWaterFilling(sticky, uneven, 0.5).kl - 0.01);
  });
});
