// Tests that strings under constraints meet the contract of environments, with every kind of noise.

import {
  type ConstrainedSequenceOptions,
  checkEnvironment,
  constrainedSequenceEnvironment,
  type EnumerableConstrainedEnvironment,
  type LetterNoise,
} from "gflownet/gfn";
import { expect, test } from "vitest";
import { environmentContract } from "./support/environment-contract.ts";

const AB = { tokens: ["A", "B"], length: { min: 4, max: 4 } };
const ABC = { tokens: ["A", "B", "C"], length: { min: 3, max: 3 } };
const UP_TO_3 = { tokens: ["A", "B", "C"], length: { min: 1, max: 3 } };
const MATRIX = [
  [0.8, 0.2, 0],
  [0.1, 0.6, 0.3],
  [0, 0.5, 0.5],
];
/** Another matrix for each position. */
const MATRICES = [
  MATRIX,
  [...MATRIX].map((row) => [...row].reverse()).reverse(),
  [
    [1, 0, 0],
    [0, 1, 0],
    [0.25, 0.25, 0.5],
  ],
];

const forbidAA = { kind: "forbid", motif: [0, 0] } as const;
const requireB = { kind: "require", motif: [1] } as const;
const requireBC = { kind: "require", motif: [1, 2] } as const;

const stick = (level: number, mode: "within" | "free"): LetterNoise => ({
  kind: "stick",
  stick: level,
  mode,
});
const substitution = (matrix: number[][] | number[][][], mode: "within" | "free"): LetterNoise => ({
  kind: "substitution",
  matrix,
  mode,
});

const cases: (ConstrainedSequenceOptions & { readonly name: string })[] = [
  { space: AB, constraints: [forbidAA, requireB], noise: { kind: "none" }, name: "without noise" },
  { space: AB, constraints: [forbidAA], noise: stick(0.25, "within"), name: "with stick noise within" },
  { space: AB, constraints: [forbidAA, requireB], noise: stick(0.25, "free"), name: "with free stick noise" },
  { space: AB, constraints: [], noise: stick(0.25, "free"), name: "with free noise and no constraints" },
  { space: AB, constraints: [forbidAA], noise: stick(0, "free"), name: "with free noise of level 0" },
  {
    space: ABC,
    constraints: [requireBC],
    noise: substitution(MATRIX, "within"),
    name: "with a matrix within",
  },
  {
    space: ABC,
    constraints: [forbidAA, requireB],
    noise: substitution(MATRIX, "free"),
    name: "with a free matrix",
  },
  {
    space: ABC,
    constraints: [requireB],
    noise: substitution(MATRICES, "within"),
    name: "with matrices within",
  },
  {
    space: ABC,
    constraints: [forbidAA, requireB],
    noise: substitution(MATRICES, "free"),
    name: "with free matrices",
  },
  {
    space: UP_TO_3,
    constraints: [requireB],
    noise: { kind: "none" },
    name: "of variable length without noise",
  },
  { space: UP_TO_3, constraints: [forbidAA], noise: stick(0.3, "within"), name: "of variable length within" },
  {
    space: UP_TO_3,
    constraints: [forbidAA, requireB],
    noise: stick(0.3, "free"),
    name: "of variable length, free",
  },
  {
    space: { tokens: ["Ala", "Gly", "A"], length: { min: 0, max: 2 } },
    constraints: [{ kind: "homopolymer", longest: 1 }],
    noise: substitution(MATRIX, "within"),
    name: "of tokens with several letters",
  },
];

for (const { name, ...options } of cases) {
  environmentContract(
    `strings under constraints ${name}`,
    () => constrainedSequenceEnvironment(options) as EnumerableConstrainedEnvironment,
    { stickNoise: options.noise.kind !== "substitution" && !name.includes("free") },
  );
  test(`strings under constraints ${name} pass the check without an enumeration`, () => {
    expect(() =>
      checkEnvironment(constrainedSequenceEnvironment({ ...options, enumerable: false })),
    ).not.toThrow();
  });
}
