// Tests of AdaLead with a proxy that knows the scores: what it asks, and how many strings the proxy predicts.

import { describe, expect, test } from "vitest";
import { runSearch, spaceOf } from "../../test/support/search-spaces.ts";
import { adalead } from "./adalead.ts";
import type { ScoredString } from "./string-search.ts";

const environment = spaceOf("ACGT", { min: 12, max: 12 }, [{ kind: "homopolymer", longest: 3 }]);
const TARGET = "GATCGATCGATC";
const score = (string: string) => [...string].filter((letter, i) => letter === TARGET[i]).length;

describe("AdaLead", () => {
  test("climbs to the best string with an exact proxy in 6 × 20 calls", async () => {
    const fitProxy = async () => ({ means: async (strings: readonly string[]) => strings.map(score) });
    const search = adalead({ environment, seed: 1, fitProxy });
    const asked = await runSearch(search, score, { rounds: 6, batch: 20 });
    expect(asked.flat()).toContain(TARGET);
  });

  test("asks the new strings with the highest means, and counts the calls of the proxy", async () => {
    const predicted = new Map<string, number>();
    let calls = 0;
    const fits: (readonly ScoredString[])[] = [];
    const fitProxy = async (scored: readonly ScoredString[]) => {
      fits.push(scored);
      return {
        async means(strings: readonly string[]) {
          calls += strings.length;
          for (const string of strings) predicted.set(string, score(string));
          return strings.map(score);
        },
      };
    };
    const search = adalead({ environment, seed: 2, fitProxy, proxyCallsPerString: 10 });
    const [first, second] = await runSearch(search, score, { rounds: 2, batch: 15 });
    expect(fits).toEqual([first.map((string) => ({ string, score: score(string) }))]);
    expect([calls, search.proxyCalls]).toEqual([150, 150]);
    const means = [...predicted].filter(([string]) => !first.includes(string)).map(([, mean]) => mean);
    expect(second.map(score)).toEqual(means.toSorted((a, b) => b - a).slice(0, 15));
  });

  test("starts from the strings near the best only", async () => {
    const roots: string[] = [];
    const fitProxy = async () => ({
      async means(strings: readonly string[]) {
        roots.push(...strings);
        return strings.map(() => 0);
      },
    });
    const space = spaceOf("ACGT", { min: 8, max: 8 });
    const search = adalead({ environment: space, seed: 1, fitProxy, proxyCallsPerString: 1 });
    const told = { AAAAAAAA: 1, CCCCCCCC: 0.96, GGGGGGGG: 0.9 };
    await search.tell(Object.entries(told).map(([string, score]) => ({ string, score })));
    // One call per string leaves none for mutants: the proxy sees recombined seeds only.
    await search.ask(20);
    expect(roots).toHaveLength(20);
    expect(roots.filter((string) => !/^[AC]+$/.test(string))).toEqual([]);
  });
});
