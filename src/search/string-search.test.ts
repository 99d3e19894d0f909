// Tests of what every search promises: new legal strings, as many as there are, the same for the same seed.

import { describe, expect, test } from "vitest";
import { runSearch, spaceOf } from "../../test/support/search-spaces.ts";
import { adalead } from "./adalead.ts";
import { geneticAlgorithm } from "./genetic-algorithm.ts";
import { legalStrings } from "./legal-strings.ts";
import { metropolisStrings } from "./metropolis-strings.ts";
import { randomStrings } from "./random-strings.ts";
import type { StringSearch, StringSearchOptions } from "./string-search.ts";

const score = (string: string) => string.split("C").length / 10 - string.length / 100;
const METHODS: readonly [string, (options: StringSearchOptions) => StringSearch][] = [
  ["randomStrings", randomStrings],
  ["geneticAlgorithm", geneticAlgorithm],
  ["metropolisStrings", metropolisStrings],
  [
    "adalead",
    (options) =>
      adalead({ ...options, fitProxy: async () => ({ means: async (strings) => strings.map(score) }) }),
  ],
];
const SPACES = [
  ["a fixed length", spaceOf("ACGT", { min: 9, max: 9 }, [{ kind: "homopolymer", longest: 2 }])],
  [
    "a variable length",
    spaceOf("ACG", { min: 2, max: 12 }, [
      { kind: "forbid", motif: [1, 2] },
      { kind: "require", motif: [0, 1] },
    ]),
  ],
] as const;

describe.each(METHODS)("%s", (_, make) => {
  test.each(SPACES)("asks legal strings of %s, each once, as many as wanted", async (_, environment) => {
    const asked = await runSearch(make({ environment, seed: 1 }), score, { rounds: 8, batch: 25 });
    expect(asked.map(({ length }) => length)).toEqual(new Array(8).fill(25));
    expect(asked.flat().filter((string) => !environment.isLegal(string))).toEqual([]);
    expect(new Set(asked.flat()).size).toBe(200);
  });

  test("asks the same strings for the same seed, and others for another one", async () => {
    const [, environment] = SPACES[0];
    const run = (seed: number) => runSearch(make({ environment, seed }), score, { rounds: 3, batch: 10 });
    const first = await run(5);
    expect(await run(5)).toEqual(first);
    expect(await run(6)).not.toEqual(first);
  });

  test("asks every legal string of a small space, and then nothing", async () => {
    const environment = spaceOf("ABC", { min: 1, max: 3 }, [{ kind: "forbid", motif: [0, 0] }]);
    const strings = legalStrings(environment);
    const all = [...strings.all()].map(strings.text);
    const asked = await runSearch(make({ environment, seed: 2 }), score, { rounds: 6, batch: 8 });
    expect(asked.map(({ length }) => length)).toEqual([8, 8, 8, 8, 1, 0]);
    expect(asked.flat().toSorted()).toEqual(all.toSorted());
  });

  test("never asks a string that was told, and takes strings of other lengths or letters", async () => {
    const environment = spaceOf("AB", { min: 4, max: 4 });
    const search = make({ environment, seed: 3 });
    const known = ["AAAA", "BBBB", "ABAB", "AB", "XXXX"];
    await search.tell(known.map((string) => ({ string, score: 1 })));
    const asked = await search.ask(20);
    expect(asked).toHaveLength(13);
    expect(asked.filter((string) => known.includes(string))).toEqual([]);
  });

  test("asks the initial strings first, without those that are illegal, repeated or known", async () => {
    const environment = spaceOf("AB", { min: 4, max: 4 });
    const search = make({ environment, seed: 3, initial: ["ABBA", "AB", "ABBA", "AAAA", "BBBB"] });
    await search.tell([{ string: "AAAA", score: 1 }]);
    expect((await search.ask(1)).concat(await search.ask(2)).slice(0, 2)).toEqual(["ABBA", "BBBB"]);
  });

  test("does not ask a string again that got no score", async () => {
    const environment = spaceOf("AB", { min: 3, max: 3 });
    const search = make({ environment, seed: 4 });
    await search.tell([{ string: "AAA", score: 1 }]);
    const asked = [...(await search.ask(4)), ...(await search.ask(9))];
    expect(new Set(asked).size).toBe(7);
  });

  test("refuses a score that is not finite", async () => {
    const search = make({ environment: SPACES[0][1], seed: 0 });
    await expect(search.tell([{ string: "ACGTACGTA", score: Number.NaN }])).rejects.toThrow(
      'tell: scores must be finite numbers, got NaN for "ACGTACGTA"',
    );
  });
});
