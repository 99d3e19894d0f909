// Tests of expected rewards: exact sums against enumeration, estimates against their exact values, and tables.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { channel } from "./channel.ts";
import { expectedScores, expectedTable } from "./expected-score.ts";

const substitution = {
  kind: "substitution",
  matrix: [
    [0.9, 0.1, 0],
    [0.05, 0.8, 0.15],
    [0, 0.25, 0.75],
  ],
} as const;
const strings = Array.from({ length: 81 }, (_, index) =>
  [27, 9, 3, 1].map((place) => Math.floor(index / place) % 3),
);
const stream = RandomStream.fromSeed(0);
const rewards = Float64Array.from(strings, () => stream.uniform());
const indexOf = (x: readonly number[]) => x.reduce((index, letter) => 3 * index + letter, 0);
const rewardOf = (x: readonly number[]) => rewards[indexOf(x)];

describe("the exact expected reward", () => {
  test("is the sum over all strings that can result", async () => {
    const errors = channel({ letters: 3, substitution });
    const results = await expectedScores(strings, {
      channel: errors,
      reward: (asked) => asked.map(rewardOf),
      stream,
    });
    results.forEach(({ value, exact, standardError, legal }, i) => {
      const sum = strings.reduce(
        (a, x) => a + Math.exp(errors.logProbability(x, strings[i])) * rewardOf(x),
        0,
      );
      expect(value).toBeCloseTo(sum, 13);
      expect({ exact, standardError }).toEqual({ exact: true, standardError: 0 });
      expect(legal).toBeCloseTo(1, 13);
    });
  });

  test("asks for each string once, and never for one that is not legal, which counts 0", async () => {
    const errors = channel({ letters: 3, substitution, deletion: 0.1 });
    const asked: string[] = [];
    const isLegal = (x: readonly number[]) => x.length === 4 && x[0] !== 1;
    const options = {
      ...{ channel: errors, isLegal, stream },
      reward: (some: readonly (readonly number[])[]) => {
        asked.push(...some.map(String));
        return some.map(rewardOf);
      },
    };
    const designs = [strings[5], strings[80], strings[5]];
    const results = await expectedScores(designs, options);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.every((text) => isLegal(text.split(",").map(Number)))).toBe(true);
    results.forEach(({ value, legal }, i) => {
      const { strings: all, probabilities } = errors.support(designs[i], 1e5)!;
      const sum = all.reduce((a, x, j) => a + probabilities[j] * (isLegal(x) ? rewardOf(x) : 0), 0);
      expect(value).toBeCloseTo(sum, 13);
      expect(legal).toBeCloseTo(
        all.reduce((a, x, j) => a + (isLegal(x) ? probabilities[j] : 0), 0),
        13,
      );
    });
  });

  test("is exact with insertions too, if all legal strings are known", async () => {
    const errors = channel({ letters: 3, substitution, insertion: 0.1, deletion: 0.1 });
    const [{ value, exact, legal }] = await expectedScores([strings[40]], {
      ...{ channel: errors, legalStrings: strings, stream },
      reward: (some) => some.map(rewardOf),
    });
    const weights = strings.map((x) => Math.exp(errors.logProbability(x, strings[40])));
    const inside = weights.reduce((a, b) => a + b);
    expect(exact).toBe(true);
    expect(legal).toBeCloseTo(inside, 13);
    expect(value).toBeCloseTo(
      strings.reduce((a, x, i) => a + weights[i] * rewardOf(x), 0),
      13,
    );
  });
});

test("an estimate agrees with the exact value within its standard error, which shrinks with the draws", async () => {
  const errors = channel({ letters: 3, substitution, insertion: 0.05, deletion: 0.05 });
  const options = {
    ...{ channel: errors, isLegal: (x: readonly number[]) => x.length === 4 },
    reward: (some: readonly (readonly number[])[]) => some.map(rewardOf),
    stream: RandomStream.fromSeed(5),
  };
  const exact = await expectedScores(strings, { ...options, legalStrings: strings });
  const few = await expectedScores(strings, { ...options, draws: 100 });
  const many = await expectedScores(strings, { ...options, draws: 1600 });
  const standardised = many.map(({ value, standardError }, i) => (value - exact[i].value) / standardError);
  expect(many[0]).toMatchObject({ exact: false, draws: 1600 });
  expect(Math.max(...standardised.map(Math.abs))).toBeLessThan(4);
  const meanSquare = standardised.reduce((a, b) => a + b * b, 0) / standardised.length;
  expect(meanSquare).toBeGreaterThan(0.6);
  expect(meanSquare).toBeLessThan(1.5);
  expect(few[0].standardError / many[0].standardError).toBeGreaterThan(2.5);
  expect(few[0].standardError / many[0].standardError).toBeLessThan(6);
});

describe("the table of expected rewards", () => {
  const reversed = substitution.matrix.toReversed().map((row) => row.toReversed());
  const perPosition = [substitution.matrix, reversed, substitution.matrix, reversed];

  test.each([
    ["one matrix", substitution],
    ["a matrix per position", { kind: "substitution", matrix: perPosition }],
    ["stick noise", { kind: "stick", stick: 0.3 }],
    ["no errors", { kind: "none" }],
  ] as const)("agrees with the sum over all pairs of strings for %s", (_, errors) => {
    const table = expectedTable(rewards, { letters: 3, length: 4, substitution: errors });
    const direct = channel({ letters: 3, substitution: errors });
    strings.forEach((z, i) => {
      const sum = strings.reduce((a, x) => a + Math.exp(direct.logProbability(x, z)) * rewardOf(x), 0);
      expect(table[i]).toBeCloseTo(sum, 13);
    });
    expect(table).not.toBe(rewards);
  });

  test("refuses rewards or matrices of another number", () => {
    expect(() => expectedTable(rewards, { letters: 3, length: 3, substitution })).toThrow(
      "expectedTable: there must be one reward for each of the 27 strings, got 81",
    );
    const matrix = perPosition.slice(1);
    expect(() =>
      expectedTable(rewards, { letters: 3, length: 4, substitution: { kind: "substitution", matrix } }),
    ).toThrow("expectedTable: there must be 4 matrices, got 3");
  });
});
