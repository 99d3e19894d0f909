import { describe, expect, test } from "vitest";
import { randomPolicy } from "../../../test/support/tabular.ts";
import type { Constraint, SequenceSpace } from "../../constraints/index.ts";
import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards } from "../../math/distances.ts";
import {
  constrainedSequenceEnvironment,
  type EnumerableConstrainedEnvironment,
} from "../environment/constrained-sequence.ts";
import { enumerationOf } from "../environment/environment.ts";
import type { LetterNoise } from "../environment/letter-noise.ts";
import { largestExpectedReward, type PolicyTable, uniformPolicy, visitation } from "./exact.ts";
import { illegalProbabilities, illegalProbability, leastIllegalProbability } from "./illegal-probability.ts";
import { limitByExpectationMaximisation, limitOf } from "./limit.ts";

const SPACE: SequenceSpace = { tokens: ["A", "B", "C"], length: { min: 4, max: 4 } };
const CONSTRAINTS: Constraint[] = [
  {
    kind: "pairs",
    allowed: [
      [true, true, false],
      [false, true, true],
      [true, false, true],
    ],
  },
  { kind: "require", motif: [1, 2] },
];
const MATRIX = [
  [0.7, 0.3, 0],
  [0.1, 0.8, 0.1],
  [0.2, 0.2, 0.6],
];

function make(noise: LetterNoise, space = SPACE, constraints = CONSTRAINTS) {
  return constrainedSequenceEnvironment({ space, constraints, noise }) as EnumerableConstrainedEnvironment;
}

const stick = (level: number, mode: "within" | "free"): LetterNoise => ({
  kind: "stick",
  stick: level,
  mode,
});

const NOISES: [string, LetterNoise][] = [
  ["stick noise within", stick(0.3, "within")],
  ["free stick noise", stick(0.3, "free")],
  ["a matrix within", { kind: "substitution", matrix: MATRIX, mode: "within" }],
  ["a free matrix", { kind: "substitution", matrix: MATRIX, mode: "free" }],
];

/** A target that has the floor on illegal strings. */
function targetOf(environment: EnumerableConstrainedEnvironment): Float64Array {
  const stream = RandomStream.fromSeed(5);
  const illegal = environment.illegalObjects();
  return normaliseRewards(
    Float64Array.from(illegal, (isIllegal) => (isIllegal ? 1e-4 : stream.uniform() ** 3)),
  ).target;
}

describe.each(NOISES)("under %s", (name, noise) => {
  const environment = make(noise);
  const enumeration = enumerationOf(environment);

  test("no policy has a smaller probability of illegal strings than the least, which some policy has", () => {
    const legal = Float64Array.from(environment.illegalObjects(), (isIllegal) => 1 - isIllegal);
    const least = leastIllegalProbability(environment);
    expect(least).toBeCloseTo(1 - largestExpectedReward(enumeration, legal), 12);
    const policies = [uniformPolicy(enumeration), randomPolicy(enumeration, RandomStream.fromSeed(6))];
    for (const policy of policies) {
      const illegal = illegalProbability(environment, policy);
      if (name.endsWith("within")) expect(illegal).toBe(0);
      else expect(illegal).toBeGreaterThan(least);
    }
    if (name.endsWith("within")) expect(least).toBe(0);
  });

  test("the three probabilities come from the distributions of the policies", () => {
    const target = targetOf(environment);
    const limit = limitOf(environment, enumeration, target);
    const terminals = (policy: PolicyTable) => visitation(enumeration, policy).terminals;
    const policy = randomPolicy(enumeration, RandomStream.fromSeed(6));
    const uniform = uniformPolicy(enumeration);
    const found = illegalProbabilities(environment, {
      ...{ policy: terminals(policy), limit: limit.terminals, uniform: terminals(uniform) },
    });
    if (name.endsWith("within")) return expect(found).toBeNull();
    expect(found?.policy).toBeCloseTo(illegalProbability(environment, policy), 12);
    expect(found?.limit).toBeCloseTo(illegalProbability(environment, limit.policy), 12);
    expect(found?.uniform).toBeCloseTo(illegalProbability(environment, uniform), 12);
    expect(found?.least).toBe(leastIllegalProbability(environment));
  });

  test("the limit is that of expectation maximisation", () => {
    const target = targetOf(environment);
    const [limit, searched] = [
      limitOf(environment, enumeration, target),
      limitByExpectationMaximisation(enumeration, target, { tolerance: 1e-9 }),
    ];
    expect(limit.kl).toBeCloseTo(searched.kl, 7);
    expect(illegalProbability(environment, limit.policy)).toBeCloseTo(
      illegalProbability(environment, searched.policy),
      4,
    );
    // Stick noise has a closed form.
    if (noise.kind === "stick") expect(limit.gap).toBe(0);
  });
});

test("if one letter is illegal everywhere, every policy has the same probability of illegal strings", () => {
  const space = { tokens: ["A", "B", "C", "D"], length: { min: 5, max: 5 } };
  const forbidden: Constraint[] = [{ kind: "forbid", motif: [3] }];
  const environment = make(stick(0.2, "free"), space, forbidden);
  const expected = 1 - (1 - 0.2 / 4) ** 5;
  expect(leastIllegalProbability(environment)).toBeCloseTo(expected, 12);
  const enumeration = enumerationOf(environment);
  expect(illegalProbability(environment, uniformPolicy(enumeration))).toBeCloseTo(expected, 12);
});

test("the least probability of long strings needs no enumeration", () => {
  const tokens = Array.from({ length: 32 }, (_, i) => String.fromCharCode(65 + i));
  const space = { tokens, length: { min: 256, max: 256 } };
  const environment = constrainedSequenceEnvironment({
    space,
    constraints: [{ kind: "forbid", motif: [3] }],
    noise: stick(0.1, "free"),
  });
  expect(leastIllegalProbability(environment)).toBeCloseTo(1 - (1 - 0.1 / 32) ** 256, 10);
});

test("a string that may stop at once need not become illegal", () => {
  const space = { tokens: ["A", "B"], length: { min: 0, max: 4 } };
  const environment = make(stick(0.5, "free"), space, [{ kind: "forbid", motif: [0] }]);
  expect(leastIllegalProbability(environment)).toBe(0);
});

test("within, the floor of a letter is stick divided by the number of letters that have a legal completion", () => {
  const space = { tokens: ["A", "B", "C"], length: { min: 1, max: 1 } };
  const environment = make(stick(0.3, "within"), space, [{ kind: "forbid", motif: [2] }]);
  const { terminals, policy } = limitOf(environment, enumerationOf(environment), Float64Array.of(0.99, 0.01));
  expect(Array.from(terminals)).toEqual([0.85, 0.15]);
  expect(Array.from(policy)).toEqual([1, 0, 0]);
});

test("under free noise, letters that may not be intended keep the floor of noise", () => {
  const space = { tokens: ["A", "B", "C"], length: { min: 1, max: 1 } };
  const environment = make(stick(0.3, "free"), space, [{ kind: "forbid", motif: [2] }]);
  const target = Float64Array.of(0.95, 0.05 - 1e-4, 1e-4);
  const { terminals } = limitOf(environment, enumerationOf(environment), target);
  // A has what B and C, both at their floor of 0.1, leave.
  expect(terminals[0]).toBeCloseTo(0.8, 12);
  expect(terminals[1]).toBeCloseTo(0.1, 12);
  expect(terminals[2]).toBeCloseTo(0.1, 12);
});
