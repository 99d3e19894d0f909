// Tests of the enumeration of histories, and of limits with and without thought, against the enumeration of states.

import { describe, expect, test } from "vitest";
import { slippingStrings } from "../../../test/support/custom-kernels.ts";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards } from "../../math/distances.ts";
import { checkEnumeration } from "../environment/enumeration.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { regimeEnvironment } from "../environment/regime.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../environment/sequence.ts";
import { dynamicsDivergence, largestExpectedReward, uniformPolicy, visitation } from "./exact.ts";
import { broadcastToHistories, enumerateHistories } from "./history-enumeration.ts";
import { limitByExpectationMaximisation } from "./limit.ts";
import { thoughtLimits } from "./thought-limits.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 });
const hidden = regimeEnvironment({
  alphabet: "ABC",
  length: 3,
  regimes: [
    { stick: 0.05, share: 0.5 },
    { stick: 0.75, share: 0.5 },
  ],
});

function unevenTarget(terminals: number, seed: number): Float64Array {
  const stream = RandomStream.fromSeed(seed);
  return normaliseRewards(Float64Array.from({ length: terminals }, () => Math.exp(2 * stream.normal())))
    .target;
}

describe("the enumeration of histories", () => {
  test.each([strings, hidden, slippingStrings(3, 0.2, 0.6)])("of $name is valid", (environment) => {
    const enumeration = enumerateHistories(environment);
    const A = environment.outcomes;
    expect(enumeration.states).toBe(1 + A ** 2 + A ** 4);
    expect(enumeration.terminals).toBe(A ** 3);
    // With a letter that never slips, some histories are unreachable.
    if (A === 3) expect(() => checkEnumeration(environment.name, enumeration)).not.toThrow();
  });

  test("of strings of five letters out of four has 69,905 states", () => {
    const regimes = [{ stick: 0.5, share: 1 }];
    const enumeration = enumerateHistories(regimeEnvironment({ alphabet: "ACGT", length: 5, regimes }));
    expect(enumeration.states).toBe(69_905);
  });

  test("has the actions, the outcomes and the state of each history", () => {
    const enumeration = enumerateHistories(strings);
    // After pair 7 (action C, outcome B) and pair 2 (action A, outcome C).
    const history = (7 + 1) * 9 + 1 + 2;
    expect(Array.from(enumeration.actionHistory.subarray(history * 3, history * 3 + 3))).toEqual([2, 0, -1]);
    expect(Array.from(enumeration.outcomeHistory.subarray(history * 3, history * 3 + 3))).toEqual([1, 2, -1]);
    expect(enumeration.stateIndex[history]).toBe((1 + 1) * 3 + 1 + 2);
    const letters = strings.sampleTrajectoryTo(
      -1 - enumeration.targets[enumeration.offsets[history * 3]],
      RandomStream.fromSeed(0),
    );
    expect(letters).toEqual([1, 2, 0]);
  });

  test.each([strings, slippingStrings(3, 0.2, 0.6)])(
    "of $name agrees with the enumeration of states for a policy that ignores the thought",
    (environment) => {
      const plain = environment.enumerate();
      const enumeration = enumerateHistories(environment);
      const policy = randomPolicy(plain, RandomStream.fromSeed(1));
      const broadcast = broadcastToHistories(enumeration, policy);
      const [short, long] = [visitation(plain, policy), visitation(enumeration, broadcast)];
      short.terminals.forEach((p, t) => {
        expect(long.terminals[t]).toBeCloseTo(p, 12);
      });
      const reward = unevenTarget(plain.terminals, 2);
      expect(largestExpectedReward(enumeration, reward)).toBeCloseTo(
        largestExpectedReward(plain, reward),
        12,
      );
      const { outcomes: A } = environment;
      const guess = (states: number) => new Float64Array(states * A * A).fill(-Math.log(A));
      expect(dynamicsDivergence(enumeration, broadcast, long.states, guess(enumeration.states))).toBeCloseTo(
        dynamicsDivergence(plain, policy, short.states, guess(plain.states))!,
        12,
      );
    },
  );

  test("of hidden regimes has the mixture of the terminal distributions of the regimes", () => {
    const policy = randomPolicy(strings.enumerate(), RandomStream.fromSeed(3));
    const enumeration = enumerateHistories(hidden);
    const { terminals } = visitation(enumeration, broadcastToHistories(enumeration, policy));
    const within = hidden.regimes.map(({ stick }) => {
      const single = sequenceEnvironment({ alphabet: "ABC", length: 3, stick });
      return visitation(single.enumerate(), policy).terminals;
    });
    terminals.forEach((p, t) => {
      expect(p).toBeCloseTo(
        hidden.regimes.reduce((sum, { share }, z) => sum + share * within[z][t], 0),
        12,
      );
    });
  });

  test.each([
    [
      "too many histories",
      sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.1 }),
      "there must be at most 2097152 histories, got 286331153 for strings of 8 letters out of ACGT; use a shorter length or a smaller alphabet",
    ],
    [
      "a stop",
      sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.1, variable: true }),
      "the objects must be strings of a fixed length without constraints, got strings of up to 2 letters out of AB",
    ],
    [
      "a grid",
      hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 }),
      "the objects must be strings of a fixed length without constraints, got a grid of 3 × 3",
    ],
    [
      "an unknown kernel",
      longSequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.1 }),
      "the environment must have kernelAfter or enumerate, got strings of 3 letters out of AB with neither",
    ],
  ])("is refused for %s", (_, environment, message) => {
    expect(() => enumerateHistories(environment)).toThrow(`enumerateHistories: ${message}`);
  });
});

describe("limits with and without thought", () => {
  test("are equal if the noise does not depend on the thought", () => {
    const plain = strings.enumerate();
    const target = unevenTarget(plain.terminals, 4);
    const expected = limitByExpectationMaximisation(plain, target, { tolerance: 1e-9 });
    const limits = thoughtLimits(enumerateHistories(strings), target, { tolerance: 1e-9 });
    expect(expected.kl).toBeGreaterThan(0.01);
    expect(limits.klSpread).toBeLessThan(1e-6);
    for (const { kl, tv } of [limits.withThought, limits.withoutThought]) {
      expect(Math.abs(kl - expected.kl)).toBeLessThan(1e-6);
      expect(tv).toBeCloseTo(expected.tv, 3);
    }
  });

  test.each([5, 6, 7])("differ if a regime is hidden: target %i", (seed) => {
    const enumeration = enumerateHistories(hidden);
    const target = unevenTarget(enumeration.terminals, seed);
    const { withThought, withoutThought: without } = thoughtLimits(enumeration, target);
    expect(withThought.gap).toBeLessThanOrEqual(1e-7);
    expect(without.gap).toBeNaN();
    expect(without.kl).toBeGreaterThan(withThought.kl + 1e-4);
    // The policy without thought is equal in all histories of a state.
    enumeration.stateIndex.forEach((prefix, history) => {
      const first = enumeration.stateIndex.indexOf(prefix);
      for (let a = 0; a < 3; a++) expect(without.policy[history * 3 + a]).toBe(without.policy[first * 3 + a]);
    });
  });

  test("without thought have at most the KL of any policy without thought", () => {
    const enumeration = enumerateHistories(hidden);
    const target = unevenTarget(enumeration.terminals, 5);
    const { withoutThought: without } = thoughtLimits(enumeration, target, { starts: 1 });
    const plain = strings.enumerate();
    for (const share of [0.02, 0.2]) {
      for (let seed = 0; seed < 10; seed++) {
        const other = broadcastToHistories(enumeration, randomPolicy(plain, RandomStream.fromSeed(seed)));
        const near = without.policy.map((p, i) => (1 - share) * p + share * other[i]);
        const { terminals } = visitation(enumeration, near);
        const kl = target.reduce((sum, q, t) => sum + q * Math.log(q / terminals[t]), 0);
        expect(kl).toBeGreaterThan(without.kl - 1e-7);
      }
    }
  });

  test("refuse invalid options", () => {
    const enumeration = enumerateHistories(hidden);
    const target = unevenTarget(enumeration.terminals, 5);
    const groups = new Int32Array(5);
    expect(() => limitByExpectationMaximisation(enumeration, target, { groups })).toThrow(
      "groups: must have one index for each of 91 states, got 5",
    );
    expect(() =>
      limitByExpectationMaximisation(enumeration, target, { groups: new Int32Array(91).fill(-1) }),
    ).toThrow("groups: must not be negative, got -1 for state 0");
    expect(() => thoughtLimits(enumeration, target, { starts: 0 })).toThrow(
      "thoughtLimits: starts must be a positive whole number, got 0",
    );
    const stopping = sequenceEnvironment({
      alphabet: "AB",
      length: 2,
      stick: 0.1,
      variable: true,
    }).enumerate();
    expect(() =>
      limitByExpectationMaximisation(stopping, uniformPolicy(stopping).subarray(0, 7), {
        groups: new Int32Array(7),
      }),
    ).toThrow(
      "groups: the states of a group must allow the same actions, but of states 0 and 3 in group 0 only one allows action 0",
    );
  });
});
