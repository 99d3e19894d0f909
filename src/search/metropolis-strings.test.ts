// Tests that the chains sample from their target, and that proposals are dropped after an accepted one.

import { expect, test } from "vitest";
import { spaceOf } from "../../test/support/search-spaces.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { legalStrings } from "./legal-strings.ts";
import { metropolisStrings } from "./metropolis-strings.ts";

test.each([
  ["a fixed length", spaceOf("ABC", { min: 3, max: 3 }, [{ kind: "homopolymer", longest: 2 }])],
  ["a variable length", spaceOf("AB", { min: 1, max: 4 }, [{ kind: "forbid", motif: [0, 1, 0] }])],
])("chains over all strings of %s have their target as distribution", async (_, environment) => {
  const strings = legalStrings(environment);
  const all = [...strings.all()].map(strings.text);
  const stream = RandomStream.fromSeed(1);
  const scores = new Map(all.map((string) => [string, stream.uniform()]));
  const temperature = 0.4;
  const where: string[] = [];
  const chains = 4;
  const search = metropolisStrings({
    ...{ environment, seed: 7, chains, temperature, onStep: (string) => where.push(string) },
  });
  await search.tell([...scores].map(([string, score]) => ({ string, score })));
  // Every score is known, so that each request for one more string makes a thousand steps and finds none.
  const counts = new Map(all.map((string) => [string, 0]));
  const draws = 1000;
  for (let i = 0; i < draws; i++) {
    where.length = 0;
    expect(await search.ask(1)).toEqual([]);
    for (const string of where.slice(-chains)) counts.set(string, counts.get(string)! + 1);
  }
  const weights = all.map((string) => Math.exp(scores.get(string)! / temperature));
  const total = weights.reduce((a, b) => a + b);
  const chiSquare = all.reduce((sum, string, i) => {
    const expected = (weights[i] / total) * draws * chains;
    return sum + (counts.get(string)! - expected) ** 2 / expected;
  }, 0);
  const degrees = all.length - 1;
  expect(chiSquare).toBeLessThan(degrees + 3.5 * Math.sqrt(2 * degrees));
});

test("a chain proposes neighbours of its string, and drops those that follow an accepted one", async () => {
  const environment = spaceOf("ACGT", { min: 10, max: 10 });
  const where: string[] = [];
  const search = metropolisStrings({
    ...{ environment, seed: 1, chains: 1, onStep: (string) => where.push(string) },
  });
  const constant = (strings: readonly string[]) => strings.map((string) => ({ string, score: 1 }));
  let current = "ACGTACGTAC";
  await search.tell(constant([current]));
  for (let round = 0; round < 4; round++) {
    const asked = await search.ask(6);
    const differences = asked.map(
      (string) => [...string].filter((letter, i) => letter !== current[i]).length,
    );
    expect(differences).toEqual([1, 1, 1, 1, 1, 1]);
    await search.tell(constant(asked));
    // Equal scores: the first proposal is accepted.
    current = asked[0];
    expect(where).toHaveLength(round + 1);
    expect(where[round]).toBe(current);
  }
});
