import { expect, test } from "vitest";
import { type PlannedRow, rowsOf } from "./plan.ts";

function row(note: string | undefined, contests: readonly string[]): PlannedRow {
  const values = { unit: "it/s", ours: 1, rival: null, rivalValue: null, ratio: null, rounds: [] };
  return {
    setting: "x",
    rival: null,
    samples: contests.map((contest) => [contest, "ours"]),
    make: () => ({ bench: "training", setting: "x", ...values, ...(note && { note }) }),
  };
}

test("the note of a row counts the disturbed rounds of each of its contests once", () => {
  const disturbances: Record<string, { discarded: number; kept: number }> = {
    x: { discarded: 1, kept: 0 },
    y: { discarded: 2, kept: 1 },
    quiet: { discarded: 0, kept: 0 },
  };
  const measured = { results: () => [], disturbance: (contest: string) => disturbances[contest] };
  const planned = [row("a remark", ["x", "x"]), row(undefined, ["x", "y"]), row(undefined, ["quiet"])];
  expect(rowsOf(planned, measured).map(({ note }) => note)).toEqual([
    "a remark; 1 disturbed round measured again",
    "3 disturbed rounds measured again, 1 disturbed round kept",
    undefined,
  ]);
});
