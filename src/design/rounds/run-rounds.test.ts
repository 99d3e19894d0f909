// Rounds with an oracle: an interrupted design goes on with the proposals that it would have had, saved rounds are not
// proposed again, and scores that tell nothing, or too much, leave rounds possible.

import { describe, expect, test } from "vitest";
import { constrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import type { ScoredDesign } from "../candidates.ts";
import type { Round } from "./propose-round.ts";
import { heldScores, type RunRoundsOptions, runRounds } from "./run-rounds.ts";

const environment = constrainedSequenceEnvironment({
  ...{ space: { tokens: ["0", "1"], length: { min: 6, max: 6 } }, constraints: [], noise: { kind: "none" } },
});
const ones = (string: string) => string.split("1").length - 1;

/** Runs rounds; returns them with all saved states and all strings that were scored. */
async function run(
  more: Partial<RunRoundsOptions> & {
    readonly scoreOf?: (string: string) => number;
    readonly budget?: number;
  } = {},
) {
  const { scoreOf = ones, budget = 1000, ...options } = more;
  const asked: string[] = [];
  const states: (readonly Round[])[] = [];
  const result = await runRounds({
    ...{ environment, seed: 3, goal: "maximise", acquisition: "thompson", distance: "hamming" },
    ...{ rounds: 2, batch: 10, iterations: 5, proxies: ["linear"], settings: { hidden: [4] } },
    ...{ known: [], saved: [] },
    source: {
      get calls() {
        return asked.length;
      },
      get remaining() {
        return budget - asked.length;
      },
      async score(strings) {
        asked.push(...strings);
        return strings.map((string) => ({ status: "scored", score: scoreOf(string) }));
      },
    },
    save: async (rounds) => {
      states.push(rounds);
    },
    ...options,
  });
  return { ...result, asked, states };
}
const stringsOf = ({ proposals }: Round) => proposals.map(({ string }) => string);

describe("an interrupted design", () => {
  test("has the same second round as one that was not interrupted", async () => {
    const whole = await run();
    expect(whole.states.map(({ length }) => length)).toEqual([1, 2]);
    const again = await run({ saved: JSON.parse(JSON.stringify(whole.states[0])) });
    expect(again.states).toHaveLength(1);
    expect(again.rounds).toEqual(whole.rounds);
    expect(again.asked).toEqual(whole.asked);
  });

  test("does not propose saved rounds again", async () => {
    const saved: Round[] = ["000000", "111111"].map((string) => ({
      proposals: [{ string, prediction: null }],
      ...{ tried: [], proxy: null, fitted: 0, proxyCalls: 0, motifs: null },
    }));
    const { asked, states } = await run({ saved });
    expect(asked).toEqual(["000000", "111111"]);
    expect(states).toEqual([]);
  });
});

test("rounds end with the budget, and no string is asked twice", async () => {
  const { rounds, asked } = await run({ rounds: 5, batch: 10, budget: 25 });
  expect(rounds.map(({ proposals }) => proposals.length)).toEqual([10, 10, 5]);
  expect(new Set(asked).size).toBe(25);
});

test("scores that are all equal give uniformly drawn rounds", async () => {
  const { rounds, asked } = await run({ rounds: 3, scoreOf: () => 0.5 });
  expect(rounds.map(({ proxy }) => proxy)).toEqual([null, null, null]);
  expect(new Set(asked).size).toBe(30);
});

test("two known strings are too few for a proxy", async () => {
  const known: ScoredDesign[] = [
    { string: "000000", score: 0 },
    { string: "111111", score: 1 },
  ];
  const { rounds } = await run({ known, rounds: 1 });
  expect(rounds[0].proxy).toBeNull();
  expect(stringsOf(rounds[0])).toHaveLength(10);
  expect(stringsOf(rounds[0])).not.toContain("111111");
});

test("with a score of a million among small ones, predictions are finite", async () => {
  let count = 0;
  const { rounds } = await run({ rounds: 3, scoreOf: (string) => (count++ === 4 ? 1e6 : ones(string)) });
  const predictions = rounds
    .slice(1)
    .flatMap(({ proposals }) => proposals.map(({ prediction }) => prediction));
  expect(predictions).toHaveLength(20);
  for (const prediction of predictions) {
    expect(Object.values(prediction ?? { mean: Number.NaN }).every(Number.isFinite)).toBe(true);
  }
});

test("the rounds go on if no string gets a score", async () => {
  const failing: RunRoundsOptions["source"] = {
    ...{ calls: 0, remaining: 100 },
    score: async (strings) => strings.map(() => ({ status: "skip", failure: "no" })),
  };
  const { rounds, scored } = await run({ source: failing });
  expect(scored).toEqual([]);
  expect(rounds).toHaveLength(2);
});

test("an interval holds a score at its end", () => {
  const prediction = { mean: 1, deviation: 1, low: 0, high: 2 };
  const round: Round = {
    proposals: [
      { string: "00", prediction },
      { string: "01", prediction },
      { string: "10", prediction },
      { string: "11", prediction: null },
    ],
    ...{ tried: [], proxy: "linear", fitted: 4, proxyCalls: 4, motifs: null },
  };
  const scores = new Map([
    ["00", 2],
    ["01", 2.1],
    ["11", 1],
  ]);
  expect(heldScores(round, (string) => scores.get(string))).toEqual({ inside: 1, total: 2 });
});
