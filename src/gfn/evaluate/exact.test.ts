// Tests of exact evaluation against simulated trajectories and closed forms.

import { describe, expect, test } from "vitest";
import { SMALL_ENUMERATIONS } from "../../../test/support/small-enumerations.ts";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { checkEnumeration, type Enumeration } from "../environment/enumeration.ts";
import { enumerateSequences } from "../environment/sequence-states.ts";
import { dynamicsDivergence, kernelEntropy, largestExpectedReward, visitation } from "./exact.ts";

describe.each(Object.entries(SMALL_ENUMERATIONS))("%s", (name, enumeration) => {
  test("has a valid enumeration", () => {
    expect(() => checkEnumeration(name, enumeration)).not.toThrow();
  });

  test("has terminal probabilities that sum to one", () => {
    const { terminals } = visitation(enumeration, randomPolicy(enumeration, RandomStream.fromSeed(1)));
    expect(terminals.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
  });

  test("has the terminal distribution of simulated trajectories", () => {
    const policy = randomPolicy(enumeration, RandomStream.fromSeed(2));
    const exact = visitation(enumeration, policy).terminals;
    const trajectories = 40_000;
    const counts = simulate(enumeration, policy, trajectories, RandomStream.fromSeed(3));
    let chiSquare = 0;
    let cells = 0;
    for (let t = 0; t < exact.length; t++) {
      const expected = exact[t] * trajectories;
      if (expected < 5) continue;
      chiSquare += (counts[t] - expected) ** 2 / expected;
      cells++;
    }
    expect(chiSquare).toBeLessThan(cells + 5 * Math.sqrt(2 * cells) + 5);
  });

  test("has a kernel entropy and a divergence from the uniform dynamics model that sum to log C", () => {
    const policy = randomPolicy(enumeration, RandomStream.fromSeed(5));
    const { states } = visitation(enumeration, policy);
    const { outcomes: C } = enumeration;
    const uniform = new Float64Array(enumeration.states * C * C).fill(-Math.log(C));
    const divergence = dynamicsDivergence(enumeration, policy, states, uniform);
    expect(kernelEntropy(enumeration, policy, states)! + divergence!).toBeCloseTo(Math.log(C), 12);
  });
});

function simulate(
  enumeration: Enumeration,
  policy: Float64Array,
  trajectories: number,
  stream: RandomStream,
): Float64Array {
  const counts = new Float64Array(enumeration.terminals);
  const draw = (from: number, to: number, weight: (i: number) => number) => {
    let u = (stream.bits() + 0.5) / 2 ** 32;
    for (let i = from; i < to; i++) {
      u -= weight(i);
      if (u < 0) return i;
    }
    return to - 1;
  };
  for (let i = 0; i < trajectories; i++) {
    let at = 0;
    while (at >= 0) {
      const row = draw(at * enumeration.actions, (at + 1) * enumeration.actions, (i) => policy[i]);
      at =
        enumeration.targets[
          draw(enumeration.offsets[row], enumeration.offsets[row + 1], (i) => enumeration.probabilities[i])
        ];
    }
    counts[-1 - at]++;
  }
  return counts;
}

test("the kernel entropy of stick noise has its closed form, and is 0 without noise", () => {
  const policyOf = (enumeration: Enumeration) => randomPolicy(enumeration, RandomStream.fromSeed(6));
  for (const [stick, expected] of [
    [0.25, 0.689],
    [0.5, 1.074],
    [0, 0],
  ]) {
    const enumeration = enumerateSequences({ alphabetSize: 4, length: 3, variable: false }, stick);
    const policy = policyOf(enumeration);
    const { states } = visitation(enumeration, policy);
    expect(kernelEntropy(enumeration, policy, states)).toBeCloseTo(expected, 3);
  }
});

test("the largest expected reward under noise, by hand", () => {
  const enumeration = enumerateSequences({ alphabetSize: 2, length: 1, variable: false }, 0.5);
  expect(largestExpectedReward(enumeration, Float64Array.of(0, 1))).toBeCloseTo(0.75, 12);
});
