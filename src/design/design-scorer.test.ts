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
  const floor = 0.01;
  const options: SynthesisOptions = {
    space,
    errors: { substitution: { kind: "substitution", matrix }, insertion: 0, deletion: 0 },
    source: countingSource(countA, 8),
    environment,
    rewardOf: (score) => score ** 2,
    floor,
    draws: 4,
    seed: 0,
  };
  const index = (letter: string) => "AB".indexOf(letter);
  const probability = (x: string, z: string) =>
    [...z].reduce((product, letter, i) => product * matrix[index(letter)][index(x[i])], 1);

  test("equal the sum over all strings, with the floor for illegal ones", async () => {
    const source = countingSource(countA, 8);
    const exact = synthesis({ ...options, source });
    expect(exact).toMatchObject({ isExact: true, cost: 5 });
    const expected = await exact.expectedRewards(all);
    for (const [i, z] of all.entries()) {
      const reward = (x: string) => (environment.isLegal(x) ? countA(x) ** 2 : floor);
      const sum = all.reduce((total, x) => total + probability(x, z) * reward(x), 0);
      expect(expected[i]).toMatchObject({ exact: true, standardError: 0 });
      expect(expected[i]?.value).toBeCloseTo(sum, 12);
    }
    expect(source.sent.every((string) => environment.isLegal(string))).toBe(true);
    expect(source.calls).toBe(5);
  });

  test("are estimated from draws if the budget is smaller than the number of outcomes", async () => {
    const source = countingSource(countA, 5);
    const estimate = synthesis({ ...options, source });
    expect(estimate).toMatchObject({ isExact: false, cost: 4 });
    const [first, again] = await estimate.expectedRewards(["ABA", "ABA"]);
    expect(first).toMatchObject({ exact: false, draws: 4 });
    expect(again).toEqual(first);
    expect(source.calls).toBeLessThanOrEqual(5);
  });

  test("are null once a string that is needed cannot be paid for", async () => {
    const source = countingSource(countA, 8);
    const exact = synthesis({ ...options, source });
    const poor = countingSource(countA, 0);
    source.score = poor.score;
    expect(await exact.expectedRewards(["AAA"])).toEqual([null]);
  });

  test("of raw scores do not use the exponent", async () => {
    const [raw] = await synthesis(options).expectedRawScores(["AAA"]);
    const sum = all.reduce(
      (total, x) => total + probability(x, "AAA") * (environment.isLegal(x) ? countA(x) : floor),
      0,
    );
    expect(raw?.value).toBeCloseTo(sum, 12);
  });
});
