// Tests of channels: probabilities against an enumeration of all error events, sums, samples and supports.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { type ChannelOptions, channel } from "./channel.ts";

const matrix = [
  [0.9, 0.1, 0],
  [0.05, 0.8, 0.15],
  [0, 0.25, 0.75],
];
const substitution = { kind: "substitution", matrix } as const;
const perPosition = {
  kind: "substitution",
  matrix: [matrix, matrix.toReversed().map((row) => row.toReversed()), matrix],
} as const;
const inserted = [0.5, 0.3, 0.2];
const z = [0, 2, 1];

/** All strings of a length over the letters 0 to `letters` − 1. */
function allStrings(letters: number, length: number): number[][] {
  return Array.from({ length: letters ** length }, (_, index) =>
    Array.from({ length }, (_, i) => Math.floor(index / letters ** (length - 1 - i)) % letters),
  );
}

/** C(x | z) by listing every event: insertions, deletions and substitutions, one after the other. */
function bruteForce(x: readonly number[], design: readonly number[], options: ChannelOptions): number {
  const { insertion = 0, deletion = 0 } = options;
  const rows = options.substitution?.kind === "substitution" ? options.substitution.matrix : [];
  const error = (i: number, a: number, b: number) =>
    Array.isArray(rows[0][0]) ? (rows as number[][][])[i][a][b] : (rows as number[][])[a][b];
  const from = (i: number, j: number): number => {
    let sum = j < x.length ? insertion * inserted[x[j]] * from(i, j + 1) : 0;
    if (i === design.length) return sum + (j === x.length ? 1 - insertion : 0);
    sum += (1 - insertion) * deletion * from(i + 1, j);
    if (j < x.length)
      sum += (1 - insertion) * (1 - deletion) * error(i, design[i], x[j]) * from(i + 1, j + 1);
    return sum;
  };
  return from(0, 0);
}

const cases: readonly [string, ChannelOptions][] = [
  ["substitutions only", { letters: 3, substitution }],
  [
    "a matrix per position",
    { letters: 3, substitution: perPosition, insertion: 0.1, deletion: 0.2, inserted },
  ],
  ["deletions", { letters: 3, substitution, deletion: 0.3 }],
  ["insertions", { letters: 3, substitution, insertion: 0.2, inserted }],
  ["all errors", { letters: 3, substitution, insertion: 0.2, deletion: 0.3, inserted }],
];

describe.each(cases)("a channel with %s", (_, options) => {
  const errors = channel(options);
  const { insertion = 0, deletion = 0 } = options;

  test("gives every string the probability that all events together have", () => {
    for (let length = 0; length <= 5; length++) {
      for (const x of allStrings(3, length)) {
        expect(Math.exp(errors.logProbability(x, z))).toBeCloseTo(bruteForce(x, z, options), 14);
      }
    }
  });

  test("gives the strings of each length the probability of that length, and all strings together 1", () => {
    // The length is a binomial number of kept letters plus a negative binomial number of inserted ones.
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
    const ofLength = (length: number) =>
      Array.from({ length: Math.min(3, length) + 1 }, (_, kept) => {
        const more = length - kept;
        const ofKept = choose(3, kept) * (1 - deletion) ** kept * deletion ** (3 - kept);
        return ofKept * choose(more + 3, more) * insertion ** more * (1 - insertion) ** 4;
      }).reduce((a, b) => a + b);
    let total = 0;
    for (let length = 0; length <= 7; length++) {
      const sum = allStrings(3, length).reduce((a, x) => a + Math.exp(errors.logProbability(x, z)), 0);
      expect(sum).toBeCloseTo(ofLength(length), 12);
      total += sum;
    }
    // Longer strings are too many to list; the closed form has the rest.
    for (let length = 8; length < 100; length++) total += ofLength(length);
    expect(total).toBeCloseTo(1, 12);
  });

  test("gives many strings at once the same probabilities, in any order", () => {
    const strings = [0, 1, 2, 3, 4].flatMap((length) => allStrings(3, length));
    const expected = (x: readonly number[]) => Math.exp(errors.logProbability(x, z));
    for (const some of [strings, strings.toReversed(), strings.filter((_, i) => i % 3 === 1)]) {
      const found = errors.probabilities(some, z);
      some.forEach((x, i) => {
        expect(found[i]).toBeCloseTo(expected(x), 14);
      });
    }
  });

  test("samples strings with these probabilities", () => {
    const stream = RandomStream.fromSeed(1);
    const draws = 20_000;
    const counts = new Map<string, number>();
    for (let i = 0; i < draws; i++) {
      const key = errors.sample(z, stream).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [key, count] of counts) {
      const x = key === "" ? [] : key.split(",").map(Number);
      const p = Math.exp(errors.logProbability(x, z));
      expect(Math.abs(count - draws * p)).toBeLessThan(5 * Math.sqrt(draws * p) + 5);
    }
  });

  test("lists all strings of positive probability, if there are few enough", () => {
    const support = errors.support(z, 1000);
    if (insertion > 0) return expect(support).toBeNull();
    const expected = [0, 1, 2, 3]
      .flatMap((length) => allStrings(3, length))
      .filter((x) => errors.logProbability(x, z) > Number.NEGATIVE_INFINITY);
    expect(support!.strings.map(String).toSorted()).toEqual(expected.map(String).toSorted());
    support!.strings.forEach((x, i) => {
      expect(support!.probabilities[i]).toBeCloseTo(Math.exp(errors.logProbability(x, z)), 14);
    });
    expect(errors.support(z, expected.length)!.strings).toHaveLength(expected.length);
    expect(errors.support(z, expected.length - 1)).toBeNull();
  });
});

test("a long string has a finite log-probability, although its probability is too small for a number", () => {
  const errors = channel({
    letters: 4,
    substitution: { kind: "stick", stick: 0.01 },
    insertion: 0.001,
    deletion: 0.001,
  });
  const long = Array.from({ length: 256 }, (_, i) => i % 4);
  const other = long.map((letter) => (letter + 1) % 4);
  expect(errors.logProbability(long, long)).toBeGreaterThan(-4);
  // A shift by one letter costs one deletion and one insertion, far less than 256 substitutions.
  const shift = errors.logProbability(other, long);
  expect(shift).toBeGreaterThan(-30);
  const wrong = errors.logProbability(new Array(256).fill(0), new Array(256).fill(1));
  expect(wrong).toBeLessThan(-745);
  expect(wrong).toBeGreaterThan(-2000);
});

test("stick noise replaces a letter by a uniform draw, and no errors change nothing", () => {
  const errors = channel({ letters: 4, substitution: { kind: "stick", stick: 0.2 } });
  expect(Math.exp(errors.logProbability([0, 1], [0, 0]))).toBeCloseTo(0.85 * 0.05, 14);
  const none = channel({ letters: 4 });
  expect(none.support([3, 1], 10)).toEqual({ strings: [[3, 1]], probabilities: Float64Array.of(1) });
  expect(none.logProbability([3], [3, 1])).toBe(Number.NEGATIVE_INFINITY);
});

test("bad options are reported all at once, and bad strings by their letter or length", () => {
  expect(() =>
    channel({
      ...{ letters: 2, insertion: 1, deletion: -0.1, inserted: [1] },
      substitution: { kind: "substitution", matrix: [[0.5, 0.4], [1]] },
    }),
  ).toThrow(
    [
      "the input has 5 problems:",
      "  insertion: must be in [0, 1), got 1",
      "  deletion: must be in [0, 1), got -0.1",
      "  matrix[0]: must sum to 1, got 0.9",
      "  matrix[1]: must have 2 probabilities from 0 to 1, got [1]",
      "  inserted: must be 2 probabilities that sum to 1, got [1]",
    ].join("\n"),
  );
  expect(() => channel({ letters: 4, substitution: { kind: "stick", stick: 1 } })).toThrow(
    "stick: must be in [0, 1), got 1",
  );
  expect(() => channel({ letters: 4, substitution })).toThrow("matrix: must have 4 rows");
  expect(() => channel({ letters: 3 }).logProbability([3], [0])).toThrow(
    "letters must be from 0 to 2, got 3",
  );
  expect(() => channel({ letters: 3, substitution: perPosition }).support([0, 0, 0, 0], 9)).toThrow(
    "a design must have at most 3 letters, got 4",
  );
});
