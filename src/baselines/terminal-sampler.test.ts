// Tests of the terminals that result from intended objects: samples against the exact distribution, and the exact
// distribution against an enumeration of all outcomes.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { slippingStrings, windyGrid } from "../../test/support/custom-kernels.ts";
import { RandomStream } from "../engine/index.ts";
import { type EnumerableEnvironment, enumerationOf } from "../gfn/environment/environment.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { realisedDistribution } from "./realised-distribution.ts";
import { terminalSampler } from "./terminal-sampler.ts";

const fixed = (stick: number) => sequenceEnvironment({ alphabet: "ACG", length: 3, stick });
const variable = (stick: number) => sequenceEnvironment({ alphabet: "AC", length: 3, variable: true, stick });
const grid = (stick: number) => hypergridEnvironment({ dimensions: 2, side: 4, stick });

/** A distribution with different probabilities, so that nothing is symmetric by chance. */
function unevenDistribution(environment: EnumerableEnvironment): Float64Array {
  const { terminals } = enumerationOf(environment);
  return Float64Array.from({ length: terminals }, (_, i) => (2 * (i + 1)) / (terminals * (terminals + 1)));
}

/**
 * The distribution of the terminals that result from one intended object, by following every action sequence and every
 * outcome.
 */
function distributionOfOne(environment: EnumerableEnvironment, intended: number): Float64Array {
  const { actions, offsets, targets, probabilities, terminals } = enumerationOf(environment);
  const distribution = new Float64Array(terminals);
  const orders = permutations(environment.sampleTrajectoryTo(intended, RandomStream.fromSeed(0)));
  const sequences = environment.tree ? orders.slice(0, 1) : orders;
  const follow = (state: number, remaining: readonly number[], mass: number): void => {
    if (state < 0) {
      distribution[-1 - state] += mass;
      return;
    }
    const [action = actions - 1, ...rest] = remaining;
    const row = state * actions + action;
    if (offsets[row] === offsets[row + 1]) follow(state, rest, mass);
    for (let i = offsets[row]; i < offsets[row + 1]; i++) follow(targets[i], rest, mass * probabilities[i]);
  };
  for (const sequence of sequences) follow(0, sequence, 1 / sequences.length);
  return distribution;
}

function permutations(list: readonly number[]): number[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, i) => permutations(list.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

const environments = {
  "strings of fixed length": fixed(0.5),
  "strings of any length": variable(0.5),
  "a grid": grid(0.5),
  "strings whose noise depends on the state": slippingStrings(4, 0.3, 0.7),
  "a windy grid": windyGrid(3, 0.4),
  "a small cube": hypergridEnvironment({ dimensions: 3, side: 2, stick: 0.75 }),
};

describe.each(Object.entries(environments))("%s", (_, environment) => {
  const { terminals } = enumerationOf(environment);
  const intended = unevenDistribution(environment);
  const distribution = realisedDistribution(environment, intended);

  test("have the distribution of all enumerated outcomes", () => {
    const expected = new Float64Array(terminals);
    for (let object = 0; object < terminals; object++) {
      const one = isNear(object) ? distributionOfOne(environment, object) : null;
      const unit = new Float64Array(terminals);
      unit[object] = 1;
      const result = realisedDistribution(environment, unit);
      result.forEach((p, i) => {
        expected[i] += intended[object] * p;
        if (one) expect(p).toBeCloseTo(one[i], 14);
      });
    }
    distribution.forEach((p, i) => {
      expect(p).toBeCloseTo(expected[i], 14);
    });
  });

  test("are sampled from their exact distribution", () => {
    const stream = RandomStream.fromSeed(1);
    const count = 60_000;
    const intendedTerminals = Int32Array.from({ length: count }, () => sampleFrom(intended, stream));
    const counts = new Float64Array(terminals);
    for (const terminal of terminalSampler(environment).sampleFromTerminals(intendedTerminals, stream))
      counts[terminal]++;
    expect(chiSquare(counts, distribution)).toBeLessThan(chiSquareLimit(distribution));
  });

  /** Whether the object has few enough action sequences to enumerate them. */
  function isNear(object: number): boolean {
    return environment.sampleTrajectoryTo(object, RandomStream.fromSeed(0)).length <= 4;
  }
});

function sampleFrom(distribution: Float64Array, stream: RandomStream): number {
  let rest = stream.uniform();
  for (let i = 0; i < distribution.length; i++) {
    rest -= distribution[i];
    if (rest < 0) return i;
  }
  return distribution.length - 1;
}

test.each([fixed(0), variable(0), grid(0)])(
  "without noise every object of $name results as intended",
  (environment) => {
    const all = Int32Array.from({ length: enumerationOf(environment).terminals }, (_, i) => i);
    expect(terminalSampler(environment).sampleFromTerminals(all, RandomStream.fromSeed(1))).toEqual(all);
    const distribution = unevenDistribution(environment);
    realisedDistribution(environment, distribution).forEach((p, i) => {
      expect(p).toBeCloseTo(distribution[i], 15);
    });
  },
);

test("uniform strings of fixed length have the distribution of the uniform policy", () => {
  const environment = fixed(0.5);
  const exact = visitation(enumerationOf(environment), uniformPolicy(enumerationOf(environment))).terminals;
  realisedDistribution(environment, new Float64Array(27).fill(1 / 27)).forEach((p, i) => {
    expect(p).toBeCloseTo(exact[i], 14);
  });
});

test("an illegal action is skipped, and the sequence continues", () => {
  const { sampleFromActions } = terminalSampler(grid(0));
  // Each axis has 4 cells, so the fourth move along the first axis is illegal; the move along the second axis still
  // happens.
  expect(sampleFromActions([0, 0, 0, 0, 1], RandomStream.fromSeed(1))).toBe(3 + 4);
  expect(sampleFromActions([], RandomStream.fromSeed(1))).toBe(0);
});

test("without a stop action, a short sequence continues with the first legal letter", () => {
  expect(terminalSampler(fixed(0)).sampleFromActions([2], RandomStream.fromSeed(1))).toBe(2 * 9);
});

test("invalid actions and distributions are refused", () => {
  const stream = RandomStream.fromSeed(1);
  expect(() => terminalSampler(fixed(0)).sampleFromActions([0, 3], stream)).toThrow(
    "terminalSampler: action 2 must be a whole number from 0 to 2, got 3",
  );
  expect(() => realisedDistribution(fixed(0), new Float64Array(3))).toThrow(
    "realisedDistribution: there must be one probability per object (27 in strings of 3 letters out of ACG), got 3",
  );
  const large = hypergridEnvironment({ dimensions: 2, side: 65, stick: 0 });
  expect(() => realisedDistribution(large, new Float64Array(65 * 65))).toThrow(
    "the grid must have at most 4096 cells, got 4225",
  );
});
