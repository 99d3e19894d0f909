// Tests that the genetic algorithm recombines the best strings, and finds the optimum of additive landscapes.

import { describe, expect, test } from "vitest";
import { runSearch, spaceOf } from "../../test/support/search-spaces.ts";
import { nkLandscape } from "../landscapes/nk.ts";
import { geneticAlgorithm } from "./genetic-algorithm.ts";

const letters = "ACGT";
const lettersOf = (string: string) => [...string].map((letter) => letters.indexOf(letter));

describe("the genetic algorithm", () => {
  test.each([0, 1, 2, 3, 4])(
    "finds the best of 4^10 strings of an additive landscape in 20 × 50 calls, seed %i",
    async (seed) => {
      const length = 10;
      const landscape = nkLandscape({ letters: 4, length, neighbours: 0, seed });
      const score = (string: string) => landscape.score(lettersOf(string)) ?? Number.NaN;
      // Without neighbours each position contributes alone, so the best letter of each can be found alone.
      const best = Array.from({ length }, (_, i) =>
        Array.from(letters, (letter) => "A".repeat(i) + letter + "A".repeat(length - 1 - i)).reduce((a, b) =>
          score(b) > score(a) ? b : a,
        ),
      ).map((string, i) => string[i]);
      const search = geneticAlgorithm({ environment: spaceOf(letters, { min: length, max: length }), seed });
      const asked = await runSearch(search, score, { rounds: 20, batch: 50 });
      expect(asked.flat()).toContain(best.join(""));
    },
  );

  test("without mutations asks two-point crossovers of two parents only", async () => {
    const environment = spaceOf("AC", { min: 8, max: 8 });
    const search = geneticAlgorithm({ environment, seed: 1, mutations: 1e-9 });
    await search.tell(["AAAAAAAA", "CCCCCCCC"].map((string) => ({ string, score: 1 })));
    const asked = await search.ask(40);
    expect(asked.filter((string) => !/^(A+C+A*|C+A+C*)$/.test(string))).toEqual([]);
    expect(asked).toHaveLength(40);
  });

  test("takes the best strings as parents, of equal ones the earlier", async () => {
    const environment = spaceOf("ACGT", { min: 6, max: 6 });
    const search = geneticAlgorithm({ environment, seed: 1, mutations: 1e-9, parents: 0.25 });
    const told = { GGGGGG: 1, AAAAAA: 2, CCCCCC: 2, TTTTTT: 2 };
    await search.tell(Object.entries(told).map(([string, score]) => ({ string, score })));
    expect((await search.ask(8)).filter((string) => !/^[AC]+$/.test(string))).toEqual([]);
  });

  test("refuses settings outside their range", () => {
    const environment = spaceOf("AC", { min: 2, max: 2 });
    expect(() => geneticAlgorithm({ environment, seed: 0, crossover: 2 })).toThrow(
      "geneticAlgorithm: crossover must be a finite number at least 0 and at most 1, got 2",
    );
    expect(() => geneticAlgorithm({ environment, seed: 0, parents: 0 })).toThrow(/parents must .* above 0/);
  });
});
