// Tests of one measurement, with a problem of six strings whose scores are known.

import { expect, test } from "vitest";
import { constrainedSequenceEnvironment } from "../../src/gfn/environment/constrained-sequence.ts";
import { functionOracle } from "../../src/oracle/function-oracle.ts";
import { measure } from "./measure.ts";
import type { AssayMethod, AssaySearch } from "./methods.ts";
import type { AssayProblem } from "./problems.ts";

const SCORES: Readonly<Record<string, number>> = { AAAA: 6, AAAB: 5, BBBB: 4, ABAB: 3, BABA: 2, AABB: 1 };

/** The strings that the oracle was asked. */
function problemWith(asked: string[]): AssayProblem {
  return {
    ...{ name: "six strings", top: 3, radius: 1, missing: async () => null, dataHash: () => "" },
    async open() {
      const environment = constrainedSequenceEnvironment({
        space: { tokens: ["A", "B"], length: { min: 4, max: 4 } },
        constraints: [],
        noise: { kind: "none" },
      });
      const score = (string: string) => {
        asked.push(string);
        return SCORES[string] ?? 0;
      };
      return { environment, oracle: functionOracle({ score }) };
    },
  };
}

/** A method that asks the six strings from the worst to the best, and the scores that it was told. */
function fixedMethod(told: [string, number][]): AssayMethod {
  const strings = Object.keys(SCORES).toReversed();
  const make = async (): Promise<AssaySearch> => ({
    name: "fixed",
    proxyCalls: 7,
    ask: async (count) => strings.splice(0, count),
    async tell(scored) {
      told.push(...scored.map(({ string, score }) => [string, score] as [string, number]));
    },
    coverage: () => ({ inside: 3, total: 4 }),
  });
  return { sources: [], make };
}

test("a measurement has calls, best, mean of the best, circles and proxy calls after each round", async () => {
  const asked: string[] = [];
  const told: [string, number][] = [];
  const run = { seed: 0, rounds: 3, batch: 2, known: 0 };
  const { rounds, coverage } = await measure(problemWith(asked), fixedMethod(told), run);
  // The last three best are AAAA, AAAB and BBBB; AAAB is within the radius of AAAA.
  expect(rounds).toEqual([
    { calls: 2, best: 2, topMean: 1.5, circles: 2, proxyCalls: 7 },
    { calls: 4, best: 4, topMean: 3, circles: 3, proxyCalls: 7 },
    { calls: 6, best: 6, topMean: 5, circles: 2, proxyCalls: 7 },
  ]);
  expect(coverage).toEqual({ inside: 3, total: 4 });
  expect(asked).toEqual(Object.keys(SCORES).toReversed());
  expect(Object.fromEntries(told)).toEqual(SCORES);
});

test("known strings are told before the first round and cost no calls", async () => {
  const told: [string, number][] = [];
  const run = { seed: 0, rounds: 1, batch: 2, known: 5 };
  const { rounds } = await measure(problemWith([]), fixedMethod(told), run);
  expect(told).toHaveLength(7);
  expect(new Set(told.slice(0, 5).map(([string]) => string)).size).toBe(5);
  expect(rounds).toEqual([{ calls: 2, best: 2, topMean: 1.5, circles: 2, proxyCalls: 7 }]);
});

test("a run ends when it has found the known optimum", async () => {
  const problem = { ...problemWith([]), optimum: 4 };
  const { rounds } = await measure(problem, fixedMethod([]), { seed: 0, rounds: 3, batch: 2, known: 0 });
  expect(rounds.map(({ best }) => best)).toEqual([2, 4]);
});
