// Exact evaluation and the limit, against numbers known by hand, by simulation and by a second method.

import { describe, expect, test } from "vitest";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { checkEnumeration, type Enumeration, enumeration, terminal } from "../enumeration.ts";
import { DEFAULT_GRID_REWARD, enumerateGrid, gridRewards } from "../environments/hypergrid-states.ts";
import { enumerateSequences } from "../environments/sequence-states.ts";
import { divergence, entropy, normalise, pearson, spearman, totalVariation } from "./distances.ts";
import { dynamicsDivergence, kernelEntropy, largestExpectedReward, visitation } from "./exact.ts";
import { fill, type Limit, limitByFilling, limitBySearch, limitOf } from "./limit.ts";

const environments = {
  "fixed strings": enumerateSequences({ letters: 3, length: 4, variable: false }, 0.25),
  "variable strings": enumerateSequences({ letters: 2, length: 4, variable: true }, 0.25),
  "one letter": enumerateSequences({ letters: 1, length: 3, variable: true }, 0.5),
  "a grid": enumerateGrid({ dimensions: 2, side: 5 }, 0.25),
  "a cube without noise": enumerateGrid({ dimensions: 3, side: 3 }, 0),
};

describe.each(Object.entries(environments))("%s", (name, listed) => {
  test("keep the rules of an enumeration", () => {
    expect(() => checkEnumeration(name, listed)).not.toThrow();
  });

  test("end somewhere with probability one under any policy", () => {
    const { terminals } = visitation(listed, randomPolicy(listed, RandomStream.fromSeed(1)));
    expect(terminals.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
  });

  test("end where simulated episodes end", () => {
    const policy = randomPolicy(listed, RandomStream.fromSeed(2));
    const exact = visitation(listed, policy).terminals;
    const episodes = 40_000;
    const counts = simulate(listed, policy, episodes, RandomStream.fromSeed(3));
    let chiSquare = 0;
    let cells = 0;
    for (let t = 0; t < exact.length; t++) {
      const expected = exact[t] * episodes;
      if (expected < 5) continue;
      chiSquare += (counts[t] - expected) ** 2 / expected;
      cells++;
    }
    expect(chiSquare).toBeLessThan(cells + 5 * Math.sqrt(2 * cells) + 5);
  });

  test("have noise whose entropy and divergence from all outcomes alike sum to the logarithm of their number", () => {
    const policy = randomPolicy(listed, RandomStream.fromSeed(5));
    const { states } = visitation(listed, policy);
    const { outcomes: C } = listed;
    const alike = new Float64Array(listed.states * C * C).fill(-Math.log(C));
    const divergence = dynamicsDivergence(listed, policy, states, alike);
    expect(kernelEntropy(listed, policy, states)! + divergence!).toBeCloseTo(Math.log(C), 12);
  });

  test("reach a target that some policy reaches", () => {
    const target = visitation(listed, randomPolicy(listed, RandomStream.fromSeed(4))).terminals;
    const limit = limitBySearch(listed, target);
    expect(limit.kl).toBeLessThan(1e-6);
    expect(limit.tv).toBeLessThan(1e-3);
  });
});

function simulate(
  listed: Enumeration,
  policy: Float64Array,
  episodes: number,
  stream: RandomStream,
): Float64Array {
  const counts = new Float64Array(listed.terminals);
  const draw = (from: number, to: number, weight: (i: number) => number) => {
    let u = (stream.bits() + 0.5) / 2 ** 32;
    for (let i = from; i < to; i++) {
      u -= weight(i);
      if (u < 0) return i;
    }
    return to - 1;
  };
  for (let episode = 0; episode < episodes; episode++) {
    let at = 0;
    while (at >= 0) {
      const row = draw(at * listed.actions, (at + 1) * listed.actions, (i) => policy[i]);
      at = listed.targets[draw(listed.offsets[row], listed.offsets[row + 1], (i) => listed.probabilities[i])];
    }
    counts[-1 - at]++;
  }
  return counts;
}

/** As near to the closed form as the search says it is. */
function expectNear(search: Limit, closed: Limit): void {
  expect(search.gap).toBeLessThanOrEqual(1e-7);
  expect(search.kl).toBeGreaterThan(closed.kl - 1e-12);
  expect(search.kl - search.gap).toBeLessThan(closed.kl + 1e-12);
}

describe("the limit", () => {
  test.each([0.1, 0.5, 0.75])("by search is the closed form on fixed strings at stick %f", (stick) => {
    const listed = enumerateSequences({ letters: 4, length: 3, variable: false }, stick);
    const { target } = normalise(rewards(listed.terminals, 5));
    const closed = limitByFilling(listed, target, stick);
    const search = limitBySearch(listed, target);
    expect(closed.kl).toBeGreaterThan(1e-4);
    expectNear(search, closed);
    expect(search.tv).toBeCloseTo(closed.tv, 3);
  });

  test.each([0.25, 0.75])("by search is the closed form on strings with a stop at stick %f", (stick) => {
    const listed = enumerateSequences({ letters: 3, length: 3, variable: true }, stick);
    const { target } = normalise(rewards(listed.terminals, 6));
    const closed = limitByFilling(listed, target, stick);
    const search = limitBySearch(listed, target);
    expect(closed.kl).toBeGreaterThan(1e-5);
    expectNear(search, closed);
  });

  test("of the 8 × 8 grid is zero at stick .25 and as computed elsewhere at .5 and .75", () => {
    const space = { dimensions: 2, side: 8 };
    const { target } = normalise(gridRewards(space, DEFAULT_GRID_REWARD));
    const at = (stick: number) => limitBySearch(enumerateGrid(space, stick), target);
    expect(at(0.25).kl).toBeLessThan(1e-7);
    expect(at(0.5).kl).toBeCloseTo(0.0058, 4);
    expect(at(0.5).tv).toBeCloseTo(0.0496, 3);
    expect(at(0.75).kl).toBeCloseTo(0.2066, 4);
    expect(at(0.75).tv).toBeCloseTo(0.2663, 3);
  });

  test.each([0.25, 0.5, 0.75])("of the 8 × 8 × 8 grid is found in few steps at stick %f", (stick) => {
    const space = { dimensions: 3, side: 8 };
    const { target } = normalise(gridRewards(space, DEFAULT_GRID_REWARD));
    const { gap } = limitBySearch(enumerateGrid(space, stick), target, { maxSteps: 300 });
    expect(gap).toBeLessThanOrEqual(1e-7);
  });

  test.each([1 - 1e-9, 1 - 1e-14, 1 - 2 ** -53])(
    "is what chance gives where hardly anything else is left: %d",
    (stick) => {
      const listed = enumerateSequences({ letters: 3, length: 3, variable: false }, stick);
      const { target } = normalise(Float64Array.from({ length: 27 }, (_, i) => 1 + (i % 7)));
      const { kl, terminals } = limitByFilling(listed, target, stick);
      expect(terminals.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      expect(kl).toBeCloseTo(divergence(target, new Float64Array(27).fill(1 / 27)), 7);
    },
  );

  test("comes nearer with every step of the search, and never by more than it says is left", () => {
    const listed = enumerateSequences({ letters: 3, length: 3, variable: true }, 0.5);
    const { target } = normalise(rewards(listed.terminals, 8));
    const { kl: closed } = limitByFilling(listed, target, 0.5);
    let last = Number.POSITIVE_INFINITY;
    for (let maxSteps = 0; maxSteps < 60; maxSteps++) {
      const { kl, gap, terminals } = limitBySearch(listed, target, { tolerance: 0, maxSteps });
      expect(kl).toBeLessThanOrEqual(last + 1e-14);
      expect(kl - closed).toBeLessThanOrEqual(gap + 1e-14);
      const ratio = target.map((wanted, t) => wanted / terminals[t]);
      expect(gap).toBeCloseTo(Math.log(largestExpectedReward(listed, ratio)), 12);
      last = kl;
    }
    expect(last).toBeCloseTo(closed, 4);
  });

  test("is never above any policy's divergence", () => {
    const listed = enumerateGrid({ dimensions: 2, side: 4 }, 0.5);
    const { target } = normalise(rewards(listed.terminals, 7));
    const { kl } = limitBySearch(listed, target);
    for (let seed = 0; seed < 20; seed++) {
      const { terminals } = visitation(listed, randomPolicy(listed, RandomStream.fromSeed(seed)));
      expect(divergence(target, terminals)).toBeGreaterThan(kl);
    }
  });

  test.each([
    [[0.7, 0.2, 0.1, 0], 0.1, [0.7 * (0.8 / 0.9), 0.2 * (0.8 / 0.9), 0.1, 0.1]],
    [[0.25, 0.25, 0.25, 0.25], 0.2, [0.25, 0.25, 0.25, 0.25]],
    [[1, 0, 0, 0], 0.25, [0.25, 0.25, 0.25, 0.25]],
  ])("fills %j from below to %f", (shares, floor, expected) => {
    fill(shares, floor).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 12);
    });
  });
});

function rewards(count: number, seed: number): Float64Array {
  const stream = RandomStream.fromSeed(seed);
  return Float64Array.from({ length: count }, () => Math.exp(2 * stream.normal()));
}

describe("numbers", () => {
  test("total variation, divergence and entropy of two coins", () => {
    const [p, q] = [Float64Array.of(0.5, 0.5), Float64Array.of(0.9, 0.1)];
    expect(totalVariation(p, q)).toBeCloseTo(0.4, 12);
    expect(divergence(q, p)).toBeCloseTo(0.9 * Math.log(1.8) + 0.1 * Math.log(0.2), 12);
    expect(entropy(p)).toBeCloseTo(Math.LN2, 12);
    expect(divergence(p, Float64Array.of(1, 0))).toBe(Number.POSITIVE_INFINITY);
  });

  test("correlations of a line, of a curve and of ties", () => {
    const x = Float64Array.of(1, 2, 3, 4);
    expect(pearson(x, Float64Array.of(2, 4, 6, 8))).toBeCloseTo(1, 12);
    expect(spearman(x, Float64Array.of(1, 8, 27, 1000))).toBeCloseTo(1, 12);
    expect(spearman(x, Float64Array.of(1, 1, 2, 2))).toBeCloseTo(0.8944, 4);
  });

  test("the entropy of stick noise is known in closed form, and 0 without noise", () => {
    const policyOf = (listed: Enumeration) => randomPolicy(listed, RandomStream.fromSeed(6));
    for (const [stick, known] of [
      [0.25, 0.689],
      [0.5, 1.074],
      [0, 0],
    ]) {
      const listed = enumerateSequences({ letters: 4, length: 3, variable: false }, stick);
      const policy = policyOf(listed);
      const { states } = visitation(listed, policy);
      expect(kernelEntropy(listed, policy, states)).toBeCloseTo(known, 3);
    }
  });

  test("the largest expected reward under noise", () => {
    const listed = enumerateSequences({ letters: 2, length: 1, variable: false }, 0.5);
    expect(largestExpectedReward(listed, Float64Array.of(0, 1))).toBeCloseTo(0.75, 12);
  });
});

describe("an environment that breaks its contract is named", () => {
  const sizes = { states: 2, terminals: 1, actions: 1, outcomes: 1 };
  const step = (target: number, probability = 1) => [{ target, outcome: 0, probability }];
  test.each([
    [
      "probabilities that do not sum to one",
      (s: number) => (s === 0 ? step(1, 0.9) : step(terminal(0))),
      "bad: state 0, action 0: probabilities sum to 0.9, not 1",
    ],
    [
      "a way back",
      (s: number) => (s === 0 ? step(1) : step(0)),
      "bad: state 1 leads back to state 0; it must go forward",
    ],
    ["a state out of reach", () => step(terminal(0)), "bad: state 1 cannot be reached"],
    [
      "a dead end",
      (s: number) => (s === 0 ? step(1) : []),
      "bad: state 1 allows no action and is not terminal",
    ],
    [
      "a place that does not exist",
      (s: number) => (s === 0 ? step(1) : step(terminal(7))),
      "bad: state 1 leads to -8, which does not exist",
    ],
  ])("%s", (_, transitions, message) => {
    expect(() => checkEnumeration("bad", enumeration(sizes, transitions))).toThrow(message);
  });
});

describe("the limit is found", () => {
  const sticky = enumerateSequences({ letters: 3, length: 3, variable: false }, 0.5);
  const stream = RandomStream.fromSeed(6);
  const uneven = normalise(Float64Array.from({ length: 27 }, () => Math.exp(2 * stream.normal()))).target;

  test("in closed form where noise sticks, on a tree", () => {
    const { kl, gap } = limitOf({ tree: true, stick: 0.5 }, sticky, uneven);
    expect(gap).toBe(0);
    expect(kl).toBe(limitByFilling(sticky, uneven, 0.5).kl);
  });

  test("by search where a tree has a kernel of its own", () => {
    // The last letter always comes as intended: closer is possible than where all letters are noisy.
    const probabilities = sticky.probabilities.slice();
    for (let row = 4 * 3; row < 13 * 3; row++) {
      for (let i = sticky.offsets[row]; i < sticky.offsets[row + 1]; i++) {
        probabilities[i] = +(sticky.outcome[i] === row % 3);
      }
    }
    const own = { ...sticky, probabilities };
    const { kl } = limitOf({ tree: true, stick: 0.5 }, own, uneven);
    expect(kl).toBeCloseTo(limitBySearch(own, uneven, { tolerance: 1e-12 }).kl, 6);
    expect(kl).toBeLessThan(limitByFilling(sticky, uneven, 0.5).kl - 0.01);
  });
});
