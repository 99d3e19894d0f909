// Reference means against enumeration: the limit of the library, and the same problem with other states.

import { expect, test } from "vitest";
import { sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { limitOf } from "../../src/gfn/evaluate/limit.ts";
import { normaliseRewards } from "../../src/math/distances.ts";
import {
  letterCountStates,
  motifCountStates,
  prefixStates,
  type ReferenceMeans,
  referenceMeans,
  type ScoredStates,
} from "./reference-means.ts";

const countOf = (letters: readonly number[], letter: number) =>
  letters.filter((each) => each === letter).length;

/** The means from the distributions over all strings: uniform, target, and the library's limit. */
function enumeratedMeans(
  alphabet: string,
  length: number,
  stick: number,
  score: (s: readonly number[]) => number,
) {
  const environment = sequenceEnvironment({ alphabet, length, stick });
  const A = alphabet.length;
  const scores = Float64Array.from({ length: A ** length }, (_, terminal) =>
    score(Array.from({ length }, (_, i) => Math.floor(terminal / A ** (length - 1 - i)) % A)),
  );
  const reward = scores.map((value) => Math.max(value, 1e-4));
  const { target } = normaliseRewards(reward);
  const { terminals } = limitOf(environment, environment.enumerate(), target);
  const mean = (p: (terminal: number) => number) => scores.reduce((sum, value, i) => sum + value * p(i), 0);
  return {
    uniform: mean(() => 1 / scores.length),
    target: mean((i) => target[i]),
    bestReachable: mean((i) => terminals[i]),
  };
}

function expectClose(actual: ReferenceMeans, expected: ReferenceMeans) {
  for (const name of ["uniform", "target", "bestReachable"] as const) {
    expect(actual[name], name).toBeCloseTo(expected[name], 12);
  }
}

const cases: [
  name: string,
  alphabet: string,
  length: number,
  states: ScoredStates,
  score: (s: readonly number[]) => number,
][] = [
  ["letter counts", "KABC", 5, letterCountStates(4, 5, (n) => (n + 1) / 6), (s) => (countOf(s, 0) + 1) / 6],
  [
    "a motif that overlaps itself",
    "ABC",
    6,
    motifCountStates(3, 6, [0, 1, 0], (n) => n / 3),
    (s) => s.filter((_, i) => s[i] === 0 && s[i + 1] === 1 && s[i + 2] === 0).length / 3,
  ],
  [
    "prefixes",
    "AB",
    7,
    prefixStates(2, 7, (s) => (countOf(s, 1) === 5 ? 1 : 0)),
    (s) => (countOf(s, 1) === 5 ? 1 : 0),
  ],
];

test.each(cases)(
  "dynamic programming over %s equals the limit by enumeration",
  (_, alphabet, length, states, score) => {
    for (const stick of [0, 0.05, 0.25, 0.6]) {
      expectClose(referenceMeans(states, { stick }), enumeratedMeans(alphabet, length, stick, score));
    }
  },
);

test("without noise the target is the best reachable policy, and noise lowers the mean score", () => {
  const states = motifCountStates(4, 12, [2, 0, 3, 1], (n) => n / 3);
  const [exact, noisy] = [0, 0.25].map((stick) => referenceMeans(states, { stick }));
  expect(exact.bestReachable).toBeCloseTo(exact.target, 12);
  expect(noisy.bestReachable).toBeLessThan(exact.bestReachable);
  expect(noisy.bestReachable).toBeGreaterThan(noisy.uniform);
});

test("GATC and the peptide of the README have the stated means", () => {
  const gatc = referenceMeans(
    motifCountStates(4, 12, [2, 0, 3, 1], (n) => n / 3),
    { stick: 0 },
  );
  // Each of 9 positions holds the motif with probability 4⁻⁴.
  expect(gatc.uniform).toBeCloseTo(9 / 4 ** 4 / 3, 12);
  expect(gatc.target).toBeCloseTo(0.335, 3);
  const peptide = referenceMeans(
    letterCountStates(20, 12, (n) => (n + 1) / 13),
    { stick: 0.05 },
  );
  expect(peptide.uniform).toBeCloseTo(1.6 / 13, 12);
  // The count of K is binomial, with mean 0.6 and variance 0.57; the noise of 5 % leaves the target within reach.
  expect(peptide.bestReachable).toBeCloseTo((0.57 + 1.6 ** 2) / 1.6 / 13, 12);
});
