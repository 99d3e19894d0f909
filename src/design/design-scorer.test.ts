// Scores for training: failures, illegal strings, and expected rewards after errors of synthesis against brute force.

import { describe, expect, test } from "vitest";
import { countingSource } from "../../test/support/counting-source.ts";
import { constrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { type SynthesisOptions, scoresForTraining, synthesis } from "./design-scorer.ts";

const space = { tokens: ["A", "B"], length: { min: 3, max: 3 } };
/** No two B's in a row. */
const environment = constrainedSequenceEnvironment({
  space,
  constraints: [{ kind: "forbid", motif: [1, 1] }],
  noise: { kind: "none" },
});
const all = ["AAA", "AAB", "ABA", "ABB", "BAA", "BAB", "BBA", "BBB"];
const countA = (string: string) => string.split("A").length - 1;

describe("scores for training", () => {
  test("are never asked for illegal strings, which count as the floor", async () => {
    const source = countingSource(countA, 100);
    const scores = await scoresForTraining(all, { source, environment });
    expect([...scores]).toEqual([3, 2, 2, -Infinity, 2, 1, -Infinity, -Infinity]);
    expect(source.sent).toEqual(["AAA", "AAB", "ABA", "BAA", "BAB"]);
  });

  test("are NaN for skipped and for unpaid strings, and the floor for failures that count as such", async () => {
    const fails = (string: string) => (string === "AAB" ? null : countA(string));
    const legal = ["AAA", "AAB", "ABA"];
    const skip = await scoresForTraining(legal, { source: countingSource(fails, 2), environment });
    expect([...skip]).toEqual([3, Number.NaN, Number.NaN]);
    const source = countingSource(fails, 9, "floor");
    expect([...(await scoresForTraining(legal, { source, environment }))]).toEqual([3, -Infinity, 2]);
  });
});

describe("expected rewards after synthesis", () => {
  const matrix = [
    [0.9, 0.1],
    [0.3, 0.7],
  ];
  const options: SynthesisOptions = {
    space,
    errors: { substitution: { kind: "substitution", matrix }, insertion: 0, deletion: 0 },
    source: countingSource(countA, 8),
    environment,
    exponent: 2,
    draws: 4,
    seed: 0,
  };
  const index = (letter: string) => "AB".indexOf(letter);
  const probability = (x: string, z: string) =>
    [...z].reduce((product, letter, i) => product * matrix[index(letter)][index(x[i])], 1);
  /** Σ_x C(x | z) s(x)^β over the legal strings x. */
  const expectation = (z: string, exponent: number, scoreOf = countA) =>
    all
      .filter((x) => environment.isLegal(x))
      .reduce((total, x) => total + probability(x, z) * scoreOf(x) ** exponent, 0);

  test("are those of the equivalent scores: sums over all strings, in which illegal ones count 0", async () => {
    const source = countingSource(countA, 8);
    const exact = synthesis({ ...options, source });
    expect(exact).toMatchObject({ isExact: true, cost: 0 });
    const equivalent = await exact.equivalentScores(all);
    for (const [i, z] of all.entries()) expect((equivalent[i] ?? -1) ** 2).toBeCloseTo(expectation(z, 2), 12);
    // The five legal strings are scored, whatever the designs turn into.
    expect(source.sent).toEqual(["AAA", "AAB", "ABA", "BAA", "BAB"]);
  });

  test("are in units of the score, so that units do not matter and no exponent overflows", async () => {
    for (const [unit, exponent] of [
      [1e-6, 1],
      [1e200, 2],
      [1, 1000],
    ]) {
      const source = countingSource((string) => unit * countA(string), 8);
      const equivalent = await synthesis({ ...options, source, exponent }).equivalentScores(all);
      for (const [i, z] of all.entries()) {
        const relative = expectation(z, exponent, (x) => countA(x) / 3) ** (1 / exponent);
        expect((equivalent[i] ?? -1) / (3 * unit)).toBeCloseTo(relative, 12);
      }
    }
  });

  test("are exact with insertions and deletions too, if every legal string is scored first", async () => {
    const errors = { ...options.errors, insertion: 0.1, deletion: 0.2 };
    const source = countingSource(countA, 5);
    const exact = synthesis({ ...options, source, errors, exponent: 1 });
    const reports: number[][] = [];
    await exact.prepare(undefined, (...report) => reports.push(report));
    expect(reports).toEqual([[5, 5]]);
    const [raw] = await exact.expectedRawScores(["ABA"]);
    const letters = (string: string) => Array.from(string, index);
    const sum = all
      .filter((x) => environment.isLegal(x))
      .reduce(
        (a, x) => a + Math.exp(exact.channel.logProbability(letters(x), letters("ABA"))) * countA(x),
        0,
      );
    expect(raw).toMatchObject({ exact: true, standardError: 0 });
    expect(raw?.value).toBeCloseTo(sum, 12);
    expect(await exact.equivalentScores(["ABA"])).toEqual([expect.closeTo(sum, 12)]);
    expect(source.calls).toBe(5);
  });

  test("are sums over what a design turns into, if the budget pays for these strings but not for all", async () => {
    const long = constrainedSequenceEnvironment({
      space: { tokens: ["A", "B"], length: { min: 5, max: 5 } },
      constraints: [],
      noise: { kind: "none" },
    });
    // Only the letter B changes, so AAABB turns into four strings.
    const errors = {
      substitution: {
        kind: "substitution",
        matrix: [
          [1, 0],
          [0.5, 0.5],
        ],
      },
    } as const;
    const source = countingSource(countA, 31);
    const some = synthesis({ ...options, space: long.space, environment: long, errors, source, exponent: 1 });
    const [raw] = await some.expectedRawScores(["AAABB"]);
    expect(raw).toMatchObject({ exact: true, value: 4 });
    expect(source.calls).toBe(4);
  });

  test("are estimated from draws if the budget pays for neither", async () => {
    const source = countingSource(countA, 4);
    const estimate = synthesis({ ...options, source });
    expect(estimate).toMatchObject({ isExact: false, cost: 4 });
    const [first, again] = await estimate.expectedRawScores(["ABA", "ABA"]);
    expect(first).toMatchObject({ exact: false, draws: 4 });
    expect(again).toEqual(first);
    expect(source.calls).toBeLessThanOrEqual(4);
  });

  test("are null once a string that is needed cannot be paid for", async () => {
    const source = countingSource(countA, 8);
    const exact = synthesis({ ...options, source });
    const poor = countingSource(countA, 0);
    source.score = poor.score;
    expect(await exact.equivalentScores(["AAA"])).toEqual([null]);
  });

  test("of raw scores do not use the exponent, and failed strings count 0", async () => {
    const [raw] = await synthesis(options).expectedRawScores(["AAA"]);
    expect(raw?.value).toBeCloseTo(expectation("AAA", 1), 12);
    for (const onFailure of ["skip", "floor"] as const) {
      const source = countingSource((string) => (string === "AAB" ? null : countA(string)), 8, onFailure);
      const [without] = await synthesis({ ...options, source }).expectedRawScores(["AAA"]);
      expect(without?.value).toBeCloseTo(expectation("AAA", 1) - 2 * probability("AAB", "AAA"), 12);
    }
  });
});
