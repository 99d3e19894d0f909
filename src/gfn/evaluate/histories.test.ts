// Lists of histories, and limits with and without thought, against ordinary lists and against sums over all thoughts.

import { describe, expect, test } from "vitest";
import { slippingStrings } from "../../../test/support/own-kernel.ts";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { checkEnumeration } from "../enumeration.ts";
import { hypergridEnvironment } from "../environments/hypergrid.ts";
import { regimeEnvironment } from "../environments/regime.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../environments/sequence.ts";
import { normalise } from "./distances.ts";
import { dynamicsDivergence, largestExpectedReward, uniformPolicy, visitation } from "./exact.ts";
import { historyListing, withoutThought } from "./histories.ts";
import { limitBySearch } from "./limit.ts";
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
  return normalise(Float64Array.from({ length: terminals }, () => Math.exp(2 * stream.normal()))).target;
}

describe("a list of histories", () => {
  test.each([strings, hidden, slippingStrings(3, 0.2, 0.6)])(
    "of $name keeps the rules of an enumeration",
    (environment) => {
      const listed = historyListing(environment);
      const A = environment.outcomes;
      expect(listed.states).toBe(1 + A ** 2 + A ** 4);
      expect(listed.terminals).toBe(A ** 3);
      // A letter that never slips leaves histories that cannot be.
      if (A === 3) expect(() => checkEnumeration(environment.name, listed)).not.toThrow();
    },
  );

  test("has the intended size for five letters out of four", () => {
    const regimes = [{ stick: 0.5, share: 1 }];
    const listed = historyListing(regimeEnvironment({ alphabet: "ACGT", length: 5, regimes }));
    expect(listed.states).toBe(69_905);
  });

  test("says what was intended and written, and where that is in the ordinary list", () => {
    const listed = historyListing(strings);
    // After pair 7 (intended C, written B) and pair 2 (intended A, written C).
    const history = (7 + 1) * 9 + 1 + 2;
    expect(Array.from(listed.intended.subarray(history * 3, history * 3 + 3))).toEqual([2, 0, -1]);
    expect(Array.from(listed.realised.subarray(history * 3, history * 3 + 3))).toEqual([1, 2, -1]);
    expect(listed.prefixes[history]).toBe((1 + 1) * 3 + 1 + 2);
    const letters = strings.wayTo(-1 - listed.targets[listed.offsets[history * 3]], RandomStream.fromSeed(0));
    expect(letters).toEqual([1, 2, 0]);
  });

  test.each([strings, slippingStrings(3, 0.2, 0.6)])(
    "ends where the ordinary list of $name does for a policy that ignores the thought",
    (environment) => {
      const plain = environment.enumerate();
      const listed = historyListing(environment);
      const policy = randomPolicy(plain, RandomStream.fromSeed(1));
      const spread = withoutThought(listed, policy);
      const [short, long] = [visitation(plain, policy), visitation(listed, spread)];
      short.terminals.forEach((p, t) => {
        expect(long.terminals[t]).toBeCloseTo(p, 12);
      });
      const reward = unevenTarget(plain.terminals, 2);
      expect(largestExpectedReward(listed, reward)).toBeCloseTo(largestExpectedReward(plain, reward), 12);
      const { outcomes: A } = environment;
      const guess = (states: number) => new Float64Array(states * A * A).fill(-Math.log(A));
      expect(dynamicsDivergence(listed, spread, long.states, guess(listed.states))).toBeCloseTo(
        dynamicsDivergence(plain, policy, short.states, guess(plain.states))!,
        12,
      );
    },
  );

  test("gives a string under hidden regimes the sum over regimes of what each would give", () => {
    const policy = randomPolicy(strings.enumerate(), RandomStream.fromSeed(3));
    const listed = historyListing(hidden);
    const { terminals } = visitation(listed, withoutThought(listed, policy));
    const within = hidden.regimes.map(({ stick }) => {
      const known = sequenceEnvironment({ alphabet: "ABC", length: 3, stick });
      return visitation(known.enumerate(), policy).terminals;
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
      "too many",
      sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0.1 }),
      "strings of 8 letters out of ACGT have 286331153 histories, more than the 2097152 that are listed; take fewer letters",
    ],
    [
      "a stop",
      sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.1, variable: true }),
      "strings of up to 2 letters out of AB are not strings of a fixed length, so their histories are not listed",
    ],
    [
      "a grid",
      hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 }),
      "a grid of 3 × 3 are not strings of a fixed length, so their histories are not listed",
    ],
    [
      "an unknown kernel",
      longSequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.1 }),
      "strings of 3 letters out of AB have no kernelAfter and no list of states, so their kernel is not known",
    ],
  ])("is refused for %s", (_, environment, message) => {
    expect(() => historyListing(environment)).toThrow(`historyListing: ${message}`);
  });
});

describe("limits with and without thought", () => {
  test("are both the ordinary limit where noise does not depend on the thought", () => {
    const plain = strings.enumerate();
    const target = unevenTarget(plain.terminals, 4);
    const ordinary = limitBySearch(plain, target, { tolerance: 1e-9 });
    const limits = thoughtLimits(historyListing(strings), target, { tolerance: 1e-9 });
    expect(ordinary.kl).toBeGreaterThan(0.01);
    expect(limits.spread).toBeLessThan(1e-6);
    for (const { kl, tv } of [limits.withThought, limits.withoutThought]) {
      expect(Math.abs(kl - ordinary.kl)).toBeLessThan(1e-6);
      expect(tv).toBeCloseTo(ordinary.tv, 3);
    }
  });

  test.each([5, 6, 7])("differ where a regime is hidden: target %i", (seed) => {
    const listed = historyListing(hidden);
    const target = unevenTarget(listed.terminals, seed);
    const { withThought, withoutThought: without } = thoughtLimits(listed, target);
    expect(withThought.gap).toBeLessThanOrEqual(1e-7);
    expect(without.gap).toBeNaN();
    expect(without.kl).toBeGreaterThan(withThought.kl + 1e-4);
    // The one without thought is the same in all histories of a prefix.
    listed.prefixes.forEach((prefix, history) => {
      const first = listed.prefixes.indexOf(prefix);
      for (let a = 0; a < 3; a++) expect(without.policy[history * 3 + a]).toBe(without.policy[first * 3 + a]);
    });
  });

  test("without thought are below what any policy without thought reaches", () => {
    const listed = historyListing(hidden);
    const target = unevenTarget(listed.terminals, 5);
    const { withoutThought: without } = thoughtLimits(listed, target, { starts: 1 });
    const plain = strings.enumerate();
    for (const share of [0.02, 0.2]) {
      for (let seed = 0; seed < 10; seed++) {
        const other = withoutThought(listed, randomPolicy(plain, RandomStream.fromSeed(seed)));
        const near = without.policy.map((p, i) => (1 - share) * p + share * other[i]);
        const { terminals } = visitation(listed, near);
        const kl = target.reduce((sum, q, t) => sum + q * Math.log(q / terminals[t]), 0);
        expect(kl).toBeGreaterThan(without.kl - 1e-7);
      }
    }
  });

  test("refuse what cannot be in one sentence", () => {
    const listed = historyListing(hidden);
    const target = unevenTarget(listed.terminals, 5);
    const groups = new Int32Array(5);
    expect(() => limitBySearch(listed, target, { groups })).toThrow(
      "groups: there must be one number for each of 91 states, got 5",
    );
    expect(() => limitBySearch(listed, target, { groups: new Int32Array(91).fill(-1) })).toThrow(
      "groups: a group must not be negative, got -1 for state 0",
    );
    expect(() => thoughtLimits(listed, target, { starts: 0 })).toThrow(
      "thoughtLimits: starts must be a positive whole number, got 0",
    );
    const stopping = sequenceEnvironment({
      alphabet: "AB",
      length: 2,
      stick: 0.1,
      variable: true,
    }).enumerate();
    expect(() =>
      limitBySearch(stopping, uniformPolicy(stopping).subarray(0, 7), { groups: new Int32Array(7) }),
    ).toThrow("groups: states 0 and 3 of group 0 must allow the same actions, got action 0 in one of them");
  });
});
